import { messageOf } from '../../util/words.ts'
import type { Pseudonym } from '../contract/caller.ts'
import { headerEntries, type RawHeaders } from '../http/headers.ts'
import { type Redact, redactHeader, redactor, secretSet, secretsIn } from '../http/redact.ts'
import type { CallerRegistry } from './callers.ts'

export type NamedCallers = Pick<CallerRegistry, 'secrets'> & {
  readonly findPseudonym: (secret: string) => string | undefined
}

export const redactorOf = (
  exchange: { readonly headers: RawHeaders; readonly responseHeaders?: RawHeaders },
  callers: NamedCallers,
): Redact =>
  redactor(() => {
    const { headers, responseHeaders = [] } = exchange
    const own = secretSet()
    const known = callers.secrets
    for (const secret of [...secretsIn(headers), ...secretsIn(responseHeaders)])
      if (!known.some(({ has }) => has(secret))) own.add(secret)
    return [...known, own]
  }, callers.findPseudonym)

export const redactHeaders = (
  headers: RawHeaders,
  pseudonym: Pseudonym | undefined,
  redact: Redact,
): Readonly<Record<string, string>> => {
  const shown: Record<string, string> = Object.create(null)
  for (const [mixedCase, value] of headerEntries(headers)) {
    const name = redact(mixedCase).toLowerCase()
    const text = redactHeader(name, value, pseudonym, redact)
    shown[name] = name in shown ? `${shown[name]}, ${text}` : text
  }
  return { ...shown }
}

/** Replaces the message of an unexpected error, which clients must not see. */
export const failureText = 'The mock failed to handle this request. Its log has the reason.'

export type ReportFailure = (error: unknown, request: { readonly headers: RawHeaders }) => void

export const failureReporter =
  (callers: NamedCallers, onNotice: (text: string) => void): ReportFailure =>
  (error, request) => {
    try {
      const reason = redactorOf(request, callers)(messageOf(error)).replaceAll(/\s+/g, ' ')
      onNotice(`A request failed. ${reason.slice(0, maxReasonLength)}`)
    } catch {
      // Ignores errors of `onNotice`, because the client must still get a response.
    }
  }

const maxReasonLength = 1_000
