import type { Assumptions } from '../assumptions/registry.ts'
import type { Pseudonym } from '../contract/caller.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import { type ShownViolations, showViolations } from '../contract/violation.ts'
import type { Body } from '../http/exchange.ts'
import { headerValue, type RawHeaders } from '../http/headers.ts'
import type { Forwarded, ReplyMeta } from '../http/reply.ts'
import type { SecretMark } from '../http/secret-mark.ts'
import { requestViolations } from '../service/violations.ts'
import type { JournalEntry } from './entry.ts'

/** Who or what decides a response. */
export const journalSources = ['contract', 'assumption', 'fault', 'upstream', 'fallback', 'handlers'] as const
export type JournalSource = (typeof journalSources)[number]

/** An exchange as the journal keeps it. Everything else is derived when somebody reads it. */
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
  /** Found when they were first asked for. */
  found: ShownViolations | undefined
  /** The rest of an entry that was evicted in favour of later ones, as it is shown. */
  truncated: JournalEntry | undefined
  /** Its share of the budget. */
  weight: number
}

export const sourceOf = ({ fault, assumptions, forwarded }: Recorded): JournalSource => {
  if (fault !== undefined) return 'fault'
  if (forwarded !== undefined) return forwarded.by
  return assumptions.length === 0 ? 'contract' : 'assumption'
}

/** The violations found when the exchange was forwarded, or else those in its request: the mock's own responses have none. */
export const violationsIn = (recorded: Recorded): ShownViolations => {
  const known = recorded.truncated ?? recorded.found
  if (known !== undefined) return known
  const { violations, violationsOmitted } = recorded.forwarded ?? {}
  if (violations !== undefined) return showViolations(violations, violationsOmitted)
  const header = (name: string) => headerValue(recorded.headers, name)
  recorded.found = showViolations(requestViolations({ ...recorded, header }, recorded.operation))
  return recorded.found
}
