import { Readable } from 'node:stream'
import { headerEntries } from '../../core/http/headers.ts'
import { hasNullBody } from '../../core/http/status.ts'
import { routeTo } from '../../server/upstream/route.ts'
import { hasProxy } from '../../util/proxy.ts'
import type { FetchLike } from './options.ts'

/**
 * Returns a `fetch` that uses the proxy of the environment, because the `fetch` of Node.js 20 ignores proxies.
 * @param timeout Milliseconds for connecting.
 * @returns `undefined` if the environment names no proxy.
 */
export const routedFetch = (baseUrl: string, timeout: number): FetchLike | undefined => {
  const route = routeTo(new URL(baseUrl), timeout)
  if (!hasProxy(process.env)) return undefined
  const agent = route.agent({ keepAlive: true })
  return (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const { pathname, search } = new URL(url)
      const request = route.request(`${pathname}${search}`, {
        method,
        headers: { accept: '*/*', 'user-agent': 'node', ...(headers as Record<string, string>) },
        agent,
        ...(signal && { signal }),
      })
      request.on('response', (response) => {
        const { statusCode: status = 0, rawHeaders } = response
        try {
          const content = hasNullBody(status) ? null : (Readable.toWeb(response) as ReadableStream)
          resolve(new Response(content, { status, headers: headerEntries(rawHeaders) }))
        } catch (error) {
          response.destroy()
          reject(error)
        }
      })
      const through = route.proxy === undefined ? '' : ` (through the proxy ${route.proxy})`
      request.on('error', (error: NodeJS.ErrnoException) =>
        reject(new Error(`${error.message || error.code}${through}`)),
      )
      request.end(body)
    })
}
