import type { OperationId } from '../contract/operation-ids.ts'
import type { Exchange } from '../http/exchange.ts'
import type { ReplyMeta } from '../http/reply.ts'
import { findOperation } from '../operations/operations.ts'
import { authenticate, type Credentials } from './authenticate.ts'

/** An exchange with what is derived from it once: operation and credentials. */
export type Call = {
  readonly exchange: Exchange
  /** `undefined` for a request that is none of the contract's operations. */
  readonly operation: OperationId | undefined
  readonly credentials: Credentials
}

/** Resolves operation and credentials. Adapters do this once for each exchange. */
export const resolveCall = (exchange: Exchange): Call => ({
  exchange,
  operation: findOperation(exchange),
  credentials: authenticate(exchange.header('authorization')),
})

/** The metadata of a reply that are known before the call is handled. */
export const callMeta = ({ operation, credentials }: Call): Pick<ReplyMeta, 'operation' | 'caller'> => ({
  operation,
  caller: credentials.token,
})
