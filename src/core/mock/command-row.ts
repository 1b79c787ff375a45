import type { CallerKey, Pseudonym } from '../contract/caller.ts'
import type { Journal } from '../journal/journal.ts'
import type { Coverage } from './coverage.ts'
import type { Memory, Start } from './memory.ts'

/** A part of a mock instance that a change concerns. */
export type ChangeSubject = 'plants' | 'assumptions' | 'faults' | 'requests' | 'coverage'

/** What commands know beside the memory of the instance. */
export type CommandContext = {
  readonly start: Start
  readonly pseudonymOf: (caller: string) => Pseudonym
  readonly journal: Pick<Journal, 'entries' | 'count'>
  readonly coverage: () => Coverage
}

/** The key of the caller whom a text names: a token, or in the log of a store also a name. */
export type CallerKeys = {
  readonly keyOf: (caller: string) => CallerKey
  /** The same for the token of a request. */
  readonly keyOfToken: (token: string) => CallerKey
}

/** A route of the control interface that runs a command. */
export type CommandRoute = {
  /** Method and path. A `{parameter}` in the path is the argument, which otherwise is the body. */
  readonly at: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  readonly summary: string
  /** The names of the schemas of body and response. */
  readonly body?: string
  readonly response?: string
  /** The member of the response that holds the result; without it, there is no response, or `true` for a parameter. */
  readonly result?: string
  /** The argument in a body, which it validates. Default: the body. */
  readonly parse?: (body: unknown) => unknown
}

/** The memory after a command, and its result. */
export type Ran<Result> = { readonly memory: Memory; readonly result: Result }

/** A command has one argument, as plain data: the body of its route. */
export type CommandRow<Argument, Result> = {
  /** The parts of the memory that it changes, unless its result is `0` or `false`; empty for reads. Events and the log of a store follow from it. */
  readonly changes: readonly ChangeSubject[]
  /** Whether every replica of a store executes it although it changes nothing that users are told of, such as names. */
  readonly isLogged?: true
  /** Whether its result shows plants. */
  readonly showsPlants?: true
  /** What it clears beside the memory. */
  readonly clears?: 'journal' | 'coverage'
  /** The argument with the keys of callers instead of their tokens. */
  readonly keyed?: (argument: Argument, keys: CallerKeys) => Argument
  readonly route?: CommandRoute
  /** A pure function. @throws PlantMockError for an invalid argument. */
  readonly run: (memory: Memory, argument: Argument, context: CommandContext) => Ran<Result>
}
