import { messageOf } from '../../util/words.ts'
import type { Pseudonym } from '../contract/caller.ts'
import { headerEntries, type RawHeaders } from '../http/headers.ts'
import { hidden, type Redact, redactHeader, redactor, secretsIn } from '../http/redact.ts'
import { marked, type SecretMark } from '../http/secret-mark.ts'
import type { CallerRegistry } from './callers.ts'

export type NamedCallers = Pick<CallerRegistry, 'findPseudonym' | 'keyOf' | 'secrets'>

/** Hides the secrets of an exchange, and the tokens of known callers behind the names of these callers. */
export const redactorOf = (
  exchange: {
    readonly headers: RawHeaders
    readonly responseHeaders?: RawHeaders
    readonly query?: string | undefined
    readonly secretMarks?: readonly SecretMark[] | undefined
  },
  callers: NamedCallers,
): Redact =>
  redactor(
    () => {
      const { headers, responseHeaders = [], query } = exchange
      const found = new Map(callers.secrets)
      for (const secret of [...secretsIn(headers, query), ...secretsIn(responseHeaders)])
        found.set(secret, callers.findPseudonym(secret) ?? hidden)
      return found
    },
    callers.findPseudonym,
    (text) =>
      (exchange.secretMarks ?? []).flatMap((mark) => [
        ...marked(text, mark, callers.keyOf, callers.findPseudonym(mark.key) ?? hidden),
      ]),
  )

/** Headers by name in lower case. `Authorization` shows its scheme and the caller's pseudonym. */
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

/** For clients, which must not see what an unexpected error says. */
export const failureText = 'The mock failed to handle this request. Its log has the reason.'

/** Writes a line of the log about an error that nothing else handled. It never throws. */
export type ReportFailure = (error: unknown, request: { readonly headers: RawHeaders; readonly query?: string }) => void

export const failureReporter =
  (callers: NamedCallers, onNotice: (text: string) => void): ReportFailure =>
  (error, request) => {
    try {
      onNotice(`A request failed. ${reasonOf(error, (text) => redactorOf(request, callers)(text))}`)
    } catch {
      // The log itself fails; serving matters more.
    }
  }

/** The message on one line, or that it cannot be shown: redaction may be what failed. */
const reasonOf = (error: unknown, redact: (text: string) => string): string => {
  try {
    return redact(messageOf(error)).replaceAll(/\s+/g, ' ').slice(0, maxReasonLength)
  } catch {
    return 'Its error cannot be shown.'
  }
}

/** In characters. */
const maxReasonLength = 1_000
