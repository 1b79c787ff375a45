import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { isLoopback } from '../../core/http/address.ts'
import { belowControl, controlPath } from '../../core/http/control-path.ts'
import { acceptsHtml } from '../../core/http/media-type.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { type ControlOptions, controlListener } from '../control/listener.ts'
import { packageFile } from '../files/package-folder.ts'
import { NodeRequest } from '../listener/exchange.ts'
import type { Handled } from '../listener/respond.ts'

const folder = packageFile('dist', 'dashboard')

const files: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page/main.js': { file: 'main.js', type: 'text/javascript; charset=utf-8' },
  '/page/main.css': { file: 'main.css', type: 'text/css; charset=utf-8' },
}

const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export type ControlListener = (req: IncomingMessage, res: ServerResponse) => Handled

export const dashboardListener = (instances: MockInstances, options: ControlOptions): ControlListener => {
  const control = controlListener(instances, options)
  return (req, res) => {
    // perf: parses the URL only of control requests (`npm run bench`).
    if (req.url?.includes(controlPath) !== true) return false
    const { path } = new NodeRequest(req)
    const below = belowControl(path)
    return below !== undefined && (sendPage(req, res, path, options) || control(req, res, below))
  }
}

const sendPage = (req: IncomingMessage, res: ServerResponse, path: string, { key, host }: ControlOptions): Handled => {
  // Other machines get the page, which has no data, only if a control key protects the control interface.
  const isOff = key === undefined && !isLoopback(host ?? req.socket.localAddress ?? '')
  if (req.method !== 'GET' || isOff) return false
  const isPage = acceptsHtml(req.headers.accept)
  if (path === controlPath && isPage) {
    res.writeHead(308, { Location: `.${controlPath}/`, 'Content-Length': 0 }).end()
    return true
  }
  const name = path.slice(controlPath.length)
  const found = Object.hasOwn(files, name) ? files[name] : undefined
  return found !== undefined && (isPage || name !== '/') && send(res, found.file, found.type)
}

const send = (res: ServerResponse, file: string, type: string): Promise<unknown> =>
  readFile(join(folder ?? '', file)).then(
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
