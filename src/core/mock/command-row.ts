import type { CallerKey, Pseudonym } from '../contract/caller.ts'
import type { Journal } from '../journal/journal.ts'
import type { Memory, Start } from './memory.ts'

export type ChangeSubject = 'plants' | 'assumptions' | 'faults' | 'requests'

export type CommandContext = {
  readonly start: Start
  readonly pseudonymOf: (caller: string) => Pseudonym
  readonly journal: Pick<Journal, 'entries' | 'count'>
}

export type CallerKeys = {
  readonly keyOf: (caller: string) => CallerKey
  readonly keyOfToken: (token: string) => CallerKey
}

export type CommandRoute = {
  readonly at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  readonly summary: string
  readonly result?: string
  readonly body?: (body: unknown) => unknown
}

export type Ran<Result> = { readonly memory: Memory; readonly result: Result }

export type CommandRow<Argument, Result> = {
  /** The parts that the command changes. Events and the replication log derive from this list. */
  readonly changes: readonly ChangeSubject[]
  readonly isLogged?: true
  readonly showsPlants?: true
  readonly clearsJournal?: true
  readonly keyed?: (argument: Argument, keys: CallerKeys) => Argument
  readonly route?: CommandRoute
  /** Must be a pure function, because replicas and observers repeat commands. */
  readonly run: (memory: Memory, argument: Argument, context: CommandContext) => Ran<Result>
}
