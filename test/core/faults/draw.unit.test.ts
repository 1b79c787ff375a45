import { describe, expect, it } from 'vitest'
import type { CallerKey } from '../../../src/core/contract/caller.ts'
import type { Fault } from '../../../src/core/faults/fault.ts'
import { addFault, type FaultList, initialFaultList } from '../../../src/core/faults/fault-list.ts'
import { activeFaults, drawFaults, type FaultTarget, faultReply, withFaults } from '../../../src/core/faults/faults.ts'
import { reply } from '../../../src/core/http/reply.ts'
import { seededRandom } from '../../../src/util/random.ts'
import { pseudonym } from '../../support/callers.ts'

const nameOf = (caller: string) => pseudonym(`name of ${caller}`)
const target: FaultTarget = { operation: 'listPlants', caller: 'alice' as CallerKey, preferred: undefined }
const listOf = (...faults: readonly Fault[]) => faults.reduce(addFault, initialFaultList([], 1))

const send = (before: FaultList, count = 1) => {
  let list = before
  const replies = Array.from({ length: count }, () => {
    const draw = drawFaults(list, target, nameOf)
    list = draw.list
    const ok = reply(200, [], 'body', {})
    if (draw.drawn === undefined) return ok
    const problem = ({ status = 500 }) => reply(status, [], 'problem', { problem: 'simulated-failure' })
    return withFaults(faultReply(draw.drawn, problem) ?? ok, draw.drawn, target)
  })
  return { list, replies, statuses: replies.map(({ status }) => status), hits: list.entries.map(({ hits }) => hits) }
}

describe('the faults that a request meets', () => {
  it('are all that delay, and of the others the latest', () => {
    const { replies, hits } = send(listOf({ status: 500 }, { delay: 5 }, { status: 501 }, { delay: 7 }))
    expect(replies).toMatchObject([{ status: 501, meta: { delay: 12 } }])
    expect(hits).toEqual([1, 1, 1, 0])
  })

  it('are an earlier one when the latest is exhausted', () => {
    expect(send(listOf({ status: 500 }, { status: 501, times: 1 }), 2)).toMatchObject({
      statuses: [501, 500],
      hits: [1, 1],
    })
  })

  it('are drawn with their probability, from the source in the list', () => {
    const random = seededRandom(1)
    const expected = Array.from({ length: 50 }, () => (random() < 0.25 ? 500 : 200))
    // A fault without a probability consumes no random number.
    expect(send(listOf({ status: 500, probability: 0.25 }, { delay: 1 }), 50).statuses).toEqual(expected)
    expect(expected).toContain(500)
  })

  it('have a delay from their range, with both limits', () => {
    const { replies } = send(listOf({ delay: [10, 13] }), 50)
    expect([...new Set(replies.map(({ meta }) => meta.delay))].sort()).toEqual([10, 11, 12, 13])
  })

  it('are known by the operation and the caller that the service did not name', () => {
    expect(send(listOf({ malformed: true })).replies).toMatchObject([
      { body: 'bo', meta: { operation: 'listPlants', caller: 'alice', fault: 'malformed' } },
    ])
  })
})

describe('the list of faults', () => {
  it('keeps 100 exhausted faults, and all that still apply', () => {
    let list = initialFaultList([{ status: 500 }], 1)
    for (let count = 0; count < 150; count++) list = send(addFault(list, { status: 501, times: 1 })).list
    const shown = activeFaults(list, nameOf)
    expect([shown.length, shown[0]?.id]).toEqual([102, 'fault-151'])
    expect(shown.at(-1)).toMatchObject({ id: 'fault-1', hits: 0 })
  })
})
