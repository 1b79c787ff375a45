import { describe, expect, it } from 'vitest'
import { type Hidden, hide, moveHidden, nothingHidden, takeHidden } from '../../../src/core/model/hidden.ts'

const lists = (hidden: Hidden, ...requests: readonly (readonly [caller: string, time: number])[]) => {
  let last = hidden
  return requests.map(([caller, time]) => {
    const taken = takeHidden(last, caller, time)
    last = taken.hidden
    return [...taken.excluded]
  })
}

describe('a created plant', () => {
  it('that is visible at once is never hidden, but its creator is known', () => {
    const hidden = hide(nothingHidden, 'alice', 0, 'immediate', 0)
    expect(lists(hidden, ['alice', 0])).toEqual([[]])
    expect([hidden.creators.has('alice'), hidden.creators.has('bob')]).toEqual([true, false])
  })

  it('is left out of as many lists of its creator; lists of others do not count', () => {
    const first = hide(nothingHidden, 'alice', 3, 'after-lists:2', 0)
    const hidden = hide(first, 'alice', 4, 'eventual', 0)
    const requests = ['alice', 'bob', 'alice', 'alice'].map((caller) => [caller, 0] as const)
    expect(lists(hidden, ...requests)).toEqual([[3, 4], [], [3], []])
  })

  it('is left out until its time has come', () => {
    const hidden = hide(nothingHidden, 'alice', 3, 'after-ms:500', 1_000)
    expect(lists(hidden, ['alice', 1_499], ['alice', 1_500], ['alice', 0])).toEqual([[3], [], []])
  })

  it('stays hidden at its new position, unless it is removed', () => {
    const hidden = [3, 4].reduce((hidden, at) => hide(hidden, 'alice', at, 'eventual', 0), nothingHidden)
    expect(
      lists(
        moveHidden(hidden, (at) => (at === 3 ? undefined : at - 1)),
        ['alice', 0],
      ),
    ).toEqual([[3]])
  })
})
