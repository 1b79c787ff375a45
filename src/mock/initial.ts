import { environmentAssume } from '../assumptions/environment.ts'
import { checkAssume, writeAssume } from '../assumptions/parse.ts'
import { type Assume, type Assumptions, defaultAssumptions } from '../assumptions/registry.ts'
import { variedBySeed } from '../assumptions/variations.ts'
import type { PlantMockOptions } from './options.ts'

/**
 * What a mock assumes at its start: defaults, a seed, tokens, the environment, its own options; later ones win.
 * @throws PlantMockError for an unknown assumption or value.
 */
export const initialAssumptions = (
  { vary, tokens, assume = {} }: PlantMockOptions,
  notice: (text: string) => void,
): Assumptions => ({
  ...defaultAssumptions,
  ...varied(vary, notice),
  ...(tokens !== undefined && { 'auth.tokens': 'listed' }),
  ...environmentAssume(),
  ...checkAssume(assume),
})

const varied = (seed: number | undefined, notice: (text: string) => void): Assume => {
  if (seed === undefined) return {}
  const assume = variedBySeed(seed)
  notice(`varied with seed ${seed}: ${writeAssume(assume) || 'everything as by default'}`)
  return assume
}
