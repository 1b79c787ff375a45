import { type Assume, findAssumption } from './registry.ts'
import { type Variation, type VariationOptions, variations } from './variations.ts'

/**
 * Runs one test body as it is, then under each variation, and names the ones that break it.
 * @param body A test that makes its mock with the assumptions it is given.
 * @throws The body's own error when it fails without variation; otherwise an AggregateError with one error for
 *   each variation that broke it, whose message names them all.
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
  await body(base, 'as it is')
  const planned = variations(options)
  const broken: { readonly variation: Variation; readonly error: unknown }[] = []
  for (const variation of planned)
    try {
      await body({ ...base, ...variation.assume }, variation.name)
    } catch (error) {
      broken.push({ variation, error })
    }
  if (broken.length === 0) return
  const lines = broken.map(({ variation, error }) => `  ${describe(variation)}\n    ${messageOf(error)}`)
  throw new AggregateError(
    broken.map(({ error }) => error),
    `${broken.length} of ${planned.length} variations break this test:\n${lines.join('\n')}`,
  )
}

const describe = ({ name, assume }: Variation): string => {
  const sections = Object.keys(assume).flatMap((id) => findAssumption(id)?.section ?? [])
  return `${name} (contract.md ${[...new Set(sections)].join(', ')})`
}

/** The first line: a whole comparison for each variation would bury the names. */
const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
