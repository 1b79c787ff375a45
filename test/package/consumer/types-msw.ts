import { setupWorker } from 'msw/browser'
import { setupServer } from 'msw/node'
import { createPlantMock } from 'plant-mock'
import { handlers, plantHandlers, unhandled } from 'plant-mock/msw'

const ours = plantHandlers(createPlantMock(), { baseUrl: 'https://api.example.com' })
setupServer(...ours, ...handlers).listen(unhandled('error'))
await setupWorker(...ours).start({ ...unhandled('bypass'), quiet: true })

// @ts-expect-error There is no such strategy.
unhandled('fail')
