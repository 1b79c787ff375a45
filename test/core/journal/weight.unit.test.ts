import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toExchange } from '../../../src/core/http/fetch.ts'
import { journalBudget } from '../../../src/core/journal/budget.ts'
import { callerRegistry } from '../../../src/core/journal/callers.ts'
import { createJournal } from '../../../src/core/journal/journal.ts'
import { createPlantMock } from '../../../src/core/mock/create-plant-mock.ts'
import type { PlantMockOptions } from '../../../src/core/mock/options.ts'
import { resolveCall } from '../../../src/core/service/call.ts'
import { longExchange, longName } from '../../support/long-exchanges.ts'
import { runs } from '../../support/runs.ts'

const megabyte = 1024 * 1024

/** Records an exchange, and returns its share of the budget and the length of the JSON that a reader gets. */
const record = async (options: PlantMockOptions, path: string, init: RequestInit) => {
  const budget = journalBudget()
  const before = budget.available
  const journal = createJournal(1, callerRegistry(), budget)
  const request = new Request(`http://localhost${path}`, init)
  const call = resolveCall(await toExchange(request, megabyte, undefined))
  const { reply } = await createPlantMock(options).instances.handlerFor(undefined).handle(call)
  journal.record(call, reply, Date.now(), 12.345)
  return { weight: before - budget.available, length: JSON.stringify(journal.entry(1)).length }
}

describe('the weight of an exchange', () => {
  it('is at least what a reader gets', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.record({ name: longName, tag: longName }), { maxLength: 50 }),
      fc.constantFrom('none', 'status', 'malformed'),
      longExchange,
      async (fixtures, fault, [path, init]) => {
        const faults = {
          none: [],
          status: [{ status: 500, body: '\u0001"'.repeat(9_999), headers: { 'x-long': '"'.repeat(9_999) } }],
          malformed: [{ malformed: true as const }],
        }
        const { weight, length } = await record({ fixtures, faults: faults[fault] }, path, init)
        expect(weight).toBeGreaterThanOrEqual(length)
      },
    )
    await fc.assert(property, { numRuns: runs(100) })
  })

  it('is less than four times what a reader gets, for usual exchanges', async () => {
    const fixtures = Array.from({ length: 20 }, (_, id) => ({ id, name: 'Nephrolepis exaltata', tag: 'fern' }))
    const headers = { authorization: 'Bearer alice', 'user-agent': 'Mozilla/5.0', accept: 'application/json' }
    const body = JSON.stringify({ id: 100, name: 'Aloe vera', tag: 'succulent' })
    for (const [path, init] of [
      ['/plants?limit=20', { headers }],
      ['/plants', { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }],
    ] as const) {
      const { weight, length } = await record({ fixtures }, path, init)
      expect(weight).toBeLessThan(4 * length)
    }
  })
})
