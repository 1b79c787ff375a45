import { checkOptions, type OptionNames } from '../util/check-options.ts'
import { coverPairs } from './covering-array.ts'
import { parseAssume } from './parse.ts'
import {
  type Assume,
  type Assumption,
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  allValuesOf,
  assumptionRegistry,
  defaultAssumptions,
  findAssumption,
  valuesOf,
} from './registry.ts'

export type VariationOptions = {
  /**
   * `each`: one variation for each alternative of each assumption; everything else stays as in `base`.
   * `pairs`: a covering array: few variations in which any two values of any two assumptions occur together at least
   * once. Default: `each`.
   */
  readonly cover?: 'each' | 'pairs'
  /** Vary only these: ids, or single values as `id=value`. Rare assumptions are varied when they are named here. */
  readonly only?: readonly (AssumptionId | `${AssumptionId}=${string}`)[]
  /** Try the further values too, and vary the rare assumptions, which break almost every client. Default: false. */
  readonly thorough?: boolean
  /** The assumptions to start from. Default: the defaults of the registry. */
  readonly base?: Assume
}

const optionNames: OptionNames<VariationOptions> = { cover: true, only: true, thorough: true, base: true }

/** A named set of assumptions that differ from the base. */
export type Variation = { readonly name: string; readonly assume: Assume }

/** One assumption with the values that it takes in variations; the base value is the first. */
export type Factor = { readonly id: AssumptionId; readonly values: readonly AssumptionValue[] }

/**
 * The variations of the assumptions, for `describe.each` and the like. Equal options give equal variations.
 * @throws PlantMockError for an unknown id or value in `only`.
 */
export const variations = (options: VariationOptions = {}): readonly Variation[] => {
  checkOptions(options, optionNames, 'variations')
  const base = { ...defaultAssumptions, ...options.base }
  const factors = factorsOf(base, options)
  if (options.cover !== 'pairs') return coverEach(factors, base)
  return coverPairs(factors)
    .map((row) => variation(row, base))
    .filter(({ assume }) => Object.keys(assume).length > 0)
}

const factorsOf = (base: Assumptions, { only, thorough = false }: VariationOptions): readonly Factor[] => {
  const factor = (row: Assumption, values: readonly AssumptionValue[]): Factor => ({
    id: row.id,
    values: [base[row.id], ...values.filter((value) => value !== base[row.id])],
  })
  const tried = thorough ? allValuesOf : valuesOf
  const factors =
    only === undefined
      ? assumptionRegistry.filter((row) => thorough || !row.rare).map((row) => factor(row, tried(row)))
      : // An assumption without alternatives is named for its further values.
        namedFactors(only, base, (row) => factor(row, row.alternatives.length === 0 ? allValuesOf(row) : tried(row)))
  return factors.filter(({ values }) => values.length > 1)
}

const namedFactors = (
  only: readonly string[],
  base: Assumptions,
  all: (row: Assumption) => Factor,
): readonly Factor[] => {
  const factors = new Map<AssumptionId, Factor>()
  for (const text of only) {
    const [row, value] = parseOnly(text)
    const values = value === undefined ? all(row).values : [...(factors.get(row.id)?.values ?? [base[row.id]]), value]
    factors.set(row.id, { id: row.id, values: [...new Set(values)] })
  }
  return [...factors.values()]
}

const parseOnly = (text: string): readonly [Assumption, AssumptionValue | undefined] => {
  const row = findAssumption(text)
  if (row !== undefined) return [row, undefined]
  // Without "=", the message has to be about the id, not about the form ID=VALUE.
  const [[id, value] = ['', '']] = Object.entries(parseAssume([text.includes('=') ? text : `${text}=`]))
  return [findAssumption(id) as Assumption, value]
}

const coverEach = (factors: readonly Factor[], base: Assumptions): readonly Variation[] =>
  factors.flatMap(({ id, values }) =>
    values.filter((value) => value !== base[id]).map((value) => variation([[id, value]], base)),
  )

const variation = (values: readonly (readonly [AssumptionId, AssumptionValue])[], base: Assumptions): Variation => {
  const changed = values.filter(([id, value]) => value !== base[id])
  return {
    name: changed.map(([id, value]) => `${id}=${value}`).join(' '),
    assume: Object.fromEntries(changed),
  }
}
