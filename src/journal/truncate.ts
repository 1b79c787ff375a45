import { type Body, bodyTooLarge } from '../http/exchange.ts'
import { headerEntries, type RawHeaders } from '../http/headers.ts'
import type { CallerRegistry } from './callers.ts'
import type { Recorded } from './recorded.ts'
import { bearerToken, type Redact, redactor } from './redact.ts'

/** Removes the bodies of an evicted entry, and truncates everything else that a client or upstream can make long. */
export const truncateEntry = (recorded: Recorded, callers: CallerRegistry): void => {
  // Redact first: a truncated token would no longer be recognised.
  const redact = redactor(bearerToken(recorded.headers), callers.pseudonymOf)
  recorded.path = truncate(redact(recorded.path))
  recorded.query = truncate(redact(recorded.query))
  recorded.headers = essentialHeaders(recorded.headers, redact)
  recorded.body = withoutText(recorded.body)
  recorded.responseHeaders = essentialHeaders(recorded.responseHeaders, redact)
  recorded.responseBody = withoutText(recorded.responseBody)
  const { forwarded } = recorded
  if (forwarded?.violations !== undefined)
    recorded.forwarded = {
      ...forwarded,
      violations: forwarded.violations.map((violation) => ({
        ...violation,
        detail: truncate(redact(violation.detail)),
      })),
    }
}

/** Remembers that there was a body. */
const withoutText = (body: Body): Body => (typeof body === 'string' ? bodyTooLarge : body)

/** The headers that are checked for violations. */
const essentialHeaders = (headers: RawHeaders, redact: Redact): RawHeaders =>
  headerEntries(headers).flatMap(([name, value]) => {
    if (/^authorization$/i.test(name)) return [name, truncate(value)]
    return /^content-type$/i.test(name) ? [name, truncate(redact(value))] : []
  })

const maxLength = 500

/** Copies the characters, because a slice would keep the whole text alive. */
const truncate = (text: string): string =>
  text.length > maxLength ? Array.from(text.slice(0, maxLength)).join('') : text
