import { checkOptions } from '../../util/check-options.ts'
import { parseAssume } from './parse.ts'
import {
  type Assume,
  type Assumption,
  type AssumptionId,
  type AssumptionValue,
  allValuesOf,
  assumptionRegistry,
  defaultAssumptions,
  findAssumption,
  valuesOf,
} from './registry.ts'

export type VariationOptions = {
  /** Assumptions to vary, as `id` or `id=value`. Default: every assumption that is not marked `rare`. */
  readonly only?: readonly (AssumptionId | `${AssumptionId}=${string}`)[]
  /** Also tries the rare assumptions and further values, like the option `--thorough` of `vary`. Default: false. */
  readonly thorough?: boolean
  /** The assumptions that each variation starts from. Default: `defaultAssumptions`. */
  readonly base?: Assume
}

/** Changes one assumption of the base. The name is `id=value`, such as `list.order=newest`. */
export type Variation = { readonly name: string; readonly assume: Assume }

/** Returns every alternative value, for `describe.each`. @throws PlantMockError for an unknown id or value. */
export const variations = (options: VariationOptions = {}): readonly Variation[] => {
  checkOptions(options, { only: 'list', thorough: 'switch', base: 'object' }, 'variations')
  const base = { ...defaultAssumptions, ...options.base }
  return [...valuesToTry(options)].flatMap(([id, values]) =>
    [...values].flatMap((value) => (value === base[id] ? [] : { name: `${id}=${value}`, assume: { [id]: value } })),
  )
}

type Values = ReadonlyMap<AssumptionId, Iterable<AssumptionValue>>

const valuesToTry = ({ only, thorough = false }: VariationOptions): Values => {
  const tried = thorough ? allValuesOf : valuesOf
  if (only === undefined)
    return new Map(assumptionRegistry.flatMap((row) => (thorough || !row.rare ? [[row.id, tried(row)]] : [])))
  const values = new Map<AssumptionId, Set<AssumptionValue>>()
  for (const text of only) {
    const [row, value] = parseOnly(text)
    const all = row.alternatives.length === 0 ? allValuesOf(row) : tried(row)
    values.set(row.id, new Set(value === undefined ? all : [...(values.get(row.id) ?? []), value]))
  }
  return values
}

const parseOnly = (text: string): readonly [Assumption, AssumptionValue | undefined] => {
  const row = findAssumption(text)
  if (row !== undefined) return [row, undefined]
  // Appends "=" to make `parseAssume` report an unknown id instead of a missing "=".
  const [[id, value] = ['', '']] = Object.entries(parseAssume([text.includes('=') ? text : `${text}=`]))
  return [findAssumption(id) as Assumption, value]
}
