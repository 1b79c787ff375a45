import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { connect, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import express, { type Request, type RequestHandler } from 'express'
import { createPlantMock } from 'plant-mock'
import { plantMiddleware, startPlantMock } from 'plant-mock/node'
import { describe, expect, it, vi } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'
import { sendRaw } from '../../support/wire.ts'

const { serve: listen, start } = useServers()

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }

describe('the bound address', () => {
  it('is by default 127.0.0.1 with any free port', async () => {
    const { url } = await start()
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(200)
  })

  it('is returned as a URL, for IPv6 too', async () => {
    const { url } = await start({ host: '::1' })
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(200)
  })

  it('causes an error that says what to do when the port is taken', async () => {
    const { url } = await start()
    const { port } = new URL(url)
    await expect(startPlantMock({ port: Number(port) })).rejects.toThrow(
      new RegExp(`^Port ${port} on 127\\.0\\.0\\.1 is taken\\. .* --port 0\\.$`),
    )
  })

  it('causes an error when it is not an address of this machine', async () => {
    await expect(startPlantMock({ host: '192.0.2.1' })).rejects.toThrow(
      /192\.0\.2\.1 is not an address of this machine/,
    )
  })

  it('causes an error when it is empty, which would bind every address', async () => {
    await expect(startPlantMock({ host: '' })).rejects.toThrow(
      'The host is empty. Use 127.0.0.1, or 0.0.0.0 to accept connections from other machines.',
    )
  })
})

describe('CORS', () => {
  const origin = 'https://app.example'

  it('answers a preflight without a token, with all that the contract needs', async () => {
    const { url } = await start()
    const response = await fetch(`${url}/plants`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,x-trace',
      },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(response.headers.get('access-control-allow-methods')).toContain('POST')
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization,content-type,x-trace')
    expect(response.headers.has('access-control-allow-credentials')).toBe(false)
  })

  it('lets pages of any origin read responses and their headers, failures too', async () => {
    const { url } = await start()
    for (const authorization of ['Bearer alice', '']) {
      const response = await fetch(`${url}/plants`, { headers: { origin, authorization } })
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-expose-headers')).toBe('*')
    }
  })

  it('does not echo invalid header names', async () => {
    const { url } = await start()
    const response = await sendRaw(
      url,
      `OPTIONS /plants HTTP/1.1\r\nHost: x\r\nConnection: close\r\nOrigin: ${origin}\r\nAccess-Control-Request-Method: GET\r\nAccess-Control-Request-Headers: a b<c>\r\n\r\n`,
    )
    expect(response).toContain('Access-Control-Allow-Headers: Authorization, Content-Type, Prefer\r\n')
  })
})

describe('a request body', () => {
  it('over the limit is drained and gets a 413, and the connection stays usable', async () => {
    const { url } = await start({ assume: { 'body.maxSize': '16KiB' } })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const sockets = new Set<Socket>()
    const send = async (body: string): Promise<number | undefined> => {
      const request = httpRequest(`${url}/plants`, {
        agent,
        ...(post('') as { method: string; headers: Record<string, string> }),
      })
      request.on('socket', (socket) => sockets.add(socket))
      request.end(body)
      const [response] = await once(request, 'response')
      response.resume()
      await once(response, 'end')
      return response.statusCode
    }
    expect(await send('x'.repeat(10 * 1024 * 1024))).toBe(413)
    expect(await send(JSON.stringify(fern))).toBe(201)
    expect(sockets.size).toBe(1)
    agent.destroy()
  })

  it('may arrive in chunks that split a character', async () => {
    const { url, mock } = await start()
    const body = Buffer.from(JSON.stringify({ ...fern, name: '🌵' }))
    const cut = body.indexOf(0xf0) + 2
    const request = httpRequest(`${url}/plants`, post('') as { method: string; headers: Record<string, string> })
    request.write(body.subarray(0, cut))
    request.end(body.subarray(cut))
    const [response] = await once(request, 'response')
    response.resume()
    expect(response.statusCode).toBe(201)
    expect((await mock.plants.all())[0]?.name).toBe('🌵')
  })
})

