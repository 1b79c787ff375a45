import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { useServers } from '../../support/start.ts'
import { type EchoedRequest, echo, emptyList as ok, refusingUrl } from '../../support/upstream.ts'
import { createText, openConnection, parseResponses, parseStatuses, requestText, sendRaw } from '../../support/wire.ts'

const { closers, serve, serveBytes, serveSockets, startProxy } = useServers()

const startBeforeTls = async (onUpgrade: (socket: Socket) => void = () => undefined) => {
  const pem = (name: string) => readFileSync(new URL(`../../package/support/tls/${name}.pem`, import.meta.url))
  const counts = { connections: 0, requests: 0 }
  const server = createServer({ cert: pem('cert'), key: pem('key') }, (req, res) => {
    counts.requests++
    if (seen.has(req.socket) && req.url === '/closes') req.socket.destroy()
    else res.writeHead(200).end()
    seen.add(req.socket)
  })
  const seen = new WeakSet<Socket>()
  server.on('secureConnection', () => counts.connections++)
  server.on('upgrade', (_, socket) => onUpgrade(socket as Socket))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const { url } = await startProxy(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return { url, counts }
}

const trustEverything = (value = '0') => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value)
  closers.push(() => vi.unstubAllEnvs())
}

const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'

const serveOnce = async (then: (socket: Socket, text: string) => void, first = ok) => {
  const connections: string[] = []
  const url = await serveSockets((socket) => {
    const index = connections.push('') - 1
    socket.on('error', () => undefined)
    socket.on('data', (data) => {
      const isFirst = connections[index] === ''
      connections[index] = `${connections[index]}${data}`
      if (isFirst) socket.write(first)
      else then(socket, String(data))
    })
  })
  return { url, connections }
}

describe('a connection that the upstream closes when it is used again', () => {
  it.each(['GET /x', 'HEAD /x', 'GET /plants'])('is replaced once for %s', async (line) => {
    const [method = '', path] = line.split(' ')
    const { url: upstream } = await serveOnce((socket) => socket.destroy())
    const { url } = await startProxy(upstream, { for: 'all' })
    for (let count = 0; count < 30; count++) expect((await fetch(`${url}${path}`, { method })).status).toBe(200)
  })

  it('is replaced over TLS too', async () => {
    trustEverything()
    const { url, counts } = await startBeforeTls()
    for (let count = 0; count < 3; count++) expect((await fetch(`${url}/closes`)).status).toBe(200)
    expect(counts).toEqual({ connections: 3, requests: 4 })
  })

  it.each([
    ['POST', '{}'],
    ['PUT', '{}'],
    ['PUT', null],
    ['DELETE', null],
  ])('fails for a %s with the body %s, which the upstream may have handled', async (method, body) => {
    const { url: upstream, connections } = await serveOnce((socket) => socket.destroy())
    const { url } = await startProxy(upstream)
    const statuses: number[] = []
    for (let count = 0; count < 2; count++) statuses.push((await fetch(`${url}/x`, { method, body })).status)
    expect(statuses).toEqual([200, 502])
    expect(connections).toHaveLength(1)
  })

  it.each<[string, (socket: Socket) => unknown, number]>([
    ['after a timeout', () => undefined, 504],
    ['when a part of the response has arrived', (socket) => socket.write('HTTP/1.1 200', () => socket.destroy()), 502],
  ])('is not replaced %s', async (_, then, status) => {
    const { url: upstream, connections } = await serveOnce(then)
    const { url } = await startProxy(upstream, { timeout: 50 })
    expect([(await fetch(`${url}/x`)).status, (await fetch(`${url}/x`)).status]).toEqual([200, status])
    expect(connections).toHaveLength(1)
  })

  it('is replaced only once', async () => {
    let answers = 0
    const upstream = await serveSockets((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', () => {
        if (answers++ === 0) socket.write(ok)
        else socket.destroy()
      })
    })
    const { url } = await startProxy(upstream)
    expect([(await fetch(`${url}/x`)).status, (await fetch(`${url}/x`)).status]).toEqual([200, 502])
    expect(answers).toBe(3)
  })
})

describe('an idle connection to the upstream', () => {
  it('is used again over TLS', async () => {
    trustEverything()
    const { url, counts } = await startBeforeTls()
    for (let count = 0; count < 3; count++) expect((await fetch(`${url}/x`)).status).toBe(200)
    expect(counts).toEqual({ connections: 1, requests: 3 })
  })

  it('is closed with the mock', async () => {
    const closed: Promise<unknown>[] = []
    const upstream = await serveSockets((socket) => {
      closed.push(once(socket, 'close'))
      socket.on('data', () => socket.write(ok))
    })
    const { url, close } = await startProxy(upstream)
    await fetch(`${url}/x`)
    await close()
    await Promise.all(closed)
    expect(closed).toHaveLength(1)
  })
})

