import { assumeVariable, environmentAssume } from '../assumptions/environment.ts'
import { loadAssumptions } from '../assumptions/load-file.ts'
import { parseAssume } from '../assumptions/parse.ts'
import { type ResolvedAssumptions, resolveAssumptions } from '../assumptions/resolve.ts'
import type { CommandLine } from './parse.ts'
import type { Terminal } from './terminal.ts'

/**
 * Resolves the assumptions of a command from its flags, its assumptions file and the environment.
 * @throws PlantMockError for an unknown assumption or value, or an assumptions file that cannot be used.
 */
export const assumptionsOf = async (
  { values, flags }: Pick<CommandLine, 'values' | 'flags'>,
  environment: Terminal['environment'],
): Promise<ResolvedAssumptions> => {
  const { 'assumption-seed': seed, assumptions: file, token } = values
  return resolveAssumptions(
    {
      seed,
      file: file === undefined ? undefined : await loadAssumptions(file),
      hasTokens: token !== undefined,
      environment: environmentAssume({ [assumeVariable]: environment[assumeVariable] }),
      // Not `values.assume`, which merges flags and environment: their provenance differs.
      explicit: parseAssume(flags.get('assume') ?? []),
    },
    'flag',
  )
}
