import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { isLoopback } from '../../core/http/address.ts'
import { acceptsHtml } from '../../core/http/media-type.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { type ControlListener, type ControlOptions, controlListener } from '../control/listener.ts'
import { belowControl, controlPath } from '../control/paths.ts'
import { packageFile } from '../files/package-folder.ts'
import { requestTarget } from '../listener/exchange.ts'

/** The built page, also when this module runs from `src/`. */
const folder = packageFile('dist', 'dashboard')

const files: Readonly<Record<string, { readonly file: string; readonly type: string }>> = {
  '/': { file: 'index.html', type: 'text/html; charset=utf-8' },
  '/page/main.js': { file: 'main.js', type: 'text/javascript; charset=utf-8' },
  '/page/main.css': { file: 'main.css', type: 'text/css; charset=utf-8' },
}

/** Allows resources of this origin only, no inline scripts, and no frame of another page (clickjacking). */
const contentSecurityPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const dashboardListener = (instances: MockInstances, options: ControlOptions): ControlListener => {
  const page = pageListener(options)
  const control = controlListener(instances, options)
  return (req, res) => page(req, res) || control(req, res)
}

/** Sends the dashboard to browsers that request `/__plant-mock/`, and the page's files. */
const pageListener =
  ({ key, host }: ControlOptions): ControlListener =>
  (req, res) => {
    // perf: rejects the requests of the service before parsing their URL (`npm run bench`).
    if (req.url?.includes(controlPath) !== true || req.method !== 'GET') return false
    // With a control key, the page is sent to other machines too: it holds no data of the mock.
    if (key === undefined && !isLoopback(host ?? req.socket.localAddress ?? '')) return false
    const [path = ''] = requestTarget(req).split('?')
    const below = path === controlPath ? '' : belowControl(path)
    if (below === undefined) return false
    if (below === '' && acceptsHtml(req.headers.accept)) {
      // Relative, so that the redirect works under any prefix. So do the addresses in the page.
      res.writeHead(308, { Location: `.${controlPath}/`, 'Content-Length': 0 }).end()
      return true
    }
    const found = Object.hasOwn(files, below) ? files[below] : undefined
    if (found === undefined || (below === '/' && !acceptsHtml(req.headers.accept))) return false
    return send(res, found.file, found.type)
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
