import { describe, expect, it } from 'vitest'
import { type Reply, reply } from '../../../src/core/http/reply.ts'
import { journalBudget } from '../../../src/core/journal/budget.ts'
import { callerRegistry } from '../../../src/core/journal/callers.ts'
import { createJournal } from '../../../src/core/journal/journal.ts'
import { toReceivedRequest } from '../../../src/core/mock/fetch.ts'
import { resolveRequest } from '../../../src/core/operations/call.ts'
import { token } from '../../support/callers.ts'

const journalOf = async (response: Reply, path = '/other', init: RequestInit = {}) => {
  const budget = journalBudget()
  const { available } = budget
  const journal = createJournal(1, callerRegistry(), budget)
  const received = await toReceivedRequest(new Request(`http://localhost${path}`, init), 2 ** 25, undefined)
  journal.record(resolveRequest(received), response, 0, 1.23456)
  return { journal, weight: available - budget.available }
}

describe('an entry of the journal', () => {
  it('has no property that does not apply', async () => {
    const { journal } = await journalOf(reply(404, [], undefined, {}))
    expect(journal.entry(1)).toStrictEqual({
      id: 1,
      time: '1970-01-01T00:00:00.000Z',
      milliseconds: 1.235,
      method: 'GET',
      url: '/other',
      status: 404,
      source: 'contract',
      assumptions: [],
      violations: [{ section: '4', detail: expect.stringContaining('The contract has no path /other'), in: 'request' }],
      request: { headers: {} },
      response: { headers: { 'plant-mock-source': 'contract' } },
    })
  })

  it('has the violations of a forwarded response, also if those of the request are known', async () => {
    const inResponse = { section: '4.2', detail: 'The body is no array', in: 'response' } as const
    const forwarded = { by: 'upstream', violations: [inResponse] } as const
    const journal = createJournal(1, callerRegistry(), journalBudget())
    const received = await toReceivedRequest(new Request('http://localhost/plants'), 2 ** 25)
    const call = { ...resolveRequest(received), violations: { violations: [] } }
    journal.record(call, reply(200, [], '{}', { forwarded }), 0, 1)
    expect(journal.entry(1)?.violations).toEqual([inResponse])
  })

  it('has every property that applies', async () => {
    const meta = { caller: token('alice'), problem: 'duplicate-id', fault: 'status', delay: 300 } as const
    const { journal } = await journalOf(reply(409, [], '{', meta), '/plants', {
      method: 'POST',
      headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
      body: '{"name":"n","tag":"t","id":1}',
    })
    expect(journal.entry(1)).toStrictEqual({
      id: 1,
      time: '1970-01-01T00:00:00.000Z',
      milliseconds: 1.235,
      operation: 'createPlant',
      caller: 'caller-1',
      method: 'POST',
      url: '/plants',
      status: 409,
      source: 'fault',
      assumptions: [],
      problem: 'duplicate-id',
      fault: 'status',
      delay: 300,
      violations: [],
      request: {
        headers: { authorization: 'Bearer caller-1', 'content-type': 'application/json' },
        body: '{"name":"n","tag":"t","id":1}',
        json: { name: 'n', tag: 't', id: 1 },
      },
      response: { headers: { 'plant-mock-source': 'fault; kind="status"; delay=300' }, body: '{' },
    })
  })

  it('has no body that an upstream still sends', async () => {
    async function* rest() {}
    const { journal } = await journalOf(reply(200, [], 'a', { forwarded: { by: 'upstream', rest: rest() } }))
    expect(journal.entry(1)?.response).toMatchObject({ bodyOmitted: true })
  })

  it('of nobody is not found by a caller', async () => {
    const { journal } = await journalOf(reply(200, [], '', {}))
    expect([journal.count(), journal.count({ caller: 'nobody' })]).toEqual([1, 0])
  })
})

it('lines of the journal are the latest after an id, in short', async () => {
  const { journal } = await journalOf(reply(200, [], 'a', {}))
  expect(journal.lines(0, 5).map((line) => [line.id, 'response' in line])).toEqual([[1, false]])
  expect([journal.lines(1, 5), journal.lines(0, 0)]).toEqual([[], []])
})

it('weighs three for each character of path, query and bodies, and two for those of headers', async () => {
  const weight = async (path: string, headers: Record<string, string> = {}, body = '') =>
    (await journalOf(reply(200, [], body, {}), path, { headers })).weight
  const none = await weight('/')
  expect((await weight('/', { a: 'x'.repeat(9) })) - none).toBe(2 * 10 + 2 * 24)
  expect((await weight(`/${'p'.repeat(10)}?${'q'.repeat(10)}`)) - none).toBe(60)
  expect((await weight('/', {}, 'x'.repeat(10))) - none).toBe(30)
})
