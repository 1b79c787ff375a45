import { type AssumptionId, bearer, createPlantMock, type FixturePlant } from 'plant-mock'
import { assumptionRegistry, openApiDocument } from 'plant-mock/contract'
import { aPlant } from 'plant-mock/fixtures'

/** Compiles in a project without the types of Node.js and without msw. */

const fixture: FixturePlant = aPlant({ tag: 'succulent', access: ['alice'] })
export const mock = createPlantMock({
  fixtures: [fixture],
  assume: {
    'create.status': 200,
    'list.order': 'newest',
    'list.maxLimit': 'clamp:50',
    'list.defaultLimit': 25,
    'error.body': '{"message":"{detail}"}',
  },
})
export const response: Promise<Response> = mock.fetch('/plants?limit=1', { headers: bearer('alice') })
export const plants: Promise<readonly FixturePlant[]> = mock.plants.visibleTo('alice')
export const ids: readonly AssumptionId[] = assumptionRegistry.map(({ id }) => id)
export const document = openApiDocument(await mock.assumptions(), '1.0.0')

// @ts-expect-error Unknown assumption.
createPlantMock({ assume: { 'create.state': 200 } })
// @ts-expect-error Unknown value.
createPlantMock({ assume: { 'create.status': 204 } })
// @ts-expect-error Unknown value.
createPlantMock({ assume: { 'list.maxLimit': 'cut:50' } })
// @ts-expect-error Unknown value.
createPlantMock({ assume: { 'error.body': 'xml' } })
// @ts-expect-error A plant needs a name.
mock.seed([{ tag: 'fern' }])