describe('a request with a header that decides its meaning', () => {
  const type = 'Content-Type: text/plain'
  const twice: [string, string[]][] = [
    ['GET /plants', ['Authorization: Bearer bob']],
    ['GET /other', ['authorization: Basic YTpi']],
    ['GET /other', ['Authorization: Bearer alice']],
    ['GET /other', ['Host: evil.example']],
    ['POST /plants', ['Content-Length: 2', type, type]],
    ['POST /other', ['Content-Length: 2', type, 'content-type: application/json']],
    ['POST /other', ['Content-Length: 2', 'Content-Length: 0']],
  ]

  it.each(twice)('twice is refused, and not forwarded: %s with %j', async (line, headers) => {
    const service = await serveBytes(ok)
    const { url } = await startProxy(service.url, { for: 'all' })
    expect(parseStatuses(await sendRaw(url, `${requestText(line, [...headers, 'Connection: close'])}[]`))[0]).toBe(400)
    expect(service.received()).toBe('')
  })

  it('keeps it, even if Connection names it', async () => {
    const service = await serveBytes(ok)
    const { url } = await startProxy(service.url)
    await sendRaw(url, requestText('GET /other', ['Connection: close, Authorization']))
    expect(service.received()).toContain('authorization: Bearer alice')
  })
})

const upgrade = [
  'Upgrade: websocket',
  'Connection: Upgrade',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version: 13',
]
const handshake = (...headers: string[]) => requestText('GET /socket', [...upgrade, ...headers])

describe('a WebSocket handshake', () => {
  it.each(['Content-Length: 30', 'Transfer-Encoding: chunked', 'Host: evil.example', 'Authorization: Bearer bob'])(
    'with %s is refused, and not forwarded',
    async (header) => {
      const service = await serveBytes(ok)
      const { url } = await startProxy(service.url)
      const answer = await sendRaw(url, `${handshake(header)}GET /admin HTTP/1.1\r\nHost: localhost\r\n\r\n`)
      expect(parseStatuses(answer)).toEqual([400])
      expect(answer).toMatch(
        /A WebSocket handshake has no body|Send one Host header|Send the header authorization once/,
      )
      expect(service.received()).toBe('')
    },
  )

  it.each(['GET /plants', 'GET http://localhost/plants?limit=1', 'POST /plants', 'GET /__plant-mock/health'])(
    'of %s gets the response of the mock',
    async (line) => {
      const service = await serveBytes(ok)
      const { url } = await startProxy(service.url)
      const answer = await sendRaw(url, requestText(line, [...upgrade, 'Connection: close']))
      const plain = await sendRaw(url, requestText(line, ['Connection: close']))
      expect(parseStatuses(answer)).toEqual(parseStatuses(plain))
      expect(parseStatuses(answer)).toHaveLength(1)
      expect(service.received()).toBe('')
    },
  )

  it('of GET /plants is checked like any request', async () => {
    const service = await serveBytes('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}')
    const { url } = await startProxy(service.url, { for: 'all', check: 'strict' })
    const answer = await sendRaw(url, requestText('GET /plants', [...upgrade, 'Connection: close']))
    expect([parseStatuses(answer), answer]).toEqual([[502], expect.stringContaining('upstream-violation')])
  })

  it.each(['POST', 'DELETE', 'OPTIONS', 'HEAD'])('with the method %s gets an ordinary response', async (method) => {
    const service = await serveBytes('HTTP/1.1 204 No Content\r\n\r\n')
    const { url } = await startProxy(service.url)
    const answer = await sendRaw(url, requestText(`${method} /x`, [...upgrade, 'Connection: close']))
    expect(parseStatuses(answer)).toEqual([204])
    expect(service.received()).not.toMatch(/^upgrade:/im)
  })

  it('names the host of the upstream, and the protocol alone', async () => {
    const service = await serveBytes('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n')
    const { url } = await startProxy(service.url)
    await sendRaw(url, requestText('GET /socket', ['Connection: X-Mine', 'X-Mine: 1', ...upgrade]))
    const sent = service.received().toLowerCase().split('\r\n')
    expect(sent).toEqual(
      expect.arrayContaining([`host: ${new URL(service.url).host}`, 'connection: upgrade', 'upgrade: websocket']),
    )
    expect(sent).not.toContain('x-mine: 1')
  })

  it.each([
    ['that the upstream refuses', () => serveBytes('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'), 403],
    ['before an upstream that is away', async () => ({ url: await refusingUrl() }), 502],
    ['that the upstream accepts', () => serveBytes(switching), 101],
  ])('%s is in the journal with the status of its response', async (_, start, status) => {
    const { url: upstream } = await start()
    const { url, mock } = await startProxy(upstream)
    const connection = openConnection(url)
    connection.send(handshake())
    expect(await connection.until(/\r\n\r\n/)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    connection.socket.destroy()
    expect((await mock.requests.all()).map(({ source, status }) => [source, status])).toEqual([['upstream', status]])
  })

  it('gets 508 when the upstream forwards it to the same mock', async () => {
    const { url: upstream } = await serve(echo)
    const { url, mock } = await startProxy(upstream)
    const { headers } = (await (await fetch(`${url}/x`)).json()) as EchoedRequest
    const [answer] = parseResponses(await sendRaw(url, handshake(`Via: ${headers.via}`)))
    expect(answer).toMatchObject({
      status: 508,
      headers: { 'content-type': 'application/problem+json', 'plant-mock-source': 'upstream', connection: 'close' },
    })
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ detail: `${upstream} sends requests back to this mock.` })
    expect((await mock.requests.last())?.status).toBe(508)
  })

  it('is cut off when the response that refuses it is', async () => {
    const upstream = await serveSockets((socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 403 Forbidden\r\nContent-Length: 10\r\n\r\nhalf', () => socket.destroy()),
      ),
    )
    const { url } = await startProxy(upstream)
    expect(await sendRaw(url, handshake())).toMatch(/^HTTP\/1\.1 403 [\s\S]*\r\n\r\n(?:half)?$/)
  })

  it('that the upstream refuses leaves no connection for other requests', async () => {
    const { url: upstream, connections } = await serveOnce((socket) => socket.write(ok))
    const { url } = await startProxy(upstream)
    expect(parseStatuses(await sendRaw(url, handshake()))).toEqual([200])
    expect((await fetch(`${url}/x`)).status).toBe(200)
    expect(connections.map((text) => /^\S+ \S+/.exec(text)?.[0])).toEqual(['GET /socket', 'GET /x'])
  })
})

