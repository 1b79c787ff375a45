import { checkOptions, type OptionNames } from '../../util/check-options.ts'
import { isError } from '../../util/errors.ts'
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
  /** Vary only these: ids, or single values as `id=value`. Rare assumptions are varied when they are named here. */
  readonly only?: readonly (AssumptionId | `${AssumptionId}=${string}`)[]
  /** Try the further values too, and vary the rare assumptions, which break almost every client. Default: false. */
  readonly thorough?: boolean
  /** The assumptions to start from. Default: the defaults of the registry. */
  readonly base?: Assume
}

const optionNames: OptionNames<VariationOptions> = { only: true, thorough: true, base: true }

/** One assumption that differs from the base, with a name such as `list.order=newest`. */
export type Variation = { readonly name: string; readonly assume: Assume }

/** One assumption with the values to try. */
type Factor = { readonly id: AssumptionId; readonly values: readonly AssumptionValue[] }

/**
 * One variation for each alternative of each assumption, for `describe.each` and the like.
 * @throws PlantMockError for an unknown id or value in `only`.
 */
export const variations = (options: VariationOptions = {}): readonly Variation[] => {
  checkOptions(options, optionNames, 'variations')
  const base = { ...defaultAssumptions, ...options.base }
  return factorsOf(options).flatMap(({ id, values }) =>
    values.filter((value) => value !== base[id]).map((value) => ({ name: `${id}=${value}`, assume: { [id]: value } })),
  )
}

const factorsOf = ({ only, thorough = false }: VariationOptions): readonly Factor[] => {
  const tried = thorough ? allValuesOf : valuesOf
  return only === undefined
    ? assumptionRegistry.filter((row) => thorough || !row.rare).map((row) => ({ id: row.id, values: tried(row) }))
    : // An assumption without alternatives is named for its further values.
      namedFactors(only, (row) => (row.alternatives.length === 0 ? allValuesOf(row) : tried(row)))
}

const namedFactors = (
  only: readonly string[],
  all: (row: Assumption) => readonly AssumptionValue[],
): readonly Factor[] => {
  const factors = new Map<AssumptionId, readonly AssumptionValue[]>()
  for (const text of only) {
    const [row, value] = parseOnly(text)
    const values = value === undefined ? all(row) : [...(factors.get(row.id) ?? []), value]
    factors.set(row.id, [...new Set(values)])
  }
  return [...factors].map(([id, values]) => ({ id, values }))
}

const parseOnly = (text: string): readonly [Assumption, AssumptionValue | undefined] => {
  const row = findAssumption(text)
  if (row !== undefined) return [row, undefined]
  // Without "=", the message has to be about the id, not about the form ID=VALUE.
  const [[id, value] = ['', '']] = Object.entries(parseAssume([text.includes('=') ? text : `${text}=`]))
  return [findAssumption(id) as Assumption, value]
}

/**
 * Runs one test body under the base assumptions, then under each variation, and names the variations that break it.
 * @param body A test that creates its mock with the assumptions it receives.
 * @throws The body's own error if it fails under the base. Otherwise an AggregateError with the error of each variation
 *   that failed; its message names all of them.
 * @example
 * await underVariations({ cover: 'each' }, async (assume) => {
 *   const mock = createPlantMock({ assume })
 *   expect(await page(mock.fetch)).toContain('Aloe vera')
 * })
 */
export const underVariations = async (
  options: VariationOptions,
  body: (assume: Assume, name: string) => unknown,
): Promise<void> => {
  const { base = {} } = options
  await body(base, 'baseline')
  const planned = variations(options)
  const failures: { readonly variation: Variation; readonly error: unknown }[] = []
  for (const variation of planned)
    try {
      await body({ ...base, ...variation.assume }, variation.name)
    } catch (error) {
      failures.push({ variation, error })
    }
  if (failures.length === 0) return
  const lines = failures.map(({ variation, error }) => `  ${describe(variation)}\n    ${firstLine(error)}`)
  throw new AggregateError(
    failures.map(({ error }) => error),
    `${failures.length} of ${planned.length} variations break this test:\n${lines.join('\n')}`,
  )
}

const describe = ({ name, assume }: Variation): string => {
  const sections = Object.keys(assume).flatMap((id) => findAssumption(id)?.section ?? [])
  return `${name} (contract ${[...new Set(sections)].join(', ')})`
}

/** The full message of an assertion is long; with one for each variation, nobody would find the names. */
const firstLine = (error: unknown): string => (isError(error) ? error.message : String(error)).split('\n')[0] ?? ''
