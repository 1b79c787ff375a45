import { seededRandom } from '../util/random.ts'
import { parseAssume } from './parse.ts'
import {
  type Assume,
  type Assumption,
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  assumptionRegistry,
  defaultAssumptions,
  findAssumption,
  valuesOf,
} from './registry.ts'

export type VariationOptions = {
  /**
   * `each`: one variation for each alternative of each assumption, everything else as it is.
   * `pairs`: few variations in which any two values of any two assumptions meet at least once. Default: `each`.
   */
  readonly cover?: 'each' | 'pairs'
  /** Vary these alone: ids, or single values as `id=value`. Rare ones count when they are named here. */
  readonly only?: readonly (AssumptionId | `${AssumptionId}=${string}`)[]
  /** Vary the rare ones too, which break almost every client. Default: false. */
  readonly thorough?: boolean
  /** What is assumed without variation. Default: the defaults of the assumptionRegistry. */
  readonly base?: Assume
}

/** A named set of assumptions that differ from the base. */
export type Variation = { readonly name: string; readonly assume: Assume }

/**
 * The variations of what the mock assumes, for `describe.each` and the like. The same options give the same ones.
 * @throws PlantMockError for an unknown id or value in `only`.
 */
export const variations = (options: VariationOptions = {}): readonly Variation[] => {
  const base = { ...defaultAssumptions, ...options.base }
  const factors = factorsOf(base, options)
  return options.cover === 'pairs' ? coverPairs(factors, base) : coverEach(factors, base)
}

/** One assumption, with the values it takes in variations: the base value first. */
type Factor = { readonly id: AssumptionId; readonly values: readonly AssumptionValue[] }

const factorsOf = (base: Assumptions, { only, thorough = false }: VariationOptions): readonly Factor[] => {
  const rows = only === undefined ? assumptionRegistry.filter((row) => thorough || !row.rare) : undefined
  const all = (row: Assumption): Factor => ({
    id: row.id,
    values: [base[row.id], ...valuesOf(row).filter((value) => value !== base[row.id])],
  })
  if (rows !== undefined) return rows.map(all).filter(({ values }) => values.length > 1)
  const named = new Map<AssumptionId, Factor>()
  for (const text of only ?? []) {
    const [row, value] = readOnly(text)
    const values =
      value === undefined ? all(row).values : [...(named.get(row.id)?.values ?? [base[row.id]]), value]
    named.set(row.id, { id: row.id, values: [...new Set(values)] })
  }
  return [...named.values()].filter(({ values }) => values.length > 1)
}

const readOnly = (text: string): readonly [Assumption, AssumptionValue | undefined] => {
  const row = findAssumption(text)
  if (row !== undefined) return [row, undefined]
  // An unknown id without a value gets the message about ids, not the one about the form.
  const [[id, value] = ['', '']] = Object.entries(parseAssume([text.includes('=') ? text : `${text}=`]))
  return [findAssumption(id) as Assumption, value]
}

const coverEach = (factors: readonly Factor[], base: Assumptions): readonly Variation[] =>
  factors.flatMap(({ id, values }) =>
    values.filter((value) => value !== base[id]).map((value) => variation([[id, value]], base)),
  )

const variation = (
  entries: readonly (readonly [AssumptionId, AssumptionValue])[],
  base: Assumptions,
): Variation => {
  const changed = entries.filter(([id, value]) => value !== base[id])
  return {
    name: changed.map(([id, value]) => `${id}=${value}`).join(' ') || 'as it is',
    assume: Object.fromEntries(changed),
  }
}

/**
 * A covering set of pairs, built greedily: each new variation starts from the pair that is covered least, and
 * takes for every other assumption the value that meets most pairs not yet covered. Several orders are tried for
 * each, from a fixed seed, and the best one is kept.
 */
const coverPairs = (factors: readonly Factor[], base: Assumptions): readonly Variation[] => {
  const [only, second] = factors
  if (only === undefined) return []
  if (second === undefined) return coverEach(factors, base)
  if (factors.every(({ values }) => values.length === 2)) return coverPairsOfTwo(factors, base)
  const random = seededRandom(1)
  const [largest = 1, next = 1] = factors.map(({ values }) => values.length).sort((x, y) => y - x)
  let best = greedyRows(factors, random)
  for (let again = 0; again < restarts && best.length > 2 * largest * next; again++) {
    const rows = greedyRows(factors, random)
    if (rows.length < best.length) best = rows
  }
  return best
    .map((row) =>
      variation(
        row.map((value, i) => [(factors[i] as Factor).id, value]),
        base,
      ),
    )
    .filter(({ name }) => name !== 'as it is')
}

