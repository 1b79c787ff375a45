import type { CallerKey, Pseudonym } from '../contract/caller.ts'
import type { Journal } from '../journal/journal.ts'
import type { Memory, Start } from './memory.ts'

export type ChangeSubject = 'plants' | 'assumptions' | 'faults' | 'requests'

export type CommandContext = {
  readonly start: Start
  readonly pseudonymOf: (caller: string) => Pseudonym
  readonly journal: Pick<Journal, 'entries' | 'count'>
}

/** Finds a caller's key by the token; in a shared log, also by the name. */
export type CallerKeys = {
  readonly keyOf: (caller: string) => CallerKey
  /** Takes only the token of a request. */
  readonly keyOfToken: (token: string) => CallerKey
}

export type CommandRoute = {
  /** Method and path. The argument is the `{parameter}` in the path, or else the body. */
  readonly at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  readonly summary: string
  /** The member of the response that contains the result. Default: the response has no body. */
  readonly result?: string
  /** Extracts and validates the argument in the body. Default: the route takes no body. */
  readonly body?: (body: unknown) => unknown
}

export type Ran<Result> = { readonly memory: Memory; readonly result: Result }

/** A command has one argument, as plain data: the body of its route. */
export type CommandRow<Argument, Result> = {
  /** The parts that change; empty for reads. Events and the shared log derive from this list. */
  readonly changes: readonly ChangeSubject[]
  /** Whether all replicas execute a command without visible changes, for example because it assigns names. */
  readonly isLogged?: true
  readonly showsPlants?: true
  /** Whether the command clears the journal, which is outside of the memory. */
  readonly clearsJournal?: true
  /** The argument with the keys of callers instead of their tokens. */
  readonly keyed?: (argument: Argument, keys: CallerKeys) => Argument
  readonly route?: CommandRoute
  /** A pure function. @throws PlantMockError for an invalid argument. */
  readonly run: (memory: Memory, argument: Argument, context: CommandContext) => Ran<Result>
}
