import { judgeChanges } from '../vary/search/judge-changes.ts'
import type { Change } from '../verify/read/change.ts'
import type { Drift } from '../verify/report/changes-report.ts'
import { assumptionsOf } from './assumption-settings.ts'
import { optionsOfSuites } from './check-options.ts'
import type { CommandLine, Terminal } from './command.ts'
import type { Values } from './options.ts'
import { suiteCommand } from './repeat-command.ts'
import { suiteRequest } from './suite-request.ts'

type DriftOptions = {
  /** The assumptions file from before the changes. */
  readonly earlier: string
  readonly changes: readonly Change[]
  /** Further observations that are new. */
  readonly alsoKnown: readonly Change[]
  readonly signal: AbortSignal
}

/**
 * Judges changes by the command after `--`. The other options of `verify` describe the service: the mock does not know its token.
 * @throws PlantMockError when the suite fails without a change, or sends no request to a mock.
 */
export const judgeDrift = async (
  line: CommandLine,
  terminal: Terminal,
  { earlier, signal, ...changes }: DriftOptions,
): Promise<Pick<Drift, 'changes' | 'together'>> => {
  const { values, rest } = line
  const { assumptions: base } = await assumptionsOf({ ...line, values: { assumptions: earlier } }, terminal)
  const ofSuite = optionsOfSuites.filter((name) => values[name] !== undefined)
  const suiteValues: Values = Object.fromEntries(ofSuite.map((name) => [name, values[name]]))
  const flagNames: readonly string[] = ['assume', ...optionsOfSuites]
  const flags = new Map([['assumptions', [earlier]], ...[...line.flags].filter(([name]) => flagNames.includes(name))])
  return judgeChanges(await suiteRequest(line, suiteValues, terminal, { base, signal }), {
    ...changes,
    repeatOf: (set) => suiteCommand({ flags, rest }, 'vary', set),
  })
}
