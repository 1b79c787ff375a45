import { messageOf } from '../../util/words.ts'
import type { RawHeaders } from '../http/headers.ts'
import { type NamedCallers, redactorOf } from '../journal/redact.ts'

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
