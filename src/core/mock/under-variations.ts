import { messageOf } from '../../util/words.ts'
import { type Assume, findAssumption } from '../assumptions/registry.ts'
import { type Variation, type VariationOptions, variations } from '../assumptions/variations.ts'

/**
 * Runs one test body under the base assumptions, then under each variation, and names the variations that break it.
 * @param body A test that creates its mock with the given assumptions.
 * @throws The body's own error if the body fails under the base. If variations fail, an AggregateError with their
 * errors; its message names every failed variation.
 * @example
 * await underVariations({}, async (assume) => {
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
    // The full messages of assertions are long, and would hide the names of the variations.
    const [firstLine] = messageOf(error).split('\n')
    return `  ${name} (contract ${sections.join(', ')})\n    ${firstLine}`
  })
  throw new AggregateError(
    failures.map(({ error }) => error),
    `${failures.length} of ${planned.length} variations break this test:\n${lines.join('\n')}`,
  )
}
