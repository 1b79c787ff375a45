import fc from 'fast-check'
import { createPlantMock, type PlantMock } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { runs } from '../../support/runs.ts'
import { as, post } from '../../support/targets.ts'

const token = 'the-shared-token'

const script = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('create' as const), id: fc.nat(3), name: fc.string({ maxLength: 4 }) }),
    fc.record({ do: fc.constant('list' as const) }),
    fc.record({ do: fc.constant('assume' as const), status: fc.constantFrom(200 as const, 201 as const) }),
    fc.record({ do: fc.constant('fail' as const), status: fc.constantFrom(500, 502, 503) }),
    fc.record({ do: fc.constant('reset' as const) }),
    fc.record({ do: fc.constant('change' as const), id: fc.nat(3) }),
    fc.record({ do: fc.constant('remove' as const), id: fc.nat(3) }),
  ),
  { minLength: 1, maxLength: 6 },
)

type Step = (typeof script extends fc.Arbitrary<infer S> ? S : never)[number]

const perform = async (mock: PlantMock, step: Step): Promise<unknown> => {
  if (step.do === 'assume') return mock.assume({ 'create.status': step.status })
  if (step.do === 'fail') return void (await mock.fail({ status: step.status, times: 1 }))
  if (step.do === 'reset') return mock.reset()
  if (step.do === 'change') return mock.plants.update({ id: step.id }, { tag: 'changed' })
  if (step.do === 'remove') return mock.plants.remove({ id: step.id })
  const init =
    step.do === 'list'
      ? as(token)
      : post({ id: step.id, name: step.name, tag: 't' }, as(token).headers as Record<string, string>)
  const response = await mock.fetch('/plants', init)
  return [response.status, await response.text()]
}

const observe = async (mock: PlantMock, steps: readonly Step[]): Promise<unknown> => {
  const responses: unknown[] = []
  for (const step of steps) responses.push(await perform(mock, step))
  const journal = await mock.requests.all()
  return {
    responses,
    plants: await mock.plants.all(),
    journal: journal.map(({ id, method, status }) => [id, method, status]),
    pending: (await mock.pending()).map(({ name }) => name),
    assumed: await mock.assumptions(),
  }
}

describe('fifty concurrent sessions with the same token', () => {
  it('do not affect each other', async () => {
    const fixtures = [{ id: 0, name: 'Aloe vera', tag: 'succulent' }]
    const { url, mock, close } = await startPlantMock({ fixtures, sessions: 50, onNotice: () => undefined })
    let run = 0
    const property = fc.asyncProperty(fc.array(script, { minLength: 50, maxLength: 50 }), async (scripts) => {
      run++
      const remote = connectPlantMock(url)
      const concurrent = await Promise.all(
        scripts.map((steps, i) => observe(remote.session(`test-${run}-${i}`), steps)),
      )
      const alone = await Promise.all(scripts.map((steps) => observe(createPlantMock({ fixtures }), steps)))
      expect(concurrent).toEqual(alone)
      expect(await mock.requests.count()).toBe(0)
    })
    await fc.assert(property, { numRuns: runs(12) })
    await close()
  })
})
