import type { CommandLine, RunCliCommand } from '../../cli/command.ts'
import { suiteCommand } from '../../cli/repeat-command.ts'
import { type Assume, type Assumptions, findAssumption } from '../../core/assumptions/registry.ts'
import type { Alternative } from '../evidence/evidence.ts'
import { alternativesFile } from '../evidence/test-process.ts'
import { type AlternativeKey, lookForValues } from '../suite/observe.ts'
import { openSuiteSession, type PastRun, type SuiteSession } from '../suite/suite-session.ts'
import type { Findings } from './find-causes.ts'
import { summarise } from './summary.ts'

/** The alternatives to try, by key. */
export type Planned = ReadonlyMap<AlternativeKey, Alternative>

export type VarySessionOptions = {
  readonly base: Assumptions
  readonly planned: Planned
  readonly output: string
  readonly folder: string
  readonly signal: AbortSignal
  readonly terminal: Parameters<RunCliCommand>[1]
}

/** The runs of one `vary`. */
export const openSession = (
  line: CommandLine,
  { base, planned, ...options }: VarySessionOptions,
): Promise<SuiteSession> => {
  // With the value of the base, a run tells whether an alternative in force was visible.
  const ids = [...new Set([...planned.values()].map(({ id }) => id))]
  const compared = [...planned.values(), ...ids.map((id) => ({ id, value: base[id] }))]
  const keys = [...planned.keys()]
  const assumeOf = assumeIn(planned)
  return openSuiteSession(line, {
    ...options,
    base,
    planned: { count: planned.size, noun: 'alternative' },
    assumeOf: ({ set }) => assumeOf(set),
    filesOf: ({ set }) => {
      const inForce = Object.keys(assumeOf(set))
      return {
        [alternativesFile]: compared.map(({ id, value }) => ({
          id,
          value,
          isShown: value === base[id] && inForce.includes(id),
        })),
      }
    },
    lookoutOf: ({ set }) => lookForValues({ base, set, planned: keys, compared }),
  })
}

const assumeIn =
  (planned: Planned) =>
  (set: readonly AlternativeKey[]): Assume =>
    Object.fromEntries(set.flatMap((key) => planned.get(key) ?? []).map(({ id, value }) => [id, value]))

export const varyReport = (
  line: CommandLine,
  { base, planned }: Pick<VarySessionOptions, 'base' | 'planned'>,
  { runs, ...session }: SuiteSession,
  findings: Findings,
  milliseconds: number,
) => {
  const fixed = new Set(runs.flatMap(({ evidence }) => [...evidence.fixed]))
  return {
    ...summarise(findings, [...planned.keys()], fixed, runs),
    ...session.summary(milliseconds),
    command: line.rest,
    base,
    assumeOf: assumeIn(planned),
    repeatOf: (set: readonly AlternativeKey[]) => suiteCommand(line, 'vary', set),
    /** The failed run with the smallest set that contains these alternatives. */
    failedRunOf: (set: readonly AlternativeKey[]): FailedRun | undefined =>
      runs
        .filter(({ passed, set: all }) => !passed && set.every((key) => all.includes(key)))
        .toSorted((a, b) => a.set.length - b.set.length)[0],
    rowOf: (key: AlternativeKey) => findAssumption(planned.get(key)?.id ?? ''),
  }
}

type FailedRun = Pick<PastRun, 'output' | 'outcome' | 'differences'>

export type VaryReport = ReturnType<typeof varyReport>
