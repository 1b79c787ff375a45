import { once } from 'node:events'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { bearer } from 'plant-mock'
import {
  type LoggedRequest,
  loadFixtures,
  type StartedPlantMock,
  type StartOptions,
  startPlantMock,
} from 'plant-mock/node'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { as, post } from '../support/targets.ts'

const secret = 'a-token-of-forty-characters-that-is-real'
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** A real service of the tests. */
const serve = async (listener: RequestListener) => {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => {
    server.close()
    server.closeAllConnections()
  })
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const start = async (options: StartOptions): Promise<StartedPlantMock> => {
  const started = await startPlantMock({ grace: 100, ...options })
  open.push(started.close)
  return started
}

const inFront = (
  url: string,
  options: Omit<NonNullable<StartOptions['upstream']>, 'url'> = {},
  more: StartOptions = {},
) => start({ upstream: { url, ...options }, ...more })

const answer = (res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

const echo: RequestListener = async (req, res) => {
  let body = ''
  for await (const chunk of req.setEncoding('utf8')) body += chunk
  answer(res, 200, { method: req.method, url: req.url, headers: req.headers, body })
}

type Echo = { method: string; url: string; headers: Record<string, string>; body: string }

describe('what the mock does not serve', () => {
  it('goes to the upstream with method, path, query, headers and body, and back with status and headers', async () => {
    const upstream = await serve((req, res) => {
      res.setHeader('set-cookie', ['a=1', 'b=2'])
      res.setHeader('x-own', 'yes')
      echo(req, res)
    })
    const { url } = await inFront(`${upstream.url}/v1`)
    const response = await fetch(`${url}/orders/7?deep=%20a`, {
      method: 'PUT',
      headers: { ...bearer(secret), 'content-type': 'text/plain' },
      body: 'päck',
    })
    expect(response.headers.get('x-own')).toBe('yes')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    const seen = (await response.json()) as Echo
    expect(seen).toMatchObject({ method: 'PUT', url: '/v1/orders/7?deep=%20a', body: 'päck' })
    expect(seen.headers).toMatchObject({
      authorization: `Bearer ${secret}`,
      host: new URL(upstream.url).host,
    })
  })

  it('is everything but the two operations: other methods and other paths', async () => {
    const { url: upstream } = await serve(echo)
    const { url, mock } = await inFront(upstream)
    expect(((await (await fetch(`${url}/plants/7`, as('alice'))).json()) as Echo).url).toBe('/plants/7')
    expect(((await (await fetch(`${url}/plants`, { method: 'DELETE' })).json()) as Echo).method).toBe(
      'DELETE',
    )
    expect((await fetch(`${url}/plants`, post({ id: 1, name: 'a', tag: 'b' }))).status).toBe(201)
    expect(await mock.plants.all()).toHaveLength(1)
    expect((await mock.requests.all()).map(({ method, url, source }) => [method, url, source])).toEqual([
      ['GET', '/plants/7', 'upstream'],
      ['DELETE', '/plants', 'upstream'],
      ['POST', '/plants', 'assumption'],
    ])
  })

  it('is for pages of any origin, unless the upstream says for which', async () => {
    const { url: upstream } = await serve((req, res) => {
      if (req.url === '/own') res.setHeader('access-control-allow-origin', 'https://page.example')
      answer(res, 200, {})
    })
    const { url } = await inFront(upstream)
    const headers = { origin: 'https://page.example' }
    const allowed = async (path: string) =>
      (await fetch(`${url}${path}`, { headers })).headers.get('access-control-allow-origin')
    expect([await allowed('/any'), await allowed('/own')]).toEqual(['*', 'https://page.example'])
    const preflight = await fetch(`${url}/any`, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'PATCH' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-methods')]).toEqual([204, 'PATCH'])
  })

  it('comes without the headers of one connection (RFC 9110, 7.6.1), both ways', async () => {
    const { url: upstream } = await serve((req, res) => {
      res.setHeader('connection', 'x-hop')
      res.setHeader('x-hop', 'stays here')
      res.setHeader('proxy-authenticate', 'Basic')
      echo(req, res)
    })
    const { url } = await inFront(upstream)
    const request = httpRequest(`${url}/x`, {
      headers: {
        connection: 'keep-alive, x-mine',
        'x-mine': 'stays here',
        te: 'trailers',
        'proxy-authorization': 'Basic x',
      },
    })
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let body = ''
    for await (const chunk of response.setEncoding('utf8')) body += chunk
    const { headers } = JSON.parse(body) as Echo
    for (const name of ['x-mine', 'te', 'proxy-authorization']) expect(headers).not.toHaveProperty(name)
    expect(headers.via).toMatch(/^1\.1 plant-mock-/)
    for (const name of ['x-hop', 'proxy-authenticate']) expect(response.headers).not.toHaveProperty(name)
  })

  it('passes redirects on and follows none', async () => {
    const { url: upstream } = await serve((_, res) => {
      res.writeHead(302, { location: 'https://elsewhere.example/login' }).end()
    })
    const { url } = await inFront(upstream, { for: 'all' })
    for (const path of ['/x', '/plants']) {
      const response = await fetch(`${url}${path}`, { redirect: 'manual' })
      expect([response.status, response.headers.get('location')]).toEqual([
        302,
        'https://elsewhere.example/login',
      ])
    }
  })

  it('streams a hundred megabytes both ways', { timeout: 120_000 }, async () => {
    const size = 100 * 1024 * 1024
    const { url: upstream } = await serve((req, res) => {
      res.writeHead(200, { 'content-type': 'application/octet-stream' })
      req.pipe(res)
    })
    const { url } = await inFront(upstream)
    const chunk = Buffer.alloc(64 * 1024, 1)
    const request = httpRequest(`${url}/upload`, { method: 'POST' })
    const write = async () => {
      for (let sent = 0; sent < size; sent += chunk.length)
        if (!request.write(chunk)) await once(request, 'drain')
      request.end()
    }
    const writing = write()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let received = 0
    for await (const part of response) received += (part as Buffer).length
    await writing
    expect(received).toBe(size)
  })

  it('carries a WebSocket, in both directions, until one side closes', async () => {
    const upstream = await serve(echo)
    const sockets = new WebSocketServer({ server: upstream.server })
    sockets.on('connection', (socket) => socket.on('message', (data) => socket.send(`echo ${data}`)))
    const { url } = await inFront(upstream.url)
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

  it('takes a thousand requests at once', { timeout: 60_000 }, async () => {
    const { url: upstream } = await serve((req, res) => answer(res, 200, req.url))
    const { url } = await inFront(upstream, { for: 'all' })
    const paths = Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? `/n/${i}` : `/plants?limit=${i}`))
    const answers = await Promise.all(
      paths.map(async (path) => (await fetch(`${url}${path}`, as('alice'))).json()),
    )
    expect(answers).toEqual(paths)
  })
})

/** A service that speaks what it is told, and notes what it hears. */
const speak = async (answerTo: (heard: string) => string | undefined) => {
  let heard = ''
  let connections = 0
  const server = createNetServer((socket) => {
    connections++
    socket.on('close', () => connections--)
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      heard += data
      const said = answerTo(String(data))
      if (said !== undefined) socket.write(said)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, heard: () => heard, connections: () => connections }
}

/** Sends bytes as they are, and gives what comes until the answer has ended. */
const sendRaw = async (url: string, text: string): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let got = ''
  socket.on('data', (data) => {
    got += data
  })
  socket.on('error', () => undefined)
  socket.write(text)
  await once(socket, 'close')
  return got
}

describe('an exchange that is meant to break the mock', () => {
  const ok = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]'
  const hidden = 'GET /admin HTTP/1.1\r\nHost: hidden\r\n\r\n'
  const chunked = `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`
  const close = 'Host: x\r\nConnection: close'

  it.each([
    ['DELETE', '/thing', `${close}\r\nTransfer-Encoding: chunked`, chunked],
    ['GET', '/thing', `${close}\r\nTransfer-Encoding: chunked`, chunked],
    ['GET', '/plants', `${close}\r\nTransfer-Encoding: chunked`, chunked],
    [
      'DELETE',
      '/thing',
      `Host: x\r\nConnection: close, content-length\r\nContent-Length: ${hidden.length}`,
      hidden,
    ],
    [
      'GET',
      '/plants',
      `Host: x\r\nConnection: close, content-length\r\nContent-Length: ${hidden.length}`,
      hidden,
    ],
  ])('hides no second request in the body of %s %s', async (method, path, headers, body) => {
    const service = await speak(() => ok)
    const { url } = await inFront(service.url, { for: 'plants' })
    await sendRaw(url, `${method} ${path} HTTP/1.1\r\n${headers}\r\n\r\n${body}`)
    const [head = ''] = service.heard().split('\r\n\r\n')
    const length = /^content-length: (\d+)$/im.exec(head)?.[1]
    const isFramed = /^transfer-encoding: chunked$/im.test(head) || Number(length) === hidden.length
    expect({ head, isFramed }).toMatchObject({ isFramed: true })
  })

  it.each(['HTTP/1.1 099 Odd', 'HTTP/1.1 000 Odd', 'HTTP/1.1 200 O\u0001K', 'HTTP/1.1 999 Odd'])(
    'with an answer that begins %j leaves it standing',
    async (line) => {
      const service = await speak(() => `${line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
      const { url } = await inFront(service.url, { for: 'plants', timeout: 1_000 })
      for (const path of ['/x', '/plants'])
        expect([200, 502]).toContain((await fetch(`${url}${path}`, as('a'))).status)
      expect((await fetch(`${url}/__plant-mock/state`)).status).toBe(200)
    },
  )

  it('with a change of protocol that nobody asked for is 502', async () => {
    const service = await speak(
      () => 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n',
    )
    const { url } = await inFront(service.url, { for: 'plants' })
    for (const path of ['/x', '/plants']) expect((await fetch(`${url}${path}`, as('a'))).status).toBe(502)
  })

  it('holds no connection for answers without a body', async () => {
    const { server, url: service } = await serve((_, res) => res.writeHead(304).end())
    const { url } = await inFront(service, { for: 'plants' })
    for (let i = 0; i < 20; i++) expect((await fetch(`${url}/plants`, as('a'))).status).toBe(304)
    const count = await new Promise<number>((resolve) =>
      server.getConnections((_, number) => resolve(number)),
    )
    expect(count).toBe(1)
  })

  it('that asks for another upgrade than a WebSocket is answered as if it had not', async () => {
    const service = await speak(() => ok)
    const { url } = await inFront(service.url)
    const upgrade =
      'Host: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nAuthorization: Bearer a\r\n\r\n'
    expect(await sendRaw(url, `GET /plants HTTP/1.1\r\n${upgrade}`)).toMatch(/^HTTP\/1\.1 200 OK/)
    const control = upgrade.replace('h2c', 'websocket')
    expect(await sendRaw(url, `GET /__plant-mock/state HTTP/1.1\r\n${control}`)).toMatch(
      /"name":"plant-mock"/,
    )
    expect(service.heard()).toBe('')
  })

  it('tells the upstream nothing of what is said to the mock, and the page what went wrong', async () => {
    const service = await speak(() => ok)
    const { url } = await inFront(service.url, { for: 'plants' })
    const headers = { 'plant-mock-control-key': 'secret', 'plant-mock-session': 'one', ...bearer('a') }
    for (const path of ['/x', '/plants']) await fetch(`${url}${path}`, { headers })
    expect(service.heard()).not.toMatch(/plant-mock-(?:control|session)/i)
    const down = await inFront('http://127.0.0.1:1')
    const refused = await fetch(`${down.url}/x`, { headers: { origin: 'https://page.example' } })
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([502, '*'])
  })

  it('is passed on by path and query, whatever address it names', async () => {
    const service = await speak(() => ok)
    const { url } = await inFront(service.url)
    await sendRaw(url, `GET http://api.example/echo?a=1 HTTP/1.1\r\n${close}\r\n\r\n`)
    expect(service.heard()).toMatch(/^GET \/echo\?a=1 HTTP/)
  })

  it('has no token of its own in the log', async () => {
    const seen: LoggedRequest[] = []
    const { url } = await inFront(
      (await serve(echo)).url,
      { for: 'plants', check: 'report' },
      { onRequest: (request) => seen.push(request) },
    )
    await fetch(`${url}/plants?limit=${secret}`, as(secret))
    await fetch(`${url}/x?t=${secret}`, as(secret))
    expect(JSON.stringify(seen)).not.toContain(secret)
    expect(seen).toHaveLength(2)
  })

  it('is not judged where its body cannot be read', async () => {
    const { url: service } = await serve((_, res) =>
      res.writeHead(200, { 'content-encoding': 'zstd' }).end('x'),
    )
    const { url } = await inFront(service, { for: 'plants', check: 'strict' })
    expect((await fetch(`${url}/plants`, as('a'))).status).toBe(200)
  })
})

describe('when the upstream is away', () => {
  const free = async () => {
    const server = createNetServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    server.close()
    await once(server, 'close')
    return `http://127.0.0.1:${port}`
  }
  const raw = async (onConnection: (socket: Socket) => void) => {
    const server = createNetServer(onConnection).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const sockets = new Set<Socket>()
    server.on('connection', (socket) => sockets.add(socket))
    open.push(() => {
      server.close()
      for (const socket of sockets) socket.destroy()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const paths = ['/x', '/plants']

  it.each(paths)('refused: 502 with its name, and what to look at (%s)', async (path) => {
    const upstream = await free()
    const { url } = await inFront(upstream, { for: 'all' })
    const response = await fetch(`${url}${path}`, as('alice'))
    expect([response.status, response.headers.get('content-type')]).toEqual([502, 'application/problem+json'])
    expect(await response.json()).toMatchObject({
      type: 'urn:problem-type:plant-mock:upstream-unreachable',
      detail: `${upstream} refuses connections; is it running? (ECONNREFUSED).`,
    })
  })

  it.each(paths)('reset: 502 (%s)', async (path) => {
    const upstream = await raw((socket) => socket.once('data', () => socket.resetAndDestroy()))
    const { url } = await inFront(upstream, { for: 'all' })
    const response = await fetch(`${url}${path}`, as('alice'))
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { detail: expect.stringContaining(upstream) },
    ])
  })

  it.each(paths)('slow: 504 after the time it has (%s)', async (path) => {
    const upstream = await raw(() => undefined)
    const { url } = await inFront(upstream, { for: 'all', timeout: 50 })
    const response = await fetch(`${url}${path}`, as('alice'))
    expect([response.status, await response.json()]).toMatchObject([
      504,
      { detail: `${upstream} did not answer within 0.05 s. --upstream-timeout allows more.` },
    ])
  })

  it('not HTTP at all: 502 (%s)', async () => {
    const upstream = await raw((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))
    const { url } = await inFront(upstream, { for: 'all' })
    for (const path of paths) expect((await fetch(`${url}${path}`, as('alice'))).status).toBe(502)
  })

  it('gone in the middle of an answer: a held one is 502, a streamed one breaks off', async () => {
    const upstream = await raw((socket) =>
      socket.once('data', () => {
        socket.write(
          'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[{"name"',
          () => socket.destroy(),
        )
      }),
    )
    const { url } = await inFront(upstream, { for: 'all' })
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(502)
    await expect(fetch(`${url}/x`).then((response) => response.text())).rejects.toThrow()
    // And the mock serves on.
    expect((await fetch(`${url}/__plant-mock/state`)).status).toBe(200)
  })

  it('a WebSocket is refused with 502', async () => {
    const { url } = await inFront(await free())
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(
      'GET /live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    )
    const [data] = await once(socket, 'data')
    expect(String(data)).toMatch(/^HTTP\/1\.1 502 /)
    await once(socket, 'close')
  })

  it('the model answers with fallback, and says why', async () => {
    const upstream = await free()
    const { url, mock } = await inFront(upstream, { for: 'plants', fallback: true }, { fixtures: ['garden'] })
    const response = await fetch(`${url}/plants?limit=1`, as('alice'))
    expect(await response.json()).toHaveLength(1)
    expect(response.headers.get('plant-mock-source')).toMatch(
      /^fallback; reason=upstream-unreachable; model="assumption; names='/,
    )
    expect(await mock.requests.last()).toMatchObject({ source: 'fallback', status: 200 })
    expect((await fetch(`${url}/x`)).status).toBe(502)
  })
})

describe('the contract’s operations at the upstream', () => {
  const plants = [{ name: 'Aloe vera', tag: 'succulent' }]

  it('go through as they are, with the source upstream, and into the journal', async () => {
    const { url: upstream } = await serve((req, res) =>
      req.method === 'POST' ? answer(res, 200, plants[0], { 'x-own': '1' }) : answer(res, 200, plants),
    )
    const { url, mock } = await inFront(upstream, { for: 'plants' })
    const created = await fetch(`${url}/plants`, post({ id: 1, ...plants[0] }, bearer(secret)))
    expect([created.status, created.headers.get('x-own'), created.headers.get('plant-mock-source')]).toEqual([
      200,
      '1',
      'upstream',
    ])
    expect(await (await fetch(`${url}/plants?limit=3`, as(secret))).json()).toEqual(plants)
    expect(await mock.requests.all()).toMatchObject([
      { operation: 'createPlant', caller: 'caller-1', source: 'upstream', response: { json: plants[0] } },
      { operation: 'listPlants', caller: 'caller-1', source: 'upstream', response: { json: plants } },
    ])
    expect(await mock.plants.all()).toEqual([])
    const hits = (await mock.coverage()).filter(({ count }) => count > 0).map(({ outcome }) => outcome)
    expect(hits).toEqual(['success', 'success'])
    expect(JSON.stringify(await mock.requests.all())).not.toContain(secret)
  })

  it('keep their bytes: compressed, not UTF-8, and longer than can be held', async () => {
    const bodies: Record<string, Buffer> = {
      '/plants?a': gzipSync(JSON.stringify(plants)),
      '/plants?b': Buffer.from([0xff, 0xfe, 0x00]),
      '/plants?c': Buffer.alloc(20 * 1024 * 1024, 0x20),
    }
    const { url: upstream } = await serve((req, res) => {
      const body = bodies[req.url ?? ''] ?? Buffer.alloc(0)
      res.writeHead(200, {
        'content-type': 'application/json',
        ...(req.url === '/plants?a' && { 'content-encoding': 'gzip' }),
      })
      res.end(body)
    })
    const { url, mock } = await inFront(upstream, { for: 'plants', check: 'report' })
    for (const [path, body] of Object.entries(bodies)) {
      const request = httpRequest(`${url}${path}`, {
        headers: { ...bearer('alice'), 'accept-encoding': 'gzip' },
      })
      request.end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk as Buffer)
      expect(Buffer.concat(chunks).equals(body)).toBe(true)
    }
    expect(await mock.requests.find({})).toMatchObject({ response: { json: plants } })
  })

  it('ask for the encodings that the client asked for, unless they are to be looked at', async () => {
    const { url: upstream } = await serve(echo)
    const asked = async (check: 'report' | undefined) => {
      const { url } = await inFront(upstream, { for: 'plants', ...(check && { check }) })
      const headers = { ...bearer('alice'), 'accept-encoding': 'zstd, gzip' }
      return ((await (await fetch(`${url}/plants`, { headers })).json()) as Echo).headers['accept-encoding']
    }
    expect([await asked(undefined), (await asked('report'))?.trim()]).toEqual(['zstd, gzip', 'gzip'])
  })

  it('get faults of the mock in front of them', async () => {
    let asked = 0
    const { url: upstream } = await serve((_, res) => {
      asked++
      answer(res, 200, plants)
    })
    const { url, mock } = await inFront(upstream, { for: 'plants' })
    await mock.fail({ operation: 'listPlants', status: 503, times: 1 })
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(503)
    await mock.fail({ malformed: true, times: 1 })
    expect(await (await fetch(`${url}/plants`, as('alice'))).text()).toBe('[{"name":"Aloe vera"')
    expect(asked).toBe(1)
  })

  it('end where they come back: 508', async () => {
    const { server, url: middle } = await serve((req, res) => {
      // A station between that sends everything back to where it came from.
      const back = httpRequest(`${target}${req.url}`, {
        method: req.method,
        headers: req.headers as Record<string, string>,
      })
      req.pipe(back)
      back.on('response', (response) => {
        res.writeHead(response.statusCode ?? 0, response.headers)
        response.pipe(res)
      })
    })
    expect(server.listening).toBe(true)
    const { url: target } = await inFront(middle, { for: 'all' })
    for (const path of ['/x', '/plants']) {
      const response = await fetch(`${target}${path}`, as('alice'))
      expect([response.status, await response.json()]).toMatchObject([
        508,
        { detail: `${middle} sends requests back to this mock.` },
      ])
    }
  })

  it.each([
    ['ftp://x.example', /is no address of an upstream/],
    ['nowhere', /Write it as https:\/\/api\.example\.com/],
    ['http://user:secret@x.example', /may not hold a user and password/],
    ['http://x.example/?a=1', /no query, no fragment/],
  ])('need an address that can be used, not %s', async (address, message) => {
    await expect(startPlantMock({ upstream: { url: address } })).rejects.toThrow(message)
  })

  it('cannot be those of a mock that is given', async () => {
    const { createPlantMock } = await import('plant-mock')
    const given = { mock: createPlantMock(), upstream: { url: 'http://x.example', for: 'plants' } } as const
    await expect(startPlantMock(given)).rejects.toThrow('A mock that is given answers by itself')
  })

  it('must go there to be checked', async () => {
    await expect(startPlantMock({ upstream: { url: 'http://x.example', check: 'report' } })).rejects.toThrow(
      /--upstream-for plants/,
    )
  })
})

describe('a check of the exchanges', () => {
  const check = async (
    body: unknown,
    { status = 200, strict = false, contentType = 'application/json' } = {},
  ) => {
    const seen: LoggedRequest[] = []
    const { url: upstream } = await serve((_, res) => {
      res
        .writeHead(status, { 'content-type': contentType })
        .end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    const started = await inFront(
      upstream,
      { for: 'plants', check: strict ? 'strict' : 'report' },
      { onRequest: (request) => seen.push(request) },
    )
    return { ...started, seen }
  }
  const list = '/plants?limit=2'
  const create = post({ id: 1, name: 'a', tag: 'b' })

  it.each<[string, string, RequestInit, unknown, object, string[]]>([
    ['a list as it is shown', list, as('alice'), [{ name: 'a', tag: 'b' }], {}, []],
    [
      'a failure in JSON',
      list,
      as('alice'),
      { error: 1 },
      { status: 500, contentType: 'application/problem+json' },
      [],
    ],
    [
      'a list that is an object',
      list,
      as('alice'),
      { plants: [] },
      {},
      ['answer 4.2: The body is not an array.'],
    ],
    [
      'an element with an id',
      list,
      as('alice'),
      [
        { name: 'a', tag: 'b' },
        { id: 1, name: 'a', tag: 'b' },
      ],
      {},
      ['answer 2.2, 4.2: Element 1: id is not a field of a plant.'],
    ],
    [
      'more than limit',
      list,
      as('alice'),
      Array(3).fill({ name: 'a', tag: 'b' }),
      {},
      ['answer 4.2, 8: There are 3 plants, more than limit=2.'],
    ],
    ['what is no JSON', list, as('alice'), '<html>', { status: 502 }, ['answer 1: The body is not JSON.']],
    [
      'JSON that does not say so',
      list,
      as('alice'),
      [],
      { contentType: 'text/html' },
      ['answer 1: The body is JSON, but Content-Type is text/html.'],
    ],
    [
      'a created plant with its id',
      '/plants',
      create,
      { id: 1, name: 'a', tag: 'b' },
      {},
      ['answer 2.1, 4.1: id is not a field of a plant.'],
    ],
    [
      'a created plant of another name',
      '/plants',
      create,
      { name: 'x', tag: 'b' },
      {},
      ['answer 4.1: name is not as it was sent.'],
    ],
    [
      'a request that violating',
      '/plants?page=1',
      as('alice'),
      [],
      {},
      ['request 4.2: A list has no query parameter page; it has limit.'],
    ],
  ])('finds of %s what it should', async (_, path, init, body, more, violations) => {
    const { url, mock, seen } = await check(body, more)
    const response = await fetch(`${url}${path}`, init)
    expect(await response.text()).toBe(typeof body === 'string' ? body : JSON.stringify(body))
    const expected = violations.length === 0 ? '"none"' : violations.map((text) => `"${text}"`).join(', ')
    expect(response.headers.get('plant-mock-violations')).toBe(expected)
    const told = (list: readonly { in: string; section: string; detail: string }[]) =>
      list.map((violation) => `${violation.in} ${violation.section}: ${violation.detail}`)
    expect(told(await mock.violations())).toEqual(violations)
    expect(told(seen[0]?.violations ?? [])).toEqual(violations)
  })

  it('that is strict answers 502 with the violations, and does not send a request that violating', async () => {
    const { url } = await check({ plants: [] }, { strict: true })
    const response = await fetch(`${url}/plants`, as('alice'))
    expect([response.status, await response.json()]).toMatchObject([
      502,
      {
        type: 'urn:problem-type:plant-mock:upstream-violation',
        detail: 'The answer violates section 4.2: The body is not an array.',
        violations: [{ in: 'answer', section: '4.2' }],
      },
    ])
    const asked = await fetch(`${url}/plants?page=1`, as('alice'))
    expect([asked.status, await asked.json()]).toMatchObject([502, { violations: [{ in: 'request' }] }])
  })
})

describe('a recording of the upstream', () => {
  const folder = async () => {
    const path = await mkdtemp(join(tmpdir(), 'plant-mock-'))
    open.push(() => rm(path, { recursive: true }))
    return path
  }
  const recordingTo = (file: string, url: string, more: StartOptions = {}) =>
    startPlantMock({ upstream: { url, for: 'plants', record: file }, grace: 0, ...more })
  const tokens = ['token-of-alice-that-is-long', 'token-of-bob-that-is-as-long']
  const listOf = async (url: string, token: string, query = '') =>
    (await fetch(`${url}/plants${query}`, as(token))).json()

  const step = fc.oneof(
    fc.record({
      token: fc.constantFrom(...tokens),
      id: fc.nat(9),
      name: fc.constantFrom('a', 'b', 'c'),
    }),
    fc.record({ token: fc.constantFrom(...tokens), limit: fc.option(fc.nat(4), { nil: undefined }) }),
  )

  it('gives the same lists to its pseudonyms, whatever was created and listed', {
    timeout: 60_000,
  }, async () => {
    const path = await folder()
    let run = 0
    const property = fc.asyncProperty(
      fc.array(fc.record({ name: fc.constantFrom('a', 'b'), tag: fc.constant('t') }), { maxLength: 4 }),
      fc.array(step, { maxLength: 10 }),
      async (fixtures, steps) => {
        const file = join(path, `${++run}.json`)
        const service = await startPlantMock({ fixtures, grace: 0 })
        const recording = await recordingTo(file, service.url)
        for (const one of steps) {
          const headers = as(one.token).headers as Record<string, string>
          if ('limit' in one)
            await listOf(recording.url, one.token, one.limit === undefined ? '' : `?limit=${one.limit}`)
          else await fetch(`${recording.url}/plants`, post({ id: one.id, name: one.name, tag: 't' }, headers))
        }
        const lists = [
          await listOf(recording.url, tokens[0] ?? ''),
          await listOf(recording.url, tokens[1] ?? ''),
        ]
        const names = tokens.map((token) => recording.mock.instances.callers.pseudonymOf(token))
        await recording.close()
        await service.close()
        const replay = await startPlantMock({ fixtures: [file], grace: 0 })
        expect([await listOf(replay.url, names[0] ?? ''), await listOf(replay.url, names[1] ?? '')]).toEqual(
          lists,
        )
        await replay.close()
        expect(await readFile(file, 'utf8')).not.toContain('token-of')
      },
    )
    await fc.assert(property, { numRuns: 40 })
  })

  it('is merged with what the file holds, under the names that callers have', async () => {
    const file = join(await folder(), 'recorded.json')
    const before = { id: 5, name: 'Mint', tag: 'herb', access: ['bob'] }
    await writeFile(file, JSON.stringify({ plants: [before] }))
    const service = await start({ fixtures: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] })
    const callers = { alice: tokens[0] ?? '' }
    const recording = await recordingTo(file, service.url, { callers })
    await listOf(recording.url, tokens[0] ?? '')
    await recording.close()
    const recorded = [before, { name: 'Aloe vera', tag: 'succulent', access: ['alice'] }]
    expect((await loadFixtures(file)).toSorted((a, b) => (a.name < b.name ? 1 : -1))).toEqual(recorded)
    const replay = await start({ fixtures: [file], callers })
    expect(await listOf(replay.url, tokens[0] ?? '')).toEqual([{ name: 'Aloe vera', tag: 'succulent' }])
    expect(await replay.mock.requests.last()).toMatchObject({ caller: 'alice' })
  })

  it('has one name for each token: two are refused, without a word of the token', async () => {
    const callers = { alice: secret, bob: secret }
    await expect(startPlantMock({ callers })).rejects.toThrow(
      'The callers "alice" and "bob" have one and the same token.',
    )
  })

  it('is refused where it cannot be written, with nothing started', async () => {
    const { url } = await start({})
    await expect(recordingTo('/nowhere/at/all.json', url)).rejects.toThrow(/^--record cannot write/)
    await expect(recordingTo('x.ndjson', url)).rejects.toThrow('--record writes a .json file, not x.ndjson.')
    const file = join(await folder(), 'bad.json')
    await writeFile(file, '{"plants":[{"name":1}]}')
    await expect(recordingTo(file, url)).rejects.toThrow(/bad\.json/)
    expect(await readFile(file, 'utf8')).toBe('{"plants":[{"name":1}]}')
  })

  it('is written at the end when it could not be before, and says so meanwhile', async () => {
    const path = join(await folder(), 'gone')
    await mkdir(path)
    const notices: string[] = []
    const service = await start({ fixtures: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] })
    const onNotice = (text: string) => notices.push(text)
    const recording = await recordingTo(join(path, 'recorded.json'), service.url, { onNotice })
    await rm(path, { recursive: true })
    await listOf(recording.url, 'x')
    await expect.poll(() => notices).toEqual([expect.stringContaining('could not be written: ENOENT')])
    await mkdir(path)
    await recording.close()
    expect(await loadFixtures(join(path, 'recorded.json'))).toMatchObject([{ name: 'Aloe vera' }])
  })

  it('remembers nothing of answers that are not the contract’s', async () => {
    const file = join(await folder(), 'recorded.json')
    const { url: service } = await serve((_, res) => answer(res, 200, [{ name: 'a' }]))
    const recording = await recordingTo(file, service)
    await listOf(recording.url, 'x')
    await recording.close()
    expect(await loadFixtures(file)).toEqual([])
  })
})
