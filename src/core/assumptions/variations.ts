import { checkOptions } from '../../util/check-options.ts'
import { messageOf } from '../../util/words.ts'
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

/** One assumption that differs from the base, with a name such as `list.order=newest`. */
export type Variation = { readonly name: string; readonly assume: Assume }

/**
 * One variation for each alternative of each assumption, for `describe.each` and the like.
 * @throws PlantMockError for an unknown id or value in `only`.
 */
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
    // An assumption without alternatives is named for its further values.
    const all = row.alternatives.length === 0 ? allValuesOf(row) : tried(row)
    values.set(row.id, new Set(value === undefined ? all : [...(values.get(row.id) ?? []), value]))
  }
  return values
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
  const lines = failures.map(({ variation: { name, assume }, error }) => {
    const sections = Object.keys(assume).map((id) => findAssumption(id)?.section)
    // The full message of an assertion is long; with one for each variation, nobody would find the names.
    const [firstLine] = messageOf(error).split('\n')
    return `  ${name} (contract ${sections.join(', ')})\n    ${firstLine}`
  })
  throw new AggregateError(
    failures.map(({ error }) => error),
    `${failures.length} of ${planned.length} variations break this test:\n${lines.join('\n')}`,
  )
}
