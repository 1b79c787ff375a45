import { environmentAssume, parseAssume } from '../core/assumptions/parse.ts'
import { resolveAssumptions } from '../core/assumptions/resolve.ts'
import type { CommandLine, Terminal } from './command.ts'

/** @throws PlantMockError for an unknown assumption or value, or an assumptions file that cannot be used. */
export const assumptionsOf = async (
  { command, values, flags }: CommandLine,
  { environment }: Pick<Terminal, 'environment'>,
) => {
  const { assumptions: file, token } = values
  return resolveAssumptions(
    {
      // perf: few runs have a file; `npm run bench` measures the start of `serve`.
      file: file === undefined ? undefined : await (await import('../verify/sources/load.ts')).loadAssumptions(file),
      // `verify` sends its token to a service; for other commands, tokens limit what the mock accepts.
      hasTokens: command !== 'verify' && token !== undefined,
      environment: environmentAssume(environment),
      // `values.assume` also contains the environment, which has another provenance.
      explicit: parseAssume(flags.get('assume') ?? []),
    },
    'flag',
  )
}
