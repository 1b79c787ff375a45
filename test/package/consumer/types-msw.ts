import { setupWorker } from 'msw/browser'
import { setupServer } from 'msw/node'
import { createPlantMock } from 'plant-mock'
import { handlers, plantHandlers, unhandled } from 'plant-mock/msw'

const plantStore = plantHandlers(createPlantMock(), { baseUrl: 'https://api.example.com' })
setupServer(...plantStore, ...handlers).listen(unhandled('error'))
await setupWorker(...plantStore).start({ ...unhandled('bypass'), quiet: true })

// @ts-expect-error Unknown strategy.
unhandled('fail')
