import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { requestTarget } from '../adapters/node/exchange.ts'
import { belowControl, controlPath } from '../control/paths.ts'
import { isLoopback } from '../http/loopback.ts'

/** The built page: beside the bundle in `dist/`, also when this module runs from `src/`. */
const folder = ['./dashboard/', '../dashboard/', '../../dist/dashboard/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(`${path}index.html`))

const files: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page/main.js': { file: 'main.js', type: 'text/javascript; charset=utf-8' },
  '/page/main.css': { file: 'main.css', type: 'text/css; charset=utf-8' },
}

/** Allows resources of this origin only, no inline scripts, and no frame of another page (clickjacking). */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export type PageOptions = {
  /** With a control key, the page is sent to other machines too: it holds no data of the mock. */
  readonly hasKey: boolean
  /** The host option of the server; `undefined` behind a server of another kind. */
  readonly host: string | undefined
}

/** Handles a request and returns true, or leaves it to others. */
type Handler = (req: IncomingMessage, res: ServerResponse) => boolean

/** Tries handlers in order until one of them handles the request. */
export const oneOf =
  (...handlers: readonly Handler[]): Handler =>
  (req, res) =>
    handlers.some((handler) => handler(req, res))

/** Sends the dashboard to browsers that request `/__plant-mock/`, and the page's files. */
export const pageListener =
  ({ hasKey, host }: PageOptions): Handler =>
  (req, res) => {
    // perf: rejects the requests of the service before parsing their URL (`npm run bench`).
    if (req.url?.includes(controlPath) !== true || req.method !== 'GET') return false
    if (!hasKey && !isLoopback(host ?? req.socket.localAddress ?? '')) return false
    const [path = ''] = requestTarget(req).split('?')
    const below = path === controlPath ? '' : belowControl(path)
    if (below === undefined) return false
    if (below === '' && acceptsHtml(req)) {
      // Relative, so that the redirect works under any prefix. So do the addresses in the page.
      res.writeHead(308, { Location: `.${controlPath}/`, 'Content-Length': 0 }).end()
      return true
    }
    const found = Object.hasOwn(files, below) ? files[below] : undefined
    if (found === undefined || (below === '/' && !acceptsHtml(req))) return false
    send(res, found.file, found.type)
    return true
  }

const acceptsHtml = ({ headers }: IncomingMessage): boolean => headers.accept?.includes('text/html') === true

const send = (res: ServerResponse, file: string, type: string): void => {
  readFile(`${folder}${file}`).then(
    (body) => {
      res.writeHead(200, {
        'Content-Type': type,
        'Content-Length': body.length,
        'Content-Security-Policy': contentSecurityPolicy,
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'Referrer-Policy': 'no-referrer',
        'Cross-Origin-Opener-Policy': 'same-origin',
      })
      res.end(body)
    },
    () => res.writeHead(404, { 'Content-Length': 0 }).end(),
  )
}
