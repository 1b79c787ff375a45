import type { MaybePromise } from '../../util/maybe-promise.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { CallerKey } from '../contract/caller.ts'
import type { Faults } from '../faults/faults.ts'
import type { HiddenChanges } from '../operations/hidden-plants.ts'
import type { Service } from '../service/service.ts'
import type { PlantTable } from '../store/plant-table.ts'
import type { NamedSnapshots } from './named-snapshots.ts'
import type { ChangeSubject, WatchedService } from './observer.ts'
import type { Base, MockState } from './state.ts'

/** The parts of a mock instance that commands work on. */
export type CommandContext = {
  readonly state: MockState
  readonly service: Service
  readonly faults: Faults
  readonly base: Base
  /** Takes note of plants that users change, so that hidden ones stay hidden. */
  readonly hidden: HiddenChanges
  readonly watched: WatchedService | undefined
  readonly initialAssumptions: Assumptions
  readonly snapshots: NamedSnapshots<unknown>
  readonly onLoad: ((fixtures: PlantTable) => void) | undefined
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

/** A command has one argument, as plain data: the body of its route. */
export type CommandRow<Argument, Result> = {
  /** The parts of the state that it changes, unless its result is `0` or `false`; empty for reads. Events and the log of a store follow from it. */
  readonly changes: readonly ChangeSubject[]
  /** Whether every replica of a store executes it although it changes nothing that users are told of, such as names. */
  readonly isLogged?: true
  /** The argument with the keys of callers instead of their tokens. */
  readonly keyed?: (argument: Argument, keys: CallerKeys) => Argument
  readonly route?: CommandRoute
  /** @throws PlantMockError for an invalid argument; then nothing has changed. */
  readonly run: (context: CommandContext, argument: Argument) => MaybePromise<Result>
}

export const setAssumptions = (
  { state, service }: Pick<CommandContext, 'state' | 'service'>,
  values: Assumptions,
): void => {
  state.assumptions = values
  service.assume(values)
}
