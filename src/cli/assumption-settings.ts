import { loadAssumptions } from '../assumptions/load-file.ts'
import { parseAssume } from '../assumptions/parse.ts'
import type { Assume } from '../assumptions/registry.ts'
import type { AssumptionSource, Origin } from '../assumptions/resolve.ts'
import { variedBySeed } from '../assumptions/variations.ts'
import type { CommandLine } from './parse.ts'
import type { Terminal } from './terminal.ts'

/**
 * What is to be assumed, from all places, in the order in which they win: a seed, a file, `--token`, the
 * environment, flags.
 * @throws PlantMockError for what cannot be used.
 */
export const assumptionSources = async (
  { values, flags }: Pick<CommandLine, 'values' | 'flags'>,
  environment: Terminal['environment'],
): Promise<readonly AssumptionSource[]> => {
  const { vary, assumptions: file, token } = values
  const variable = environment.PLANT_MOCK_ASSUME ?? ''
  return [
    ...(vary === undefined ? [] : [source(variedBySeed(vary), { by: 'seed', seed: vary })]),
    ...(file === undefined ? [] : [await loadAssumptions(file)]),
    ...(token === undefined ? [] : [source({ 'auth.tokens': 'listed' }, { by: 'flag' })]),
    source(parseAssume(variable.split(',').filter((text) => text !== '')), { by: 'environment' }),
    source(parseAssume(flags.get('assume') ?? []), { by: 'flag' }),
  ]
}

const source = (values: Assume, origin: Origin): AssumptionSource => ({ values, origin: () => origin })
