import fc from 'fast-check'
import { createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { longExchange, longName } from '../../support/long-exchanges.ts'
import { runs } from '../../support/runs.ts'

const budget = 32 * 1024 * 1024
/** The size of an entry without its bodies, headers and URL, which are truncated when it is evicted. */
const perEntry = 16_000
const sessions = ['a', 'b', 'c']

describe('the journals of all sessions', () => {
  it('give a reader at most 32 Mi characters in total, whatever was sent', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.record({ name: longName, tag: fc.constant('"fern"') }), { minLength: 50, maxLength: 500 }),
      fc.array(fc.tuple(fc.constantFrom(...sessions), longExchange), { minLength: 5, maxLength: 20 }),
      async (fixtures, exchanges) => {
        const mock = createPlantMock({ fixtures })
        await mock
          .session('a')
          .fail({ operation: 'createPlant', status: 500, body: '\u0001'.repeat(100_000), times: 9 })
        for (let round = 0; round < 10; round++)
          for (const [session, [path, init]] of exchanges) await (await mock.session(session).fetch(path, init)).text()
        const journals = await Promise.all(sessions.map((session) => mock.session(session).requests.all()))
        const entries = journals.flat()
        expect(entries).toHaveLength(10 * exchanges.length)
        const violations = await Promise.all(sessions.map((session) => mock.session(session).violations()))
        for (const list of [journals, violations])
          expect(JSON.stringify(list).length).toBeLessThanOrEqual(budget + perEntry * entries.length)
      },
    )
    await fc.assert(property, { numRuns: runs(3) })
  })
})
