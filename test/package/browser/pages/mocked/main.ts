import { setupWorker } from 'msw/browser'
import { bearer, createPlantMock } from 'plant-mock'
import { plantHandlers, unhandled } from 'plant-mock/msw'
import { createFern, showOutcome, showPlants } from '../shared.ts'

const mock = createPlantMock({ fixtures: [{ id: 1, name: 'Monstera deliciosa', tag: 'tropical' }] })
const worker = setupWorker(...plantHandlers(mock, { baseUrl: '/api' }))
await worker.start({ ...unhandled('bypass'), quiet: true })

const created = await fetch('/api/plants', createFern)
const listed = await fetch('/api/plants', { headers: bearer('alice') })
const refused = await fetch('/api/plants')
await showPlants(listed)
showOutcome(`created ${created.status}, listed ${listed.status}, without a token ${refused.status}`)
