import type { IncomingMessage, ServerResponse } from 'node:http'
import { controlPath } from '../../core/http/control-path.ts'
import type { MockInstances } from '../../core/mock/instances.ts'
import { storeAway } from '../../util/errors.ts'
import { dashboardOff, firstCommand } from '../control/paths.ts'
import type { Cors } from '../listener/cors.ts'
import { NodeRequest } from '../listener/exchange.ts'
import { logRequest, type RequestLog } from '../listener/logged-request.ts'
import { endingResponse, type Handled, respond } from '../listener/respond.ts'

type Page = {
  readonly instances: MockInstances
  readonly url: () => string
  readonly hasControl: boolean
  readonly closing: AbortSignal
}

/** Requests for the page never reach the mock (decision 12). */
export const rootPage = (page: Page, cors: Cors, log: RequestLog) => {
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const began = performance.now()
    const { root, refresh } = page.instances
    const unreachable = { problem: 'store-unreachable', detail: storeAway, headers: ['Retry-After', '1'] } as const
    const refusal = await Promise.resolve(refresh()).then(
      () => undefined,
      () => root.problem(unreachable),
    )
    const body = textFor(req.headers.host, page)
    const headers = ['Content-Type', 'text/plain; charset=utf-8', ...fixedHeaders, ...cors(req)]
    // A client that polls must not keep its connection alive.
    if (page.closing.aborted) headers.push('Connection', 'close')
    respond(res, refusal === undefined ? { status: 200, headers, body } : endingResponse(refusal))
    logRequest(log, { req, began }, refusal?.status ?? 200, refusal)
  }
  return (req: IncomingMessage, res: ServerResponse): Handled => {
    const { url = '/', method, headers } = req
    // perf: parses no URL for requests of the service (`npm run bench`).
    if (/^\/[^?]/.test(url) || headers.authorization !== undefined) return false
    return (method === 'GET' || method === 'HEAD') && new NodeRequest(req).path === '/' && answer(req, res)
  }
}

const fixedHeaders = ['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff', 'Plant-Mock-Source', 'server']

const textFor = (host = '', { url, hasControl, instances }: Page): string => {
  const isHost = /^[\w.-]+(?::\d+)?$|^\[[\da-f:.]+\](?::\d+)?$/i.test(host)
  const base = isHost ? url().replace(/(?<=:\/\/)[^/]+/, () => host) : url()
  const dashboard = hasControl ? `${base}${controlPath}/` : dashboardOff
  return `plant-mock is ready. It is a mock of the plant store service.

Plants     ${firstCommand(base, instances.root.inForce)}
Dashboard  ${dashboard}
Guide      npx plant-mock help, or README.md in the package
`
}
