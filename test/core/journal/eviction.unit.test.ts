import { describe, expect, it } from 'vitest'
import { bodyNotUtf8 } from '../../../src/core/http/exchange.ts'
import { type Reply, reply } from '../../../src/core/http/reply.ts'
import { type BudgetMember, enforceBudget, journalBudget, maxBodyWeight } from '../../../src/core/journal/budget.ts'
import { callerRegistry } from '../../../src/core/journal/callers.ts'
import { createJournal, type Journal } from '../../../src/core/journal/journal.ts'
import { toReceivedRequest } from '../../../src/core/mock/fetch.ts'
import { resolveRequest } from '../../../src/core/operations/call.ts'
import { token } from '../../support/callers.ts'

const ok = reply(200, ['Content-Type', 'application/json', 'Vary', 'Accept'], '[1]', {
  operation: 'listPlants',
  caller: token('alice'),
})
const alice = {
  authorization: 'Bearer alice',
  'content-type': 'application/json',
  'authorization-x': 'x',
  'x-authorization': 'x',
  'content-type-x': 'x',
  'x-content-type': 'x',
}

const evicted = async (path: string, init: RequestInit, response: Reply = ok) => {
  const budget = { ...journalBudget(), available: 1 }
  const journal = createJournal(10, callerRegistry(), budget)
  await record(journal, 1, response, path, init)
  return { budget, entry: journal.entry(1) }
}

const record = async (
  journal: Journal,
  receivedAt: number,
  response: Reply = ok,
  path = '/plants',
  init: RequestInit = { headers: alice },
): Promise<void> => {
  const received = await toReceivedRequest(new Request(`http://localhost${path}`, init), 2 ** 25, undefined)
  journal.record(resolveRequest(received), response, receivedAt, 1)
}

const memberOf = (name: string, times: number[], budget: { available: number }, order: string[]): BudgetMember => ({
  oldestBody: () => times[0] ?? Number.POSITIVE_INFINITY,
  evictOldestBody: () => {
    order.push(`${name} ${times.shift()}`)
    budget.available++
  },
})

describe('the budget of the journals', () => {
  const evictions = (available: number, ...members: number[][]): string[] => {
    const budget = { ...journalBudget(), available }
    const order: string[] = []
    for (const [index, times] of members.entries()) budget.members.add(memberOf(`m${index}`, times, budget, order))
    enforceBudget(budget)
    return order
  }

  it('evicts the oldest body of all journals until it holds', () => {
    expect(evictions(-3, [2, 5], [1, 3, 4])).toEqual(['m1 1', 'm0 2', 'm1 3'])
  })

  it('evicts nothing while it is used up exactly', () => {
    expect(evictions(0, [1])).toEqual([])
  })

  it('evicts no more than there is', () => {
    expect(evictions(-3, [1], [])).toEqual(['m0 1'])
  })

  it('evicts the body of the first journal of those with bodies of the same time', () => {
    expect(evictions(-1, [7], [7])).toEqual(['m0 7'])
  })

  it('is complete again after a clear and after a close, and counts no request after that', async () => {
    const budget = journalBudget()
    const { available } = budget
    const journal = createJournal(2, callerRegistry(), budget)
    for (let i = 0; i < 3; i++) await record(journal, i)
    const twoExchanges = available - budget.available
    journal.clear()
    expect([journal.latest, budget.available]).toEqual([3, available])
    await record(journal, 4)
    expect(available - budget.available).toBe(twoExchanges / 2)
    journal.close()
    await record(journal, 5)
    expect([budget.available, budget.members.size, journal.count()]).toEqual([available, 0, 0])
  })

  it('evicts bodies that were recorded after a clear', async () => {
    const budget = journalBudget()
    const journal = createJournal(3, callerRegistry(), budget)
    for (let i = 0; i < 5; i++) await record(journal, i)
    journal.clear()
    for (let i = 5; i < 8; i++) await record(journal, i)
    budget.available = -1
    enforceBudget(budget)
    const bodies = Array.from(journal.entries(), ({ id, response }) => [id, response.body])
    expect(bodies).toEqual([
      [6, undefined],
      [7, '[1]'],
      [8, '[1]'],
    ])
  })

  it('is not used by a journal that keeps nothing', async () => {
    const budget = journalBudget()
    const { available } = budget
    const journal = createJournal(0, callerRegistry(), budget)
    await record(journal, 1)
    expect([budget.available, journal.latest, journal.entry(1)]).toEqual([available, 1, undefined])
    for (const member of budget.members) member.evictOldestBody()
    expect(budget.available).toBe(available)
  })

  it('is reached for the oldest entry that the ring still has', async () => {
    const budget = journalBudget()
    const journal = createJournal(2, callerRegistry(), budget)
    for (let i = 0; i < 5; i++) await record(journal, 10 + i)
    const [member] = budget.members
    expect(member?.oldestBody()).toBe(13)
    member?.evictOldestBody()
    member?.evictOldestBody()
    expect(member?.oldestBody()).toBe(Number.POSITIVE_INFINITY)
    expect(Array.from(journal.entries(), ({ response }) => response.bodyOmitted)).toEqual([true, true])
  })
})

