import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { requestTarget } from '../adapters/node/exchange.ts'
import { isLoopback } from '../control/guard.ts'
import { controlPath } from '../control/paths.ts'

/** The folder of the built page: in `dist/` when built, and the same before. */
const folder = ['./dashboard/', '../dashboard/', '../../dist/dashboard/']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(`${path}index.html`))

const files: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page/main.js': { file: 'main.js', type: 'text/javascript; charset=utf-8' },
  '/page/main.css': { file: 'main.css', type: 'text/css; charset=utf-8' },
}

/** Nothing from elsewhere, nothing inline, and no frame of another page around it. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export type PageOptions = {
  /** Whether there is a key: the page, which holds nothing of the mock, is then there for other machines too. */
  readonly hasKey: boolean
  /** The host that the server was told to bind, if any. */
  readonly host: string | undefined
}

type Part = (req: IncomingMessage, res: ServerResponse) => boolean

/** The first of several parts of a server that takes a request. */
export const oneOf =
  (...parts: readonly Part[]): Part =>
  (req, res) =>
    parts.some((part) => part(req, res))

/** Answers with the page at `/__plant-mock/` when a browser asks for it; false when it is not asked for. */
export const pageListener =
  ({ hasKey, host }: PageOptions): Part =>
  (req, res) => {
    if (req.url?.includes(controlPath) !== true || req.method !== 'GET') return false
    if (!hasKey && !isLoopback(host ?? req.socket.localAddress ?? '')) return false
    const [path = ''] = requestTarget(req).split('?')
    if (!path.startsWith(controlPath)) return false
    const below = path.slice(controlPath.length)
    if (below === '' && wantsPage(req)) {
      // Relative, so that it holds below any prefix; addresses in the page are relative too.
      res.writeHead(308, { Location: `.${controlPath}/`, 'Content-Length': 0 }).end()
      return true
    }
    const found = Object.hasOwn(files, below) ? files[below] : undefined
    if (found === undefined || (below === '/' && !wantsPage(req))) return false
    send(res, found.file, found.type)
    return true
  }

const wantsPage = ({ headers }: IncomingMessage): boolean => headers.accept?.includes('text/html') === true

const send = (res: ServerResponse, file: string, type: string): void => {
  readFile(`${folder}${file}`).then(
    (body) => {
      res.writeHead(200, {
        'Content-Type': type,
        'Content-Length': body.length,
        'Content-Security-Policy': policy,
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