/** How often a set over twice the lower bound, the product of the two largest numbers of values, is tried anew. */
const restarts = 20

const greedyRows = (factors: readonly Factor[], random: () => number): readonly AssumptionValue[][] => {
  const open = openPairs(factors)
  const result: AssumptionValue[][] = []
  while (open.size > 0) {
    const candidates = Array.from({ length: tries }, () => candidate(factors, open, random))
    const best = candidates.reduce((a, b) => (gain(b, open) > gain(a, open) ? b : a))
    for (const pair of pairsIn(best)) open.delete(pair)
    result.push(best)
  }
  return result
}

/**
 * The smallest covering set where every assumption has two values (Kleitman and Spencer, 1973): of `rows` runs, each
 * assumption has its base value in half, in the first of them always, and no two assumptions in the same half. So
 * any two share the first run, differ both ways, and leave a run to neither.
 */
const coverPairsOfTwo = (factors: readonly Factor[], base: Assumptions): readonly Variation[] => {
  const halves = (rows: number): readonly number[] =>
    Array.from({ length: 2 ** (rows - 1) }, (_, half) => half).filter(
      (half) => bitsIn(half) === Math.floor(rows / 2) - 1,
    )
  let rows = 4
  while (halves(rows).length < factors.length) rows++
  const chosen = halves(rows)
  return Array.from({ length: rows - 1 }, (_, row) =>
    variation(
      factors.map(({ id, values }, i) => [
        id,
        values[((chosen[i] ?? 0) >> row) & 1 ? 0 : 1] as AssumptionValue,
      ]),
      base,
    ),
  )
}

const bitsIn = (number: number): number => number.toString(2).replaceAll('0', '').length

/** How many candidates each step of the greedy search chooses from. */
const tries = 30

type Row = readonly (AssumptionValue | undefined)[]

const pairKey = (i: number, a: AssumptionValue, j: number, b: AssumptionValue): string =>
  i < j ? `${i}=${a}&${j}=${b}` : `${j}=${b}&${i}=${a}`

const openPairs = (
  factors: readonly Factor[],
): Map<string, readonly [number, AssumptionValue, number, AssumptionValue]> => {
  const open = new Map<string, readonly [number, AssumptionValue, number, AssumptionValue]>()
  for (const [i, first] of factors.entries())
    for (const [j, second] of factors.entries())
      if (i < j)
        for (const a of first.values)
          for (const b of second.values) open.set(pairKey(i, a, j, b), [i, a, j, b])
  return open
}

const pairsIn = (row: Row): readonly string[] =>
  row.flatMap((a, i) =>
    row.flatMap((b, j) => (i < j && a !== undefined && b !== undefined ? [pairKey(i, a, j, b)] : [])),
  )

const gain = (row: Row, open: ReadonlyMap<string, unknown>): number =>
  pairsIn(row).filter((pair) => open.has(pair)).length

const candidate = (
  factors: readonly Factor[],
  open: ReadonlyMap<string, readonly [number, AssumptionValue, number, AssumptionValue]>,
  random: () => number,
): AssumptionValue[] => {
  const row: (AssumptionValue | undefined)[] = factors.map(() => undefined)
  const seeds = [...open.values()]
  const [i, a, j, b] = seeds[Math.floor(random() * seeds.length)] as (typeof seeds)[number]
  row[i] = a
  row[j] = b
  for (const k of shuffled(factors.keys(), random)) {
    if (row[k] !== undefined) continue
    const { values } = factors[k] as Factor
    const gains = values.map(
      (value) =>
        row.filter((other, l) => other !== undefined && open.has(pairKey(k, value, l, other))).length,
    )
    row[k] = values[gains.indexOf(Math.max(...gains))]
  }
  return row as AssumptionValue[]
}

const shuffled = (indexes: Iterable<number>, random: () => number): readonly number[] =>
  [...indexes]
    .map((index) => [random(), index] as const)
    .sort(([a], [b]) => a - b)
    .map(([, index]) => index)

/**
 * A value for every assumption but the rare ones, chosen from a seed. The same seed gives the same values.
 */
export const variedBySeed = (seed: number): Assume => {
  const random = seededRandom(seed)
  return Object.fromEntries(
    assumptionRegistry
      .filter(({ rare }) => !rare)
      .map((row) => {
        const values = valuesOf(row)
        return [row.id, values[Math.floor(random() * values.length)]]
      }),
  )
}
