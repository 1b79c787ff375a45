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
  /** Converts a name or token in the `access` of plants. */
  readonly keyOf: (caller: string) => CallerKey
  /** Converts the token of a request. The token of a configured caller gets the key of the caller's name. */
  readonly keyOfToken: (token: string) => CallerKey
}

export type CommandRoute = {
  /** Method and path. The command's argument is the `{parameter}` in the path, or else the body. */
  readonly at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  readonly summary: string
  /** The member of the response that contains the result. Default: the response has no body. */
  readonly result?: string
  /** Extracts and validates the argument from the body. Default: the route takes no body. */
  readonly body?: (body: unknown) => unknown
}

export type Ran<Result> = { readonly memory: Memory; readonly result: Result }

/** A command has one argument of plain data, because a route sends the argument as its body. */
export type CommandRow<Argument, Result> = {
  /** The parts that change; empty for reads. Events and the shared log derive from this list. */
  readonly changes: readonly ChangeSubject[]
  /** Makes replicas execute the command although `changes` is empty, for example because it assigns names. */
  readonly isLogged?: true
  readonly showsPlants?: true
  /** The journal is not part of the memory, so `run` cannot clear it. */
  readonly clearsJournal?: true
  /** Replaces tokens of callers in the argument by their keys. */
  readonly keyed?: (argument: Argument, keys: CallerKeys) => Argument
  readonly route?: CommandRoute
  /** A pure function. @throws PlantMockError for an invalid argument. */
  readonly run: (memory: Memory, argument: Argument, context: CommandContext) => Ran<Result>
}
