import { EventEmitter, once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { bearer } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'
import { type EchoedRequest, echo, emptyList, sendJson } from '../../support/upstream.ts'
import { sendRaw } from '../../support/wire.ts'

const { serve, serveBytes, startProxy } = useServers()

describe('a request that the mock forwards', () => {
  it('keeps method, path, query, headers and body; its response keeps status and headers', async () => {
    const upstream = await serve((req, res) => {
      res.setHeader('set-cookie', ['a=1', 'b=2'])
      res.setHeader('x-own', 'yes')
      echo(req, res)
    })
    const { url } = await startProxy(`${upstream.url}/v1`)
    const response = await fetch(`${url}/orders/7?deep=%20a`, {
      method: 'PUT',
      headers: { ...bearer('alice'), 'content-type': 'text/plain' },
      body: 'päck',
    })
    expect(response.headers.get('x-own')).toBe('yes')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    const request = (await response.json()) as EchoedRequest
    expect(request).toMatchObject({ method: 'PUT', url: '/v1/orders/7?deep=%20a', body: 'päck' })
    expect(request.headers).toMatchObject({
      authorization: 'Bearer alice',
      host: new URL(upstream.url).host,
    })
  })

  it.each(['/v1', '/v1/', '/v1//'])('has its path after the path %s of the upstream', async (base) => {
    const { url: upstream } = await serve(echo)
    const { url } = await startProxy(upstream + base)
    expect(((await (await fetch(`${url}/orders`)).json()) as EchoedRequest).url).toBe('/v1/orders')
  })

  it.each([
    ['DELETE', 'Content-Length: 0', '', ['content-length: 0']],
    ['PUT', 'Content-Length: 5', 'hello', ['content-length: 5']],
    ['PUT', 'Content-Length: 5\r\nExpect: 100-continue', 'hello', ['content-length: 5']],
    ['PUT', 'Transfer-Encoding: chunked', '5\r\nhello\r\n0\r\n\r\n', ['transfer-encoding: chunked']],
    ['GET', 'X-Length: none', '', []],
  ])('has the framing of its body again: %s with %j', async (method, header, body, framing) => {
    const service = await serveBytes(emptyList)
    const { url } = await startProxy(service.url)
    await sendRaw(url, `${method} /x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${header}\r\n\r\n${body}`)
    const lines = service.received().split('\r\n')
    expect(lines.filter((line) => /^(?:content-length|transfer-encoding|expect):/i.test(line))).toEqual(framing)
  })

  it('has the length of its body if it is one of the two operations, also when it came in chunks', async () => {
    const service = await serveBytes(emptyList)
    const { url } = await startProxy(service.url, { for: 'all' })
    await sendRaw(
      url,
      'POST /plants HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
    )
    expect(service.received()).toMatch(/^content-length: 5\r\n/m)
    expect(service.received()).not.toMatch(/^transfer-encoding:/m)
  })

  it.each(['PUT', 'GET'])('keeps the body of a %s that a handler has read and left to the mock', async (method) => {
    const service = await serveBytes(emptyList)
    const { url } = await startProxy(service.url, {}, { respond: async () => undefined })
    const head = 'HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5'
    await sendRaw(url, `${method} /x ${head}\r\n\r\nhello`)
    expect(service.received()).toMatch(/\r\n\r\nhello$/)
  })

  it.each(['/x', '/plants'])(
    'for %s ends at the upstream when the client leaves, and is in the journal as 499',
    async (path) => {
      const closed = new EventEmitter()
      const { url: upstream } = await serve((req) => {
        req.on('close', () => closed.emit('upstream'))
        client.destroy()
      })
      const { url, mock } = await startProxy(upstream, { for: 'all' })
      const logged = mock.requests.waitFor({ status: 499 })
      const client = httpRequest(`${url}${path}`).on('error', () => undefined)
      const closing = once(closed, 'upstream')
      client.end()
      await closing
      expect(await logged).toMatchObject({ source: 'upstream' })
    },
  )

  it('reaches the upstream as a whole, even if the response was complete before', async () => {
    const received = new EventEmitter()
    const { url: upstream } = await serve(async (req, res) => {
      res.end('early')
      received.emit('body', (await req.setEncoding('utf8').toArray()).join(''))
    })
    const { url } = await startProxy(upstream)
    const body = once(received, 'body')
    const client = httpRequest(`${url}/x`, { method: 'POST', headers: { 'content-length': 10 } })
    client.write('first')
    const [response] = (await once(client, 'response')) as [IncomingMessage]
    expect((await response.setEncoding('utf8').toArray()).join('')).toBe('early')
    client.end(' last')
    expect(await body).toEqual(['first last'])
  })

  it('has another method or path than the two operations', async () => {
    const { url: upstream } = await serve(echo)
    const { url, mock } = await startProxy(upstream)
    expect(((await (await fetch(`${url}/plants/7`, as('alice'))).json()) as EchoedRequest).url).toBe('/plants/7')
    expect(((await (await fetch(`${url}/plants`, { method: 'DELETE' })).json()) as EchoedRequest).method).toBe('DELETE')
    expect((await fetch(`${url}/plants`, post({ id: 1, name: 'a', tag: 'b' }))).status).toBe(201)
    expect(await mock.plants.all()).toHaveLength(1)
    expect((await mock.requests.all()).map(({ method, url, source }) => [method, url, source])).toEqual([
      ['GET', '/plants/7', 'upstream'],
      ['DELETE', '/plants', 'upstream'],
      ['POST', '/plants', 'assumption'],
    ])
  })

  it('has the source upstream in its response, as its journal entry says', async () => {
    const { url: upstream } = await serve((_, res) => {
      res.setHeader('plant-mock-source', 'contract')
      sendJson(res, 200, {})
    })
    const { url, mock } = await startProxy(upstream)
    expect((await fetch(`${url}/orders`)).headers.get('plant-mock-source')).toBe('upstream')
    const [entry] = await mock.requests.all()
    expect(entry).toMatchObject({ source: 'upstream', response: { headers: { 'plant-mock-source': 'upstream' } } })
  })

  it('is open to a page on this machine, unless the upstream names another', async () => {
    const { url: upstream } = await serve((req, res) => {
      if (req.url === '/own') res.setHeader('access-control-allow-origin', 'https://page.example')
      sendJson(res, 200, {})
    })
    const { url } = await startProxy(upstream)
    const headers = { origin: 'http://localhost:5173' }
    const allowed = async (path: string) =>
      (await fetch(`${url}${path}`, { headers })).headers.get('access-control-allow-origin')
    expect([await allowed('/any'), await allowed('/own')]).toEqual(['http://localhost:5173', 'https://page.example'])
    const preflight = await fetch(`${url}/any`, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'PATCH' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'PATCH'])
  })

  it.each(['rest', 'all'] as const)('has no CORS header twice, for %s', async (scope) => {
    const { url: upstream } = await serve((_, res) => {
      res.setHeader('vary', 'Accept-Encoding')
      res.setHeader('access-control-expose-headers', 'X-A')
      sendJson(res, 200, [])
    })
    const { url } = await startProxy(upstream, { for: scope })
    const path = scope === 'rest' ? '/x' : '/plants'
    const { headers } = await fetch(url + path, { headers: { ...bearer('alice'), origin: 'http://localhost:5173' } })
    expect(headers.get('access-control-allow-origin')).toBe('http://localhost:5173')
    expect(headers.get('access-control-expose-headers')).toBe('X-A')
    expect(headers.get('vary')).toBe('Accept-Encoding, Origin')
  })

  it('loses its hop-by-hop headers, as does its response (RFC 9110, 7.6.1)', async () => {
    const { url: upstream } = await serve((req, res) => {
      res.setHeader('connection', 'x-hop')
      res.setHeader('x-hop', 'one hop')
      res.setHeader('proxy-authenticate', 'Basic')
      echo(req, res)
    })
    const { url } = await startProxy(upstream)
    const request = httpRequest(`${url}/x`, {
      headers: {
        connection: 'keep-alive, x-mine',
        'x-mine': 'one hop',
        te: 'trailers',
        'proxy-authorization': 'Basic x',
      },
    })
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let body = ''
    for await (const chunk of response.setEncoding('utf8')) body += chunk
    const { headers } = JSON.parse(body) as EchoedRequest
    for (const name of ['x-mine', 'te', 'proxy-authorization']) expect(headers).not.toHaveProperty(name)
    expect(headers.via).toMatch(/^1\.1 plant-mock-/)
    for (const name of ['x-hop', 'proxy-authenticate']) expect(response.headers).not.toHaveProperty(name)
  })

  it('keeps a login at the mock: redirects and cookies of the upstream', async () => {
    const { url: upstream } = await serve(({ headers, url: target }, res) => {
      if (target?.startsWith('/login'))
        res
          .writeHead(302, { location: `http://${headers.host}/plants`, 'set-cookie': 'sid=a; Domain=real.example' })
          .end()
      else sendJson(res, 200, [])
    })
    const { url } = await startProxy(upstream, { for: 'all' })
    const login = await fetch(`${url}/login`, { redirect: 'manual' })
    expect([login.headers.get('location'), login.headers.getSetCookie()]).toEqual(['/plants', ['sid=a']])
    const followed = await fetch(`${url}/login`)
    expect([followed.url, followed.status]).toEqual([`${url}/plants`, 200])
  })

  it('opens a WebSocket that carries messages in both directions until one side closes', async () => {
    const upstream = await serve(echo)
    const sockets = new WebSocketServer({ server: upstream.server })
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)))
    const { url } = await startProxy(upstream.url)
    const client = new WebSocket(`${url.replace('http', 'ws')}/live`)
    await once(client, 'open')
    for (const text of ['one', 'two']) {
      client.send(text)
      const [data] = await once(client, 'message')
      expect(String(data)).toBe(`echo ${text}`)
    }
    client.close()
    await once(client, 'close')
  })

  it('is one of 300 concurrent requests, each with its response', async () => {
    const { url: upstream } = await serve((req, res) => sendJson(res, 200, req.url))
    const { url } = await startProxy(upstream, { for: 'all' })
    const paths = Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? `/n/${i}` : `/plants?limit=${i}`))
    const responses = await Promise.all(paths.map(async (path) => (await fetch(`${url}${path}`, as('alice'))).json()))
    expect(responses).toEqual(paths)
  })

  it('frees its connection after a response without a body', async () => {
    const { server, url: service } = await serve((_, res) => res.writeHead(304).end())
    const { url } = await startProxy(service, { for: 'all' })
    for (let i = 0; i < 20; i++) expect((await fetch(`${url}/plants`, as('a'))).status).toBe(304)
    const count = await new Promise<number>((resolve) => server.getConnections((_, number) => resolve(number)))
    expect(count).toBe(1)
  })

  it('omits the headers meant for the mock', async () => {
    const service = await serveBytes(emptyList)
    const { url } = await startProxy(service.url, { for: 'all' })
    const headers = { 'plant-mock-control-key': 'secret', 'plant-mock-session': 'one', ...bearer('a') }
    for (const path of ['/x', '/plants']) await fetch(`${url}${path}`, { headers })
    expect(service.received()).not.toMatch(/plant-mock-(?:control|session)/i)
  })

  it('names the host of the upstream in its first header (RFC 9110, 7.2)', async () => {
    const service = await serveBytes(emptyList)
    const { url } = await startProxy(service.url, { for: 'all' })
    for (const path of ['/x', '/plants']) await fetch(`${url}${path}`, { headers: bearer('a') })
    const { host } = new URL(service.url)
    expect(service.received()).toContain(`GET /x HTTP/1.1\r\nhost: ${host}\r\n`)
    expect(service.received()).toContain(`GET /plants HTTP/1.1\r\nhost: ${host}\r\n`)
  })

  it('fails with an error that a page on this machine can read', async () => {
    const down = await startProxy('http://127.0.0.1:1')
    const refused = await fetch(`${down.url}/x`, { headers: { origin: 'http://localhost:3000' } })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([502, 'http://localhost:3000'])
  })
})
