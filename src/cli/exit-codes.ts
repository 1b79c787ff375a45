import type { CliCommand } from './commands.ts'

type ExitCodeRow = {
  readonly code: number
  readonly shown?: string
  readonly meaning: Readonly<Partial<Record<CliCommand | 'all', string>>>
}

const cannotBind = 'the address cannot be bound'

const cannotShare = 'the store of --store cannot be used, or its mock was started with other options'

const bySecond = (signal: string): ExitCodeRow['meaning'] => {
  const meaning = `a second ${signal} ended the process`
  return { serve: meaning, verify: meaning, diff: meaning, vary: meaning, mutate: meaning }
}

const table = {
  success: {
    code: 0,
    meaning: {
      all: 'success',
      verify: 'all rules are kept',
      diff: 'nothing changed; with a COMMAND, every change is harmless',
      vary: 'no alternative breaks the client, apart from accepted alternatives (--update accepts all)',
      mutate: 'the tests kill every counted mutant, or reach --threshold; with --update, survivors are accepted',
    },
  },
  failure: {
    code: 1,
    meaning: {
      serve: `${cannotBind}; ${cannotShare}`,
      run: `${cannotBind}; ${cannotShare}`,
      verify: 'a rule is broken',
      diff: 'a rule is newly broken',
      vary: 'an alternative that is not accepted breaks the client',
      mutate: 'a counted mutant survives, or the score is below --threshold',
      all: 'standard output cannot be written, or plant-mock has a defect',
    },
  },
  usage: {
    code: 2,
    meaning: {
      all: 'a command, option, argument or file cannot be used',
      vary: `the test suite fails in the baseline run, or sends no request to a mock; an alternative is not judged; ${cannotBind}`,
      mutate: `the test suite fails in the baseline run, or exercises no mutant; a mutant is not judged; ${cannotBind}`,
    },
  },
  unreachable: {
    code: 3,
    meaning: {
      verify: 'the service cannot be reached, or the check is incomplete',
      diff: 'a service cannot be reached, or its check is incomplete',
    },
  },
  changed: {
    code: 4,
    meaning: {
      verify: 'with --expect, something changed',
      diff: 'something changed; with a COMMAND, a change breaks the command, or could not be judged',
    },
  },
  added: { code: 5, meaning: { diff: 'the later of two documents only adds information' } },
  notExecutable: { code: 126, meaning: { run: 'the command cannot be executed' } },
  notFound: { code: 127, meaning: { run: 'the command does not exist' } },
  signal: { code: 128, shown: '128 + N', meaning: { run: 'signal N ended the command' } },
  hungUp: { code: 129, meaning: bySecond('SIGHUP') },
  interrupted: {
    code: 130,
    meaning: {
      ...bySecond('SIGINT'),
      vary: 'stopped before the report was complete',
      mutate: 'stopped before the report was complete',
      verify: 'stopped before the report was complete',
      diff: 'stopped before the report was complete',
    },
  },
  terminated: { code: 143, meaning: bySecond('SIGTERM') },
} as const satisfies Record<string, ExitCodeRow>

type Table = typeof table

export type ExitCode = Table[keyof Table]['code']

export const exitCodes = Object.fromEntries(Object.entries(table).map(([name, { code }]) => [name, code])) as {
  readonly [Name in keyof Table]: Table[Name]['code']
}

export const exitCodeRows: readonly ExitCodeRow[] = Object.values<ExitCodeRow>(table)