describe('a WebSocket to an upstream with a certificate that is not trusted', () => {
  it.each([
    ['', 502],
    ['0', 101],
  ])('with NODE_TLS_REJECT_UNAUTHORIZED=%s gets %i, as a request does', async (value, status) => {
    trustEverything(value)
    const { url } = await startBeforeTls((socket) => socket.write(switching))
    expect((await fetch(`${url}/x`)).status).toBe(status === 101 ? 200 : 502)
    const connection = openConnection(url)
    connection.send(handshake())
    expect(await connection.until(/\r\n/)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    connection.socket.destroy()
  })
})

describe('an open WebSocket', () => {
  it('ends at the upstream too when the mock closes, or when the client leaves', async () => {
    for (const end of ['client', 'mock'] as const) {
      let ended: Promise<unknown> = Promise.resolve()
      const upstream = await serveSockets((socket) => {
        ended = once(
          socket.on('error', () => undefined),
          'close',
        )
        socket.once('data', () => socket.write(switching))
      })
      const { url, close } = await startProxy(upstream)
      const connection = openConnection(url)
      connection.send(handshake())
      await connection.until(/101 Switching/)
      if (end === 'client') connection.socket.destroy()
      else await close()
      await ended
    }
  })

  it('ends for the client when the upstream ends it at once', async () => {
    const upstream = await serveSockets((socket) => socket.once('data', () => socket.end(`${switching}last`)))
    const { url } = await startProxy(upstream)
    expect(await sendRaw(url, handshake())).toMatch(/^HTTP\/1\.1 101 [\s\S]*\r\n\r\nlast$/)
  })

  it('is closed after the upstream has ended it, even if the client keeps its side open', async () => {
    const upstream = await serveSockets((socket) => socket.once('data', () => socket.end(switching)))
    const { url } = await startProxy(upstream)
    const { socket, send, ended, wasReset } = openConnection(url, { halfOpen: true })
    send(handshake())
    await ended
    // Only data on a closed connection makes the other side reset the connection.
    const write = () => socket.write('x', (error) => error ?? setImmediate(write))
    write()
    expect(await wasReset).toBe(true)
  })

  it('ends without a problem document when the upstream resets it', async () => {
    const upstream = await serveSockets((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        socket.write(switching)
        socket.once('data', () => socket.resetAndDestroy())
      })
    })
    const { url, mock } = await startProxy(upstream)
    const connection = openConnection(url)
    connection.send(handshake())
    const response = await connection.until(/\r\n\r\n/)
    connection.send('a message')
    expect(await connection.ended).toBe(response)
    expect((await mock.requests.all()).map(({ status }) => status)).toEqual([101])
  })
})