describe('the HTTP parser', () => {
  it.each([
    ['bytes that are not HTTP', 'NOISE\r\n\r\n', 400, 'malformed-request'],
    [
      'headers over 16 KiB',
      `GET /plants HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(17_000)}\r\n\r\n`,
      431,
      'headers-too-large',
    ],
  ])('refuses %s with a problem', async (_, text, status, type) => {
    const { url } = await start()
    const response = await sendRaw(url, text)
    const [head = '', body = ''] = response.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [A-Z]`))
    expect(head).toContain('Content-Type: application/problem+json')
    expect(JSON.parse(body)).toMatchObject({ status, type: `urn:problem-type:plant-mock:${type}` })
  })

  it('accepts the absolute form of a target, which clients send to proxies', async () => {
    const { url } = await start()
    const response = await sendRaw(
      url,
      'GET http://plants.example/plants?limit=0 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer a\r\n\r\n',
    )
    expect(response).toMatch(/^HTTP\/1\.1 200 OK/)
  })
})

describe('close()', () => {
  it('destroys connections after the grace period', async () => {
    const { url, close } = await start({ grace: 1 })
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n')
    await fetch(`${url}/plants`, as('alice'))
    const ended = once(socket, 'close')
    await close()
    await ended
  })

  it('may be called twice', async () => {
    const { close } = await start()
    await Promise.all([close(), close()])
    await close()
  })
})

describe('plantMiddleware', () => {
  const serve = async (app: ReturnType<typeof express>): Promise<string> => (await listen(app)).url

  it('serves /plants below its mount path, and passes other requests on', async () => {
    const mock = createPlantMock({ fixtures: [fern] })
    const app = express()
    app.use('/api', plantMiddleware(mock))
    app.get('/api/other', (_, res) => void res.send('other'))
    const url = await serve(app)
    expect(await (await fetch(`${url}/api/plants`, as('alice'))).json()).toHaveLength(1)
    expect(await (await fetch(`${url}/api/other`)).text()).toBe('other')
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(404)
  })

  it('passes on paths that only begin like the control interface', async () => {
    const url = await serve(express().use(plantMiddleware(createPlantMock())))
    for (const name of ['s', 'constructor', '__proto__', 'toString'])
      expect(await (await fetch(`${url}/__plant-mock${name}`)).text()).toContain('Cannot GET')
  })

  it.each([
    ['json', express.json()],
    ['text', express.text({ type: '*/*' })],
    ['raw', express.raw({ type: '*/*' })],
  ])('accepts a body that an earlier body parser has read, and inflated (%s)', async (_, parser) => {
    const mock = createPlantMock()
    const app = express()
    app.use(parser, plantMiddleware(mock))
    const url = await serve(app)
    expect((await fetch(`${url}/plants`, post(fern))).status).toBe(201)
    expect((await fetch(`${url}/plants`, post({}))).status).toBe(400)
    const compressed = gzipSync(JSON.stringify({ ...fern, id: 8 }))
    const create = { ...post(fern, { 'content-encoding': 'gzip' }), body: compressed }
    expect((await fetch(`${url}/plants`, create)).status).toBe(201)
    expect(await mock.requests.last()).toMatchObject({ status: 201, violations: [] })
  })

  const readFirst = async (req: Request) => {
    for await (const chunk of req) return chunk
  }

  it.each<[string, (req: Request) => Promise<unknown>]>([
    ['to its end', buffer],
    ['in part, with `for await`', readFirst],
  ])('answers a create whose body an earlier middleware has read %s and kept to itself', async (_, read) => {
    const app = express()
    app.use((req, _res, next) => void read(req).then(() => next()), plantMiddleware(createPlantMock()))
    const response = await fetch(`${await serve(app)}/plants`, post(fern))
    expect(await response.json()).toMatchObject({ detail: 'The request has no body.' })
  })

  it.each<[string, (read: Uint8Array) => unknown, number]>([
    ['a Uint8Array', (read) => new Uint8Array(read), 201],
    ['a part of a larger buffer', (read) => new Uint8Array(Buffer.concat([Buffer.from('{{'), read])).subarray(2), 201],
    ['an ArrayBuffer', (read) => new Uint8Array(read).buffer, 201],
    ['compressed bytes', gzipSync, 415],
  ])('reads `req.body` that an earlier middleware has set to %s', async (_, bodyFrom, status) => {
    const app = express()
    const parse: RequestHandler = async (req, _res, next) => {
      req.body = bodyFrom(await buffer(req))
      next()
    }
    app.use(parse, plantMiddleware(createPlantMock()))
    const create = post(fern, { 'content-encoding': 'gzip' })
    expect((await fetch(`${await serve(app)}/plants`, create)).status).toBe(status)
  })

  it.each<[string, (req: Request) => unknown]>([
    ['listens for `data`', (req) => req.on('data', () => undefined)],
    ['sets an encoding', (req) => req.setEncoding('utf8')],
    ['listens for `readable`', (req) => req.on('readable', () => undefined)],
    ['calls pause()', (req) => req.pause()],
  ])('accepts a body on which an earlier middleware %s', async (_, touch) => {
    const app = express()
    app.use((req, _res, next) => {
      touch(req)
      next()
    }, plantMiddleware(createPlantMock()))
    const url = await serve(app)
    const ginkgo = { id: 8, name: '银杏', tag: 'tree' }
    for (const plant of [fern, ginkgo]) {
      const response = await fetch(`${url}/plants`, post(plant))
      expect(await response.json()).toEqual({ name: plant.name, tag: plant.tag })
    }
  })

  it('lets an earlier middleware see the end of the request, with a body and without', async () => {
    const ended: string[] = []
    const app = express()
    app.use((req, _res, next) => {
      req.on('end', () => ended.push(req.method))
      next()
    }, plantMiddleware(createPlantMock()))
    const url = await serve(app)
    await fetch(`${url}/plants`, post(fern))
    await fetch(`${url}/plants`, as('alice'))
    await vi.waitFor(() => expect(ended).toEqual(['POST', 'GET']))
  })

  it('leaves CORS to the application', async () => {
    const app = express()
    app.use(plantMiddleware(createPlantMock()))
    const url = await serve(app)
    const response = await fetch(`${url}/plants`, {
      headers: { origin: 'https://app.example', authorization: 'Bearer a' },
    })
    expect(response.headers.has('access-control-allow-origin')).toBe(false)
  })
})
