import { once } from 'node:events'
import { type IncomingMessage, type OutgoingHttpHeaders, type RequestOptions, request } from 'node:http'
import { bearer } from 'plant-mock'
import { type StartOptions, startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'
import { echo, sendJson } from '../../support/upstream.ts'

const { serve, startProxy } = useServers()

const startCounted = async ({
  allowOrigins = [],
  ...options
}: NonNullable<Parameters<typeof startProxy>[1]> & Pick<StartOptions, 'allowOrigins'> = {}) => {
  let count = 0
  const upstream = await serve((req, res) => {
    count++
    if (req.url?.startsWith('/plants')) sendJson(res, 200, [])
    else echo(req, res)
  })
  const { url, mock } = await startProxy(upstream.url, options, { allowOrigins })
  return { url, mock, count: () => count }
}

/** Sends any Host and adds no headers, unlike fetch. */
const send = async (url: string, options: RequestOptions): Promise<IncomingMessage> => {
  const [response] = (await once(request(url, options).end(), 'response')) as [IncomingMessage]
  return response.resume()
}

const preflight = (url: string, origin: string, method = 'GET') =>
  fetch(url, { method: 'OPTIONS', headers: { origin, 'access-control-request-method': method } })

describe('a page of a foreign origin', () => {
  const origin = 'https://evil.example'

  it.each([
    ['GET', '/orders', {}],
    ['POST', '/orders', {}],
    ['DELETE', '/plants', {}],
    ['GET', '/plants', { for: 'all' as const }],
    ['POST', '/plants', { for: 'all' as const }],
  ])('is refused with %s %s, and the upstream receives nothing', async (method, path, options) => {
    const { url, count, mock } = await startCounted(options)
    const headers = { ...as('alice').headers, origin }
    for (const response of [
      await preflight(url + path, origin, method),
      await fetch(url + path, { method, headers }),
    ]) {
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([403, null])
      expect(await response.json()).toMatchObject({
        type: 'urn:problem-type:plant-mock:foreign-origin',
        detail: `Pages of the origin "${origin}" may not reach the upstream. If they should, start with --allow-origin ${origin}.`,
      })
    }
    expect(count()).toBe(0)
    expect((await mock.requests.all()).map(({ problem }) => problem)).toEqual(['foreign-origin'])
  })

  it('is not blamed for a body that was not read', async () => {
    const { url, mock } = await startCounted({ for: 'all' })
    await fetch(`${url}/plants`, post({ id: 1, name: 'Fern', tag: 'green' }, { origin }))
    expect((await mock.requests.all()).map(({ status, violations }) => [status, violations])).toEqual([[403, []]])
  })

  it('is refused a WebSocket under a name that resolves to this machine', async () => {
    const { url, count } = await startCounted()
    const refused = new WebSocket(url.replace('http', 'ws'), { headers: { host: 'evil.example:4010' } })
    const [, response] = await once(refused, 'unexpected-response')
    expect([response.statusCode, count()]).toEqual([403, 0])
    refused.on('error', () => undefined)
    refused.terminate()
  })

  it('is refused a WebSocket', async () => {
    const upstream = await serve(echo)
    new WebSocketServer({ server: upstream.server }).on('connection', (socket) => socket.close())
    const { url } = await startProxy(upstream.url)
    const refused = new WebSocket(url.replace('http', 'ws'), { origin })
    const [, response] = await once(refused, 'unexpected-response')
    expect(response.statusCode).toBe(403)
    refused.on('error', () => undefined)
    refused.terminate()
    const accepted = new WebSocket(url.replace('http', 'ws'), { origin: 'http://localhost:5173' })
    await once(accepted, 'open')
    accepted.terminate()
  })

  it.each<[string, string, OutgoingHttpHeaders, Parameters<typeof startCounted>[0]]>([
    ['POST', '/orders', { origin: 'http://evil.example:4010' }, {}],
    // Browsers send no Origin when a page reads from its own host.
    ['GET', '/orders', {}, {}],
    ['GET', '/plants', { 'sec-fetch-site': 'same-origin' }, { for: 'all' }],
  ])('is refused under a name that resolves to this machine (DNS rebinding): %s %s %j', async (...request) => {
    const [method, path, more, options] = request
    const { url, count } = await startCounted({ ...options, allowOrigins: ['https://app.example', 'null'] })
    for (const host of ['evil.example:4010', 'localhost.evil.example', 'app.example.evil.example']) {
      const response = await send(`${url}${path}`, { method, headers: { ...bearer('alice'), host, ...more } })
      expect([host, response.statusCode]).toEqual([host, 403])
    }
    expect(count()).toBe(0)
  })

  it('may still use what the mock answers itself', async () => {
    const { url, count } = await startCounted()
    const response = await fetch(`${url}/plants`, { headers: { ...as('alice').headers, origin } })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect((await preflight(`${url}/plants`, origin, 'POST')).status).toBe(204)
    expect(count()).toBe(0)
  })
})

describe('a page that may reach the upstream', () => {
  it.each(['http://localhost:5173', 'capacitor://localhost', 'https://app.example', 'https://APP.example:443', 'null'])(
    'has the origin %s',
    async (origin) => {
      const { url, count } = await startCounted({ allowOrigins: ['https://app.example', 'null'] })
      const response = await fetch(`${url}/orders`, { headers: { origin } })
      const { headers } = response
      expect([response.status, headers.get('access-control-allow-origin'), headers.get('vary')]).toEqual([
        200,
        origin,
        'Origin',
      ])
      const allowed = await preflight(`${url}/orders`, origin, 'PATCH')
      expect([allowed.status, allowed.headers.get('access-control-allow-methods')]).toEqual([204, 'PATCH'])
      expect(count()).toBe(1)
    },
  )

  it.each(['app.example', 'APP.example:8443', 'localhost:4010', '127.0.0.1', '[::1]:4010'])(
    'uses the Host %s',
    async (host) => {
      const { url, count } = await startCounted({ allowOrigins: ['https://app.example'] })
      expect([(await send(`${url}/orders`, { headers: { host } })).statusCode, count()]).toEqual([200, 1])
    },
  )

  it.each(['https://app.example/path', 'https://*.example', 'app.example', '*'])(
    'needs an allowed origin that is an origin, unlike %s',
    async (origin) => {
      await expect(startPlantMock({ allowOrigins: [origin] })).rejects.toThrow(
        `Invalid allowed origin "${origin}". Write it as https://app.example.com, without a path or wildcard.`,
      )
    },
  )
})

describe('a page that sends credentials', () => {
  const page = 'https://app.example'

  it.each([
    ['of the mock', '/plants', {}],
    ['of the mock at no path of the contract', '/', {}],
    ['that is forwarded', '/orders', {}],
    ['to an operation that is forwarded', '/plants', { for: 'all' }],
  ] as const)('reads a response %s, if its origin is allowed', async (_, path, options) => {
    const { url } = await startCounted({ ...options, allowOrigins: [page] })
    const credentials = async (origin: string) => {
      const responses = [
        await fetch(url + path, { headers: { origin, ...bearer('alice') } }),
        await preflight(url + path, origin, 'GET'),
      ]
      return responses.map(({ headers }) => [
        headers.get('access-control-allow-origin'),
        headers.get('access-control-allow-credentials'),
        headers.get('vary')?.includes('Origin'),
      ])
    }
    expect(await credentials(page)).toEqual([
      [page, 'true', true],
      [page, 'true', true],
    ])
    for (const [, allowed] of await credentials('http://localhost:5173')) expect(allowed).toBeNull()
  })

  it('names the headers that it reads, since a wildcard does not stand for them', async () => {
    const { url } = await startCounted({ allowOrigins: [page] })
    const { headers } = await fetch(`${url}/plants`, { headers: { origin: page, ...bearer('alice') } })
    expect(headers.get('access-control-expose-headers')).toMatch(/\bPlant-Mock-Source\b/)
  })

  it('reads no response of a mock that allows no origin', async () => {
    const { url } = await startCounted()
    const { headers } = await fetch(`${url}/plants`, { headers: { origin: page, ...bearer('alice') } })
    expect([headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]).toEqual([
      '*',
      null,
    ])
  })
})
