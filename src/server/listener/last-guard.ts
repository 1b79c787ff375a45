import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { RawHeaders } from '../../core/http/headers.ts'
import { failureText, type ReportFailure } from '../../core/journal/redact.ts'
import { isPromise } from '../../util/maybe-promise.ts'
import { problemResponse, respond } from './respond.ts'

/** A listener whose promise, if it returns one, is fulfilled when nothing it does for the request can throw any more. */
export type GuardedListener = (req: IncomingMessage, res: ServerResponse) => unknown

/** Whether a listener handles a request; a promise when it handles it later. */
export type Handled = boolean | Promise<unknown>

/** Calls `fail` with whatever a part throws, or its promise rejects with. */
export const attempt = (part: () => unknown, fail: (error: unknown) => void): void => {
  try {
    const result = part()
    if (isPromise(result)) result.then(undefined, fail)
  } catch (error) {
    fail(error)
  }
}

/**
 * The last guard of a listener: whatever it throws, or rejects with, becomes a response with status 500 and a line of the
 * log. Without it, node:http would end the process.
 * @param headersFor Those to add to the response.
 */
export const withLastGuard =
  (
    listener: GuardedListener,
    report: ReportFailure,
    headersFor: (req: IncomingMessage) => RawHeaders,
  ): RequestListener =>
  (req, res) =>
    attempt(
      () => listener(req, res),
      (error) => {
        report(error, { headers: req.rawHeaders, query: req.url?.split('?', 2)[1] ?? '' })
        attempt(
          () => respondWithFailure(req, res, headersFor(req)),
          () => res.destroy(),
        )
      },
    )

const respondWithFailure = (req: IncomingMessage, res: ServerResponse, headers: RawHeaders): void => {
  if (res.destroyed || res.writableEnded) return
  // The client reads the response only after it has sent its whole body.
  req.resume()
  if (res.headersSent) res.destroy()
  else respond(res, problemResponse('internal-error', failureText, headers))
}
