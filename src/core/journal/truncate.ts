import type { ShownViolations } from '../contract/violation.ts'
import { type Body, bodyTooLarge } from '../http/exchange.ts'
import { headerEntries, type RawHeaders } from '../http/headers.ts'
import type { Redact } from '../http/redact.ts'
import type { CallerRegistry } from './callers.ts'
import { isOwn, type Recorded, violationsIn } from './recorded.ts'
import { redactorOf } from './redact.ts'

/** Removes the bodies of an evicted entry, and truncates everything else that a client or upstream can make long. */
export type TruncateEntry = (recorded: Recorded) => void

export const entryTruncator = (callers: CallerRegistry): TruncateEntry => {
  // perf: entries share headers that a client repeats. Reading them for each doubles the cost of a GET when the journals
  // of many sessions exceed the budget.
  let headers: RawHeaders = []
  let essential: RawHeaders = []
  let query = ''
  let redactedQuery = ''
  return (recorded) => {
    const redact = redactorOf(recorded, callers)
    // Violations cite the body and the query, which must not stay in memory with them.
    if (recorded.found !== undefined || recorded.query.length > maxLength)
      recorded.found = truncateFound(violationsIn(recorded), redact)
    recorded.body = withoutText(recorded.body)
    recorded.responseBody = withoutText(recorded.responseBody)
    if (!isOwn(recorded)) truncateForeign(recorded, redact)
    if (recorded.headers !== headers || recorded.query !== query) {
      headers = recorded.headers
      essential = essentialHeaders(headers, redact)
      query = recorded.query
      redactedQuery = truncate(query, redact)
    }
    recorded.headers = essential
    recorded.query = redactedQuery
    if (recorded.operation === undefined) recorded.path = truncate(recorded.path, redact)
  }
}

const truncateFound = ({ violations, ...omitted }: ShownViolations, redact: Redact): ShownViolations => ({
  violations: violations.map((violation) => ({ ...violation, detail: truncate(violation.detail, redact) })),
  ...omitted,
})

const truncateForeign = (recorded: Recorded, redact: Redact): void => {
  recorded.responseHeaders = essentialHeaders(recorded.responseHeaders, redact)
  const { forwarded } = recorded
  const violations = forwarded?.violations?.map((violation) => ({
    ...violation,
    detail: truncate(violation.detail, redact),
  }))
  if (forwarded !== undefined && violations !== undefined) recorded.forwarded = { ...forwarded, violations }
}

/** Remembers that there was a body. */
const withoutText = (body: Body): Body => (typeof body === 'string' ? bodyTooLarge : body)

/** The headers that are checked for violations. */
const essentialHeaders = (headers: RawHeaders, redact: Redact): RawHeaders =>
  headerEntries(headers).flatMap(([name, value]) => {
    if (/^authorization$/i.test(name)) return [name, truncate(value, asIs)]
    return /^content-type$/i.test(name) ? [name, truncate(value, redact)] : []
  })

const asIs: Redact = (text) => text

const maxLength = 500

/**
 * Redacts before it cuts, because a part of a secret would not be recognised later, nor one whose header is dropped. The
 * characters are copied, because a slice would keep the whole text alive.
 */
const truncate = (text: string, redact: Redact): string => {
  const redacted = redact(text)
  return redacted.length > maxLength ? Array.from(redacted.slice(0, maxLength)).join('') : redacted
}
