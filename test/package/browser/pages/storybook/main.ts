// @ts-expect-error Installed only in the projects of .ci/consumers, because its peer Storybook is large.
import { mswLoader } from 'msw-storybook-addon/csf3'
import { bearer, createPlantMock } from 'plant-mock'
import { plantHandlers } from 'plant-mock/msw'
import { showOutcome, showPlants } from '../shared.ts'

const load = mswLoader() as (context: { parameters: object }) => Promise<object>

const handlersFor = (name: string) =>
  plantHandlers(createPlantMock({ fixtures: [{ id: 1, name, tag: 'story' }] }), { baseUrl: '/api' })

const openStory = async (parameters: object): Promise<Response> => {
  await load({ parameters })
  return fetch('/api/plants', { headers: bearer('alice') })
}

await showPlants(await openStory({ msw: handlersFor('A list') }))
await showPlants(await openStory({ msw: { handlers: handlersFor('A list by name') } }))
await showPlants(await openStory({ msw: { handlers: { plants: handlersFor('Groups'), others: [] } } }))
const { status } = await openStory({})
showOutcome(`a story without handlers gets ${status}`)
