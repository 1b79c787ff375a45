import type { CallerKey } from '../../core/contract/caller.ts'
import type { DrawnFaults } from '../../core/faults/faults.ts'
import type { RawHeaders } from '../../core/http/headers.ts'
import type { Forwarded, Reply } from '../../core/http/reply.ts'
import type { SecretMark } from '../../core/http/secret-mark.ts'
import type { CommandName } from '../../core/mock/commands.ts'

/** A request as the log has it: without tokens. */
export type LoggedExchange = {
  readonly method: string
  readonly path: string
  readonly query?: string
  readonly headers: RawHeaders
  readonly body?: string
  /** The body without its secrets, where fields of the plant have some. */
  readonly shownBody?: string
  /** Marks of the secrets in the body, which find them in the response. */
  readonly secretMarks?: readonly SecretMark[]
  /** The size of the body in bytes, where it differs from that of `body`. */
  readonly size?: number
  /** Why the body is missing. */
  readonly omitted?: 'too-large' | 'not-utf-8'
}

/** A response of something else, as the log has it: without tokens, and without bytes. */
export type LoggedReply = Pick<Reply, 'status' | 'headers' | 'body'> & {
  readonly meta: Omit<Reply['meta'], 'forwarded' | 'caller'> & {
    readonly caller: CallerKey | undefined
    readonly forwarded?: LoggedForwarded
  }
}

export type LoggedForwarded = Pick<Forwarded, 'by' | 'reason' | 'violations' | 'unchecked'> & {
  /** Whether the body was too large to be held. */
  readonly truncated: boolean
}

/** When a request was received, in milliseconds since 1970, and how long its response took until now. */
type Timed = { readonly received: number; readonly milliseconds: number }

/**
 * One step of the log. Every replica executes all of them in one order on its own copy of the mock, so that all copies
 * are equal. `session` selects an instance, which it creates.
 */
export type LogCommand = { readonly session?: string } & (
  | ({ readonly type: 'call'; readonly call: LoggedExchange } & Timed)
  /** The rest of a call, after the delay of its faults. */
  | ({ readonly type: 'play'; readonly call: LoggedExchange; readonly drawn: DrawnFaults } & Timed)
  /** Draws the faults of a call that an upstream handles. */
  | { readonly type: 'draw'; readonly call: LoggedExchange }
  /** The reply of the model to a call that an upstream handles. */
  | { readonly type: 'model'; readonly call: LoggedExchange }
  | ({ readonly type: 'record'; readonly call: LoggedExchange; readonly reply: LoggedReply } & Timed)
  | { readonly type: 'use' }
  /** Keeps the session in use for a while: somebody listens to its events. */
  | { readonly type: 'hold' }
  | { readonly type: 'drop'; readonly id: string }
  | { readonly type: 'name'; readonly callers: readonly CallerKey[] }
  /** A command of an instance. With `epoch`, it does nothing in a mock that has begun afresh since. */
  | { readonly type: 'run'; readonly name: CommandName; readonly argument?: unknown; readonly epoch?: string }
)
