import type { IncomingMessage, ServerResponse } from 'node:http'
import { acceptsHtml } from '../../core/http/media-type.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { storeAway } from '../../util/errors.ts'
import { isPromise } from '../../util/maybe-promise.ts'
import { escapeMarkup } from '../../util/text.ts'
import { controlPath, dashboardOff, firstCommand, firstPlants } from '../control/paths.ts'
import type { Cors } from '../listener/cors.ts'
import { NodeExchange } from '../listener/exchange.ts'
import { logRequest, type RequestLog } from '../listener/logged-request.ts'
import { endingResponse, type Handled, respond } from '../listener/respond.ts'

type RootPageOptions = {
  /** The address of the server, which is known once it listens. */
  readonly url: () => string
  readonly hasControl: boolean
  readonly instances: Pick<MockInstances, 'root' | 'refresh'>
  readonly log: RequestLog
  readonly cors: Cors
}

/**
 * Answers GET and HEAD of `/` without `Authorization`: sent by programs that wait for a server, and by people who open
 * the address in a browser. The mock never sees these requests, so journal and `vary` do not count them. A
 * request with a token comes from a client and goes to the mock, because the contract has no `/`.
 */
export const rootPage = ({ url, hasControl, instances, log, cors }: RootPageOptions) => {
  const send = (req: IncomingMessage, res: ServerResponse, began: number): void => {
    const isHtml = acceptsHtml(req.headers.accept)
    const base = baseOf(req, url())
    const list = firstCommand(base, instances.root.inForce)
    const dashboard = hasControl ? `${base}${controlPath}/` : undefined
    const body = isHtml ? asHtml(list, firstPlants(base), dashboard) : asText(list, dashboard)
    res.writeHead(200, [
      ...['Content-Type', `${isHtml ? 'text/html' : 'text/plain'}; charset=utf-8`],
      ...['Content-Length', String(Buffer.byteLength(body))],
      ...['Content-Security-Policy', contentSecurityPolicy],
      ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'Vary', 'Accept'],
      ...['Plant-Mock-Source', 'server'],
      ...cors(req),
    ])
    res.end(body)
    logRequest(log, { req, began }, 200)
  }

  /** The response if the store is unreachable: the mock is not ready. */
  const refuse = (req: IncomingMessage, res: ServerResponse, began: number): void => {
    const reply = instances.root.problem({
      problem: 'store-unreachable',
      detail: storeAway,
      headers: ['Retry-After', '1'],
    })
    respond(res, endingResponse(reply))
    logRequest(log, { req, began }, reply.status, reply)
  }

  return (req: IncomingMessage, res: ServerResponse): Handled => {
    if (!isForPage(req)) return false
    const began = performance.now()
    const refreshed = instances.refresh()
    if (isPromise(refreshed))
      return refreshed.then(
        () => send(req, res, began),
        () => refuse(req, res, began),
      )
    send(req, res, began)
    return true
  }
}

const isForPage = (req: IncomingMessage): boolean => {
  const { url = '/', method, headers } = req
  // perf: skips requests of the service without parsing their URL (`npm run bench`).
  if (url.startsWith('/') && url.length > 1 && url[1] !== '?') return false
  if (headers.authorization !== undefined) return false
  return (method === 'GET' || method === 'HEAD') && new NodeExchange(req).path === '/'
}

/** The server's address with the client's `Host`, if safe in a page; otherwise `url`. */
const baseOf = ({ headers: { host = '' } }: IncomingMessage, url: string): string =>
  /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(host) ? url.replace(/(?<=:\/\/)[^/]+/, () => host) : url

const title = 'plant-mock is ready. It is a mock of the plant store service.'
const guide = 'npx plant-mock help, or README.md in the package'

const asText = (list: string, dashboard = dashboardOff): string =>
  `${title}\n\nPlants     ${list}\nDashboard  ${dashboard}\nGuide      ${guide}\n`

/** No scripts, no resources, and no embedding in frames. */
const contentSecurityPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const link = (address: string): string => `<a href="${escapeMarkup(address)}">${escapeMarkup(address)}</a>`

const asHtml = (list: string, plants: string, dashboard: string | undefined): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>plant-mock</title>
<style>:root { color-scheme: light dark; font: 14px/1.6 system-ui, sans-serif } code { overflow-wrap: anywhere }</style>
<h1>plant-mock</h1>
<p>${title}</p>
<dl>
<dt>Dashboard</dt><dd>${dashboard === undefined ? dashboardOff : link(dashboard)}</dd>
<dt>Plants</dt><dd>${link(plants)}, which needs a token:<br><code>${escapeMarkup(list)}</code></dd>
<dt>Guide</dt><dd><code>${guide}</code></dd>
</dl>
</html>
`
