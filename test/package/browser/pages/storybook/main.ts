// @ts-expect-error It is there in a project outside alone: its peer, Storybook, is heavy, and not needed for this.
import { mswLoader } from 'msw-storybook-addon/csf3'
import { bearer, createPlantMock } from 'plant-mock'
import { plantHandlers } from 'plant-mock/msw'
import { say, showPlants } from '../shared.ts'

const load = mswLoader() as (context: { parameters: object }) => Promise<object>

/** Handlers as a story has them, for a mock of its own. */
const handlersFor = (name: string) =>
  plantHandlers(createPlantMock({ fixtures: [{ id: 1, name, tag: 'story' }] }), { baseUrl: '/api' })

/** What a story with these parameters gets from the service. */
const open = async (parameters: object): Promise<Response> => {
  await load({ parameters })
  return fetch('/api/plants', { headers: bearer('alice') })
}

await showPlants(await open({ msw: handlersFor('A list') }))
await showPlants(await open({ msw: { handlers: handlersFor('A list by name') } }))
await showPlants(await open({ msw: { handlers: { plants: handlersFor('Groups'), others: [] } } }))
const { status } = await open({})
say(`a story without handlers gets ${status}`)