describe('an evicted entry', () => {
  it('keeps only Authorization and Content-Type of its headers', async () => {
    const { entry } = await evicted('/plants?limit=1', { headers: alice })
    expect(entry?.request).toEqual({
      headers: { authorization: 'Bearer caller-1', 'content-type': 'application/json' },
    })
    expect(entry?.response.headers).toEqual({ 'content-type': 'application/json', 'plant-mock-source': 'contract' })
    expect(entry).toMatchObject({ url: '/plants?limit=1', response: { bodyOmitted: true } })
  })

  it('keeps 500 characters of a longer URL and header', async () => {
    const long = 'x'.repeat(600)
    const { entry } = await evicted(`/p${long}?q=${long}`, { headers: { 'content-type': `text/${long}` } })
    expect(entry?.url).toBe(`/p${'x'.repeat(498)}`)
    expect(entry?.request.headers).toEqual({ 'content-type': `text/${'x'.repeat(495)}` })
  })

  it('keeps the violations of a query that is truncated, and 500 characters of each', async () => {
    const names = Array.from({ length: 30 }, (_, index) => `${index}${'x'.repeat(600)}`)
    const { entry } = await evicted(`/plants?${names.join('&')}`, { headers: alice })
    expect([entry?.violations.length, entry?.violationsOmitted]).toEqual([20, 10])
    expect(new Set(entry?.violations.map(({ detail }) => detail.length))).toEqual(new Set([500]))
  })

  it('keeps the essential headers and truncated violations of a response that the model did not make', async () => {
    const violations = [{ section: '1', detail: 'd'.repeat(600), in: 'response' as const }]
    const headers = ['CONTENT-TYPE', 'text/plain', 'X-Long', 'l', 'X-Authorization', 'a', 'Content-Type-Options', 'b']
    const { entry } = await evicted(
      '/plants',
      {},
      reply(200, headers, 'text', { forwarded: { by: 'upstream', violations } }),
    )
    expect(Object.keys(entry?.response.headers ?? {})).toEqual(['content-type', 'plant-mock-source'])
    expect(entry?.violations).toEqual([{ section: '1', detail: 'd'.repeat(500), in: 'response' }])
  })

  it('of an unchecked upstream response has the violations of the request', async () => {
    const { entry } = await evicted(
      '/plants?page=1',
      { headers: alice },
      reply(200, [], '', { forwarded: { by: 'upstream' } }),
    )
    expect(entry?.violations.map(({ section }) => section)).toEqual(['4.2'])
  })

  it('of a response that a fault made keeps the essential headers, and names the fault', async () => {
    const response = reply(503, ['Content-Type', 'text/plain', 'X-Long', 'l'], 'text', { fault: 'status', delay: 5 })
    const { entry } = await evicted('/plants', { headers: alice }, response)
    expect(entry).toMatchObject({ fault: 'status', delay: 5, source: 'fault' })
    expect(Object.keys(entry?.response.headers ?? {})).toEqual(['content-type', 'plant-mock-source'])
  })

  it('weighs nothing', async () => {
    const { budget, entry } = await evicted('/plants', { headers: alice })
    expect([budget.available, entry?.id]).toEqual([1, 1])
  })

  it('shares nothing with the next one, whose headers or query differ', async () => {
    const budget = { ...journalBudget(), available: 1 }
    const journal = createJournal(10, callerRegistry(), budget)
    const bob = { authorization: 'Bearer bob' }
    await record(journal, 1, ok, '/plants?limit=1', { headers: alice })
    await record(journal, 2, ok, '/plants?limit=2', { headers: alice })
    await record(journal, 3, reply(200, [], '', { operation: 'listPlants', caller: token('bob') }), '/plants?limit=2', {
      headers: bob,
    })
    const shown = Array.from(journal.entries(), ({ url, request }) => [url, request.headers['content-type']])
    expect(shown).toEqual([
      ['/plants?limit=1', 'application/json'],
      ['/plants?limit=2', 'application/json'],
      ['/plants?limit=2', undefined],
    ])
  })
})

describe('a body over its share of the budget', () => {
  const bodiesOf = async (length: number, response: Reply) => {
    const journal = createJournal(1, callerRegistry(), journalBudget())
    await record(journal, 1, response, '/plants', { method: 'POST', body: 'x'.repeat(length) })
    const entry = journal.entry(1)
    return [entry?.request.bodyOmitted ?? false, entry?.response.bodyOmitted ?? false]
  }
  const most = Math.floor(maxBodyWeight / 3)

  it('is not kept, while a smaller one of the same exchange is', async () => {
    const large = reply(200, [], 'x'.repeat(most + 1), {})
    expect(await bodiesOf(most + 1, ok)).toEqual([true, false])
    expect(await bodiesOf(most, large)).toEqual([false, true])
  })

  it('is said to be missing like one that is not text', async () => {
    const journal = createJournal(1, callerRegistry(), journalBudget())
    const received = await toReceivedRequest(new Request('http://localhost/plants'), 1, undefined)
    journal.record(resolveRequest({ ...received, body: bodyNotUtf8 }), ok, 1, 1)
    expect(journal.entry(1)?.request).toEqual({ headers: {}, bodyOmitted: true })
  })
})
