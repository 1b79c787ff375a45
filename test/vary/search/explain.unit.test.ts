import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { explain } from '../../../src/vary/search/explain.ts'

type Options = {
  /** The exchanges of the tests before it, among all. */
  readonly earlier?: number
}

/** Explains a test of a file with `count` exchanges that differ, numbered 1, 4, 7 and so on. */
const search = async (
  count: number,
  fails: (applied: readonly number[], run: number) => boolean,
  { earlier = 0 }: Options = {},
) => {
  const all = Array.from({ length: count }, (_, index) => 3 * index + 1)
  const differences = all.map((exchange) => ({
    exchange,
    name: `listPlants ${exchange}`,
    request: `GET /plants?limit=${exchange}`,
    diff: [],
  }))
  let runs = 0
  const { verdict, exchanges, differing } = await explain(async (names = differences.map(({ name }) => name)) => ({
    failed: fails(
      names.map((name) => (Number(name.split(' ')[1]) - 1) / 3),
      ++runs,
    ),
    differing: differences.slice(earlier),
    earlier: differences.slice(0, earlier),
  }))
  return { verdict, differing, runs, positions: exchanges.map(({ exchange }) => (exchange - 1) / 3) }
}
const mostRuns = (count: number) => Math.ceil(Math.log2(count)) + 2

describe('the search for the exchange that breaks a test', () => {
  it('finds the one exchange that does, in log2 n + 2 runs', async () => {
    const sizes = fc.integer({ min: 1, max: 70 }).chain((count) => fc.tuple(fc.constant(count), fc.nat(count - 1)))
    await fc.assert(
      fc.asyncProperty(sizes, fc.nat(70), async ([count, wanted], earlier) => {
        const { verdict, positions, runs } = await search(
          earlier + count,
          (applied) => applied.includes(earlier + wanted),
          { earlier },
        )
        expect([verdict, positions, runs <= mostRuns(count)]).toEqual(['alone', [earlier + wanted], true])
      }),
    )
  })

  it('finds a set that ends with the last of those that only together do, in as few runs', async () => {
    const pairs = fc.uniqueArray(fc.nat(30), { minLength: 2, maxLength: 2 })
    await fc.assert(
      fc.asyncProperty(pairs, async (pair) => {
        const { verdict, positions, runs } = await search(31, (applied) => pair.every((one) => applied.includes(one)))
        expect([verdict, positions.at(-1), runs <= mostRuns(31)]).toEqual(['together', Math.max(...pair), true])
        expect(pair.every((one) => positions.includes(one))).toBe(true)
      }),
    )
  })

  it.each([
    ['alone', [2], [2]],
    ['alone', [0], [0]],
    ['together', [1, 5], [0, 1, 2, 3, 4, 5]],
    ['together', [4, 6], [4, 5, 6]],
    ['together', [4, 7], [4, 5, 6, 7]],
  ] as const)(
    'finds what breaks it %s if exchanges 0 to 3 are of earlier tests: %j',
    async (kind, needed, expected) => {
      const { verdict, positions } = await search(8, (applied) => needed.every((one) => applied.includes(one)), {
        earlier: 4,
      })
      expect([verdict, positions]).toEqual([kind, expected])
    },
  )

  it.each([
    ['the test passes with all of them', 4, () => false],
    ['the test fails although no response differs', 0, () => true],
  ])('calls the test flaky if %s', async (_, count, fails) => {
    const { verdict, positions, runs } = await search(count, fails)
    expect([verdict, positions, runs]).toEqual(['flaky', [], 1])
  })

  it('does not take a run for a proof in which the exchange did not occur', async () => {
    const all = [1, 2, 3, 4].map((exchange) => ({
      exchange,
      name: `createPlant ${exchange}`,
      request: 'POST /plants',
      diff: [],
    }))
    const { verdict } = await explain(async (names) => ({
      failed: names === undefined || names.length > 2,
      differing: names?.length === 1 ? [] : all,
      earlier: [],
    }))
    expect(verdict).toBe('flaky')
  })

  it('calls the test flaky if it fails with its one exchange, and then passes with it', async () => {
    expect(await search(1, (_, run) => run === 1)).toMatchObject({ verdict: 'flaky', positions: [], runs: 2 })
  })
})
