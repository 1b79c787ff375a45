import { seededRandom } from '../util/random.ts'
import type { AssumptionId, AssumptionValue } from './registry.ts'
import type { Factor } from './variations.ts'

/** One test of a covering array: a value for each factor. */
export type CoveringRow = readonly (readonly [AssumptionId, AssumptionValue])[]

/**
 * A covering array of strength 2: rows in which any two values of any two factors occur together at least once.
 * Deterministic: the random source of the greedy search has a fixed seed.
 */
export const coverPairs = (factors: readonly Factor[]): readonly CoveringRow[] => {
  const [first, second] = factors
  if (first === undefined) return []
  const rows =
    second === undefined
      ? first.values.map((value) => [value])
      : factors.every(({ values }) => values.length === 2)
        ? kleitmanSpencer(factors)
        : greedy(factors)
  return rows.map((row) => row.map((value, i) => [(factors[i] as Factor).id, value] as const))
}

type Row = readonly AssumptionValue[]
type PartialRow = readonly (AssumptionValue | undefined)[]

/**
 * The smallest covering array for factors of two values (Kleitman and Spencer, 1973). Each factor has its first value
 * in a different half of the rows, and all have it in row 0; so any two factors share row 0, differ in both directions,
 * and have a row in which both take the second value.
 */
const kleitmanSpencer = (factors: readonly Factor[]): readonly Row[] => {
  const halves = (rows: number): readonly number[] =>
    Array.from({ length: 2 ** (rows - 1) }, (_, half) => half).filter(
      (half) => countBits(half) === Math.floor(rows / 2) - 1,
    )
  let rows = 4
  while (halves(rows).length < factors.length) rows++
  const chosen = halves(rows)
  return [
    factors.map(({ values }) => values[0] as AssumptionValue),
    ...Array.from({ length: rows - 1 }, (_, row) =>
      factors.map(({ values }, i) => values[((chosen[i] ?? 0) >> row) & 1 ? 0 : 1] as AssumptionValue),
    ),
  ]
}

const countBits = (number: number): number => number.toString(2).replaceAll('0', '').length

/** How often an array of more than twice the lower bound, the product of the two largest factors, is tried again. */
const maxRestarts = 20
/** How many candidates each step of the greedy search chooses from. */
const candidatesPerRow = 30

const greedy = (factors: readonly Factor[]): readonly Row[] => {
  const random = seededRandom(1)
  const [largest = 1, next = 1] = factors.map(({ values }) => values.length).sort((a, b) => b - a)
  let best = greedyRows(factors, random)
  for (let restart = 0; restart < maxRestarts && best.length > 2 * largest * next; restart++) {
    const rows = greedyRows(factors, random)
    if (rows.length < best.length) best = rows
  }
  return best
}

type Pair = readonly [number, AssumptionValue, number, AssumptionValue]

/**
 * Each row starts from a random uncovered pair and takes, for every other factor in random order, the value that covers
 * most uncovered pairs.
 */
const greedyRows = (factors: readonly Factor[], random: () => number): readonly Row[] => {
  const uncovered = allPairs(factors)
  const rows: Row[] = []
  while (uncovered.size > 0) {
    const candidates = Array.from({ length: candidatesPerRow }, () => candidate(factors, uncovered, random))
    const best = candidates.reduce((a, b) => (gain(b, uncovered) > gain(a, uncovered) ? b : a))
    for (const pair of pairsIn(best)) uncovered.delete(pair)
    rows.push(best)
  }
  return rows
}

const pairKey = (i: number, a: AssumptionValue, j: number, b: AssumptionValue): string =>
  i < j ? `${i}=${a}&${j}=${b}` : `${j}=${b}&${i}=${a}`

const allPairs = (factors: readonly Factor[]): Map<string, Pair> => {
  const pairs = new Map<string, Pair>()
  for (const [i, first] of factors.entries())
    for (const [j, second] of factors.entries())
      if (i < j)
        for (const a of first.values) for (const b of second.values) pairs.set(pairKey(i, a, j, b), [i, a, j, b])
  return pairs
}

const pairsIn = (row: Row): readonly string[] =>
  row.flatMap((a, i) => row.slice(i + 1).map((b, k) => pairKey(i, a, i + 1 + k, b)))

const gain = (row: Row, uncovered: ReadonlyMap<string, Pair>): number =>
  pairsIn(row).filter((pair) => uncovered.has(pair)).length

const candidate = (factors: readonly Factor[], uncovered: ReadonlyMap<string, Pair>, random: () => number): Row => {
  const row: (AssumptionValue | undefined)[] = factors.map(() => undefined)
  const pairs = [...uncovered.values()]
  const [i, a, j, b] = pairs[Math.floor(random() * pairs.length)] as Pair
  row[i] = a
  row[j] = b
  for (const k of shuffled(factors.keys(), random)) row[k] ??= bestValue(k, factors, row, uncovered)
  return row as Row
}

const bestValue = (
  k: number,
  factors: readonly Factor[],
  row: PartialRow,
  uncovered: ReadonlyMap<string, Pair>,
): AssumptionValue => {
  const { values } = factors[k] as Factor
  const gains = values.map(
    (value) => row.filter((other, l) => other !== undefined && uncovered.has(pairKey(k, value, l, other))).length,
  )
  return values[gains.indexOf(Math.max(...gains))] as AssumptionValue
}

const shuffled = (indexes: Iterable<number>, random: () => number): readonly number[] =>
  [...indexes]
    .map((index) => [random(), index] as const)
    .sort(([a], [b]) => a - b)
    .map(([, index]) => index)