describe('an upgrade to another protocol', () => {
  const upgrade = ['Upgrade: h2c', 'Connection: Upgrade, HTTP2-Settings', 'HTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA']

  it('is ignored for a create, whose body may come later, and for the request after it', async () => {
    const service = await serveBytes(ok)
    const { url, mock } = await startProxy(service.url)
    const body = JSON.stringify({ id: 1, name: 'Fern', tag: 'fern' })
    const create = requestText('POST /plants', [
      ...upgrade,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ])
    for (const part of [0, 10, body.length]) {
      await mock.reset()
      const connection = openConnection(url)
      connection.send(create + body.slice(0, part))
      // Waits until the server has the headers and the beginning of the body.
      if (part === 10) await new Promise((resolve) => connection.socket.write('', resolve))
      connection.send(body.slice(part))
      await connection.until(/201 Created/)
      connection.send(requestText('GET /plants', ['Connection: close']))
      expect([part, parseStatuses(await connection.ended)]).toEqual([part, [201, 200]])
      expect(await mock.plants.all()).toHaveLength(1)
    }
    expect(service.received()).toBe('')
  })
})

describe('a request target without a path', () => {
  it.each([
    ['http://mock.example?limit=1', '/?limit=1'],
    ['http://mock.example', '/'],
    ['http://mock.example/a?b', '/a?b'],
    ['HTTPS://mock.example:1?x', '/?x'],
  ])('%s is forwarded as %s', async (target, forwarded) => {
    const service = await serveBytes(ok)
    const { url } = await startProxy(service.url)
    await sendRaw(url, requestText(`GET ${target}`, ['Connection: close']))
    expect(service.received()).toMatch(new RegExp(`^GET ${forwarded.replace('?', '\\?')} HTTP/1\\.1\r\n`))
  })
})

describe('a body of more than 16 MiB', () => {
  it.each([
    ['requests', { method: 'GET', url: '/plants' }],
    ['requests/1/replay', undefined],
  ])('is closed at the upstream after POST %s, which needs no more of it', async (route, body) => {
    const closed: Promise<unknown>[] = []
    const { url: upstream } = await serve((_, res) => {
      closed.push(once(res, 'close'))
      res.writeHead(200, { 'content-type': 'application/json' })
      res.write(Buffer.alloc(17 * 1024 * 1024, ' '))
    })
    const { url } = await startProxy(upstream, { for: 'all' })
    const first = await fetch(`${url}/plants`)
    await first.body?.cancel()
    const headers = { 'content-type': 'application/json' }
    const sent = await fetch(`${url}/__plant-mock/${route}`, {
      method: 'POST',
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    expect([sent.status, await sent.json()]).toEqual([200, { id: 2 }])
    await Promise.all(closed)
  })
})

describe('a client that leaves', () => {
  const serveEndless = async (begin: (res: ServerResponse) => void) => {
    const closed: Promise<unknown>[] = []
    const arrived = new EventEmitter()
    const { url } = await serve((_, res) => {
      closed.push(once(res, 'close'))
      begin(res)
      arrived.emit('request')
    })
    return { url, closed, arrived }
  }

  it.each(['rest', 'all'] as const)('closes the responses that wait behind its first one (%s)', async (scope) => {
    const { url: upstream, closed, arrived } = await serveEndless((res) => res.write('x'.repeat(100)))
    const { url } = await startProxy(upstream, { for: scope })
    const connection = openConnection(url)
    const path = scope === 'all' ? '/plants' : '/other'
    connection.send(requestText(`GET ${path}`).repeat(3))
    while (closed.length < 3) await once(arrived, 'request')
    connection.socket.destroy()
    await Promise.all(closed)
  })

  it('ends the request of an operation to an upstream that does not answer', async () => {
    const { url: upstream, closed, arrived } = await serveEndless(() => undefined)
    const { url, mock } = await startProxy(upstream, { for: 'all', timeout: 600_000 })
    const connection = openConnection(url)
    connection.send(createText({ id: 1, name: 'fern', tag: 't' }))
    await once(arrived, 'request')
    connection.socket.destroy()
    await Promise.all(closed)
    expect(await mock.plants.all()).toEqual([])
  })

  it('closes its event streams, also those that wait behind another', async () => {
    const { url, mock } = await startProxy(await refusingUrl())
    const connection = openConnection(url)
    connection.send(requestText('GET /__plant-mock/events', ['Plant-Mock-Session: keep']).repeat(3))
    await connection.until(/200 OK/)
    connection.socket.destroy()
    // Above the limit, new sessions evict older sessions, except sessions with an open event stream.
    await vi.waitUntil(
      async () => {
        for (let count = 0; count < 260; count++)
          await fetch(`${url}/plants`, { headers: { 'plant-mock-session': `other-${count}` } })
        return !(await mock.sessions.all()).some(({ id }) => id === 'keep')
      },
      { timeout: 600_000 },
    )
  })
})
