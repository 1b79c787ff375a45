import { isError } from '../../util/is-error.ts'
import { type Assume, findAssumption } from './registry.ts'
import { type Variation, type VariationOptions, variations } from './variations.ts'

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
