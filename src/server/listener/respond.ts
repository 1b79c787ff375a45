import { type IncomingMessage, type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http'
import { type ProblemType, problemDocument, problemTypes } from '../../core/contract/problems.ts'
import { headerEntries, type RawHeaders, tokenPattern } from '../../core/http/headers.ts'
import type { Reply } from '../../core/http/reply.ts'
import { responseHeaders } from '../../core/http/source.ts'
import { failureText, type ReportFailure } from '../../core/journal/redact.ts'
import { isPromise } from '../../util/maybe-promise.ts'

export type WholeResponse = { readonly status: number; readonly headers: RawHeaders; readonly body: string | undefined }

export const problemResponse = (type: ProblemType, detail: string, headers: RawHeaders = []): WholeResponse => {
  const { status } = problemTypes[type]
  const body = JSON.stringify(problemDocument(type, status, detail))
  return { status, headers: ['Content-Type', 'application/problem+json', ...headers], body }
}

export const endingResponse = (reply: Reply): WholeResponse => ({
  ...reply,
  headers: [...responseHeaders(reply), 'Connection', 'close'],
})

const withLength = ({ headers, body = '' }: WholeResponse): string[] => [
  ...headers,
  'Content-Length',
  String(Buffer.byteLength(body)),
]

export const respond = (res: ServerResponse, response: WholeResponse): void => {
  res.writeHead(response.status, withLength(response)).end(response.body)
}

export const responseText = (response: WholeResponse): string => {
  const { status, body = '' } = response
  const lines = headerEntries(withLength(response)).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}

export const isPreflight = ({ method, headers }: IncomingMessage): boolean =>
  method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined

export const preflightHeaders = (
  { headers }: IncomingMessage,
  methods: readonly string[],
  anyMethod: boolean,
  cors: RawHeaders,
): string[] => [
  ...cors,
  'Access-Control-Allow-Methods',
  (anyMethod && ifMatching(/^[A-Za-z-]+$/, headers['access-control-request-method'])) || methods.join(', '),
  'Access-Control-Allow-Headers',
  ifMatching(tokenList, headers['access-control-request-headers']) ?? 'Authorization, Content-Type, Prefer',
  'Access-Control-Max-Age',
  '600',
  'Vary',
  'Access-Control-Request-Headers',
]

const tokenList = new RegExp(String.raw`^${tokenPattern}(?:\s*,\s*${tokenPattern})*$`)

const ifMatching = (pattern: RegExp, requested = ''): string | undefined =>
  pattern.test(requested) ? requested : undefined

/** If a listener returns a promise, the promise must not resolve before the work of the listener is done. */
export type GuardedListener = (req: IncomingMessage, res: ServerResponse) => unknown

/** `false`, or a promise of `false`, if the next listener must handle the request. */
export type Handled = boolean | Promise<unknown>

export const firstOf = (...listeners: readonly (GuardedListener | false | undefined)[]): GuardedListener =>
  listeners
    .filter((listener) => listener !== undefined && listener !== false)
    .reduceRight((next, listener) => (req, res) => {
      const handled = listener(req, res)
      if (handled === false) return next(req, res)
      return isPromise(handled) ? handled.then((is) => is !== false || next(req, res)) : handled
    })

export const attempt = (part: () => unknown, fail: (error: unknown) => void): void => {
  try {
    const result = part()
    if (isPromise(result)) result.then(undefined, fail)
  } catch (error) {
    fail(error)
  }
}

export type LastGuard = (req: IncomingMessage, res: ServerResponse, error: unknown) => void

export const lastGuard =
  (report: ReportFailure, headersFor: (req: IncomingMessage) => RawHeaders): LastGuard =>
  (req, res, error) => {
    report(error, { headers: req.rawHeaders })
    const fail = (): void => {
      if (res.destroyed || res.writableEnded) return
      req.resume()
      if (res.headersSent) res.destroy()
      else respond(res, problemResponse('internal-error', failureText, headersFor(req)))
    }
    attempt(fail, () => res.destroy())
  }

export const withLastGuard =
  (listener: GuardedListener, guard: LastGuard): RequestListener =>
  (req, res) => {
    // perf: `attempt` would need another function for each request (`npm run bench`, POST).
    try {
      const result = listener(req, res)
      if (isPromise(result)) result.then(undefined, (error: unknown) => guard(req, res, error))
    } catch (error) {
      guard(req, res, error)
    }
  }
