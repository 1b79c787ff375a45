import type { Assumptions } from '../assumptions/registry.ts'
import type { Pseudonym } from '../contract/caller.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import { type ShownViolations, showViolations } from '../contract/violation.ts'
import type { Body } from '../http/exchange.ts'
import { headerValue, type RawHeaders } from '../http/headers.ts'
import type { Forwarded, ReplyMeta } from '../http/reply.ts'
import type { SecretMark } from '../http/secret-mark.ts'
import { requestViolations } from '../service/violations.ts'

/** Who or what decides a response. */
export const journalSources = ['contract', 'assumption', 'fault', 'upstream', 'fallback', 'handlers'] as const
export type JournalSource = (typeof journalSources)[number]

/**
 * An exchange as the journal keeps it. Everything else is derived when somebody reads it.
 *
 * perf: the ring reuses these objects for later exchanges; objects that survive each request would be promoted to the
 * old generation, where collecting them is expensive (`npm run bench`, GET with journal).
 */
export type Recorded = {
  id: number
  /** When the request was received, in milliseconds since 1970. */
  received: number
  /** From the request to the response being ready. */
  milliseconds: number
  method: string
  path: string
  query: string
  headers: RawHeaders
  /** Of secrets that the headers do not have any more. */
  secretMarks: readonly SecretMark[] | undefined
  body: Body
  status: number
  responseHeaders: RawHeaders
  responseBody: Body
  operation: OperationId | undefined
  pseudonym: Pseudonym | undefined
  problem: ReplyMeta['problem']
  assumptions: ReplyMeta['assumptions']
  /** The assumptions that were in force; `undefined` where none decided. */
  values: Assumptions | undefined
  fault: ReplyMeta['fault']
  delay: number
  /** Without the bytes, which `responseBody` has as text. */
  forwarded: (Pick<Forwarded, 'by' | 'reason' | 'unchecked'> & Partial<ShownViolations>) | undefined
  /** Found when they were first asked for, at the latest before the query was truncated. */
  found: ShownViolations | undefined
  /** Its share of the budget; see `weighExchange`. */
  weight: number
}

/** An unused entry. Fractions keep V8 from changing the representation of number fields later. */
export const unusedEntry = (): Recorded => ({
  id: -1,
  received: 0.5,
  milliseconds: 0.5,
  method: '',
  path: '',
  query: '',
  headers: [],
  secretMarks: undefined,
  body: undefined,
  status: 0,
  responseHeaders: [],
  responseBody: undefined,
  operation: undefined,
  pseudonym: undefined,
  problem: undefined,
  assumptions: [],
  values: undefined,
  fault: undefined,
  delay: 0,
  forwarded: undefined,
  found: undefined,
  weight: 0,
})

/** Whether the response is the model's, changed by no fault. */
export const isOwn = ({ fault, forwarded }: Recorded): boolean => fault === undefined && forwarded === undefined

export const sourceOf = ({ fault, assumptions, forwarded }: Recorded): JournalSource => {
  if (fault !== undefined) return 'fault'
  if (forwarded !== undefined) return forwarded.by
  return assumptions.length === 0 ? 'contract' : 'assumption'
}

/** The violations found when the exchange was forwarded, or else those in its request: the mock's own responses have none. */
export const violationsIn = (recorded: Recorded): ShownViolations => {
  if (recorded.found !== undefined) return recorded.found
  const { violations, violationsOmitted } = recorded.forwarded ?? {}
  if (violations !== undefined) return showViolations(violations, violationsOmitted)
  const header = (name: string) => headerValue(recorded.headers, name)
  recorded.found = showViolations(requestViolations({ ...recorded, header }, recorded.operation))
  return recorded.found
}
