import { describe, expect, it } from 'vitest'
import type { Fault } from '../../../src/core/faults/fault.ts'
import { faultList } from '../../../src/core/faults/fault-list.ts'
import { createFaults } from '../../../src/core/faults/faults.ts'
import { toExchange } from '../../../src/core/mock/fetch.ts'
import { reply } from '../../../src/core/http/reply.ts'
import { resolveCall } from '../../../src/core/operations/call.ts'
import { pseudonym } from '../../support/callers.ts'

/** The faults of a list around a service that answers 200, with these random numbers. */
const faultsOf = (initial: readonly Fault[], ...randoms: number[]) => {
  const list = faultList([])
  for (const fault of initial) list.add(fault)
  const waited: number[] = []
  const { handle, active, pending } = createFaults({
    list,
    handle: () => reply(200, [], 'body', {}),
    problem: ({ status = 500 }) => reply(status, [], 'problem', { problem: 'simulated-failure' }),
    random: () => randoms.shift() ?? 0,
    wait: async (milliseconds) => void waited.push(milliseconds),
    pseudonymOf: (caller) => pseudonym(`name of ${caller}`),
    prefer: true,
  })
  const send = async (token = 'alice') => {
    const request = new Request('http://localhost/plants', { headers: { authorization: `Bearer ${token}` } })
    return handle(resolveCall(await toExchange(request, 1, undefined)))
  }
  const hits = () => active().map((fault) => fault.hits)
  return { list, waited, active, pending, send, hits }
}

describe('the faults that a request meets', () => {
  it('are all that delay, and of the others the latest', async () => {
    const { send, hits, waited } = faultsOf([{ status: 500 }, { delay: 5 }, { status: 501 }, { delay: 7 }])
    const { status, meta } = await send()
    expect([status, meta.delay, waited]).toEqual([501, 12, [12]])
    expect(hits()).toEqual([1, 1, 1, 0])
  })

  it('are an earlier one when the latest is exhausted', async () => {
    const { send, hits } = faultsOf([{ status: 500 }, { status: 501, times: 1 }])
    expect([(await send()).status, (await send()).status]).toEqual([501, 500])
    expect(hits()).toEqual([1, 1])
  })

  it('are drawn with their probability', async () => {
    const { send } = faultsOf([{ status: 500, probability: 0.25 }], 0.24, 0.25, 0.26)
    expect([(await send()).status, (await send()).status, (await send()).status]).toEqual([500, 200, 200])
  })

  it('use no random number without a probability', async () => {
    const { send } = faultsOf([{ status: 500 }, { status: 501, probability: 0.5 }], 0.9, 0.1)
    expect([(await send()).status, (await send()).status]).toEqual([500, 501])
  })

  it('have a delay from their range, with both limits', async () => {
    const { send, waited } = faultsOf([{ delay: [10, 13] }], 0, 0.5, 0.999)
    for (let count = 0; count < 3; count++) await send()
    expect(waited).toEqual([10, 12, 13])
  })

  it('are known by the operation and the caller that the service did not name', async () => {
    const { send } = faultsOf([{ malformed: true }])
    const { body, meta } = await send()
    expect([body, meta.operation, meta.caller, meta.fault]).toEqual(['bo', 'listPlants', 'alice', 'malformed'])
  })
})

describe('the list of faults', () => {
  it('keeps 100 exhausted faults, and all that still apply', async () => {
    const { list, active } = faultsOf([{ status: 500 }])
    for (let count = 0; count < 150; count++) {
      const added = list.add({ status: 501, times: 1 })
      added.hits = 1
    }
    expect(active()).toHaveLength(102)
    expect(active().at(-1)).toMatchObject({ id: 'fault-1', hits: 0 })
    expect(active()[0]?.id).toBe('fault-151')
  })

  it('shows what is pending and what remains', async () => {
    const { send, active, pending } = faultsOf([{ delay: 1 }, { status: 500, times: 2 }])
    const ids = (faults: readonly { id: string }[]) => faults.map(({ id }) => id).join(' ')
    expect(ids(pending())).toBe('fault-2 fault-1')
    await send()
    expect(ids(pending())).toBe('fault-2')
    expect(active().map(({ remaining }) => remaining)).toEqual([1, undefined])
    await send()
    expect(ids(pending())).toBe('')
  })
})
