import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { gzipSync } from 'node:zlib'
import { bearer } from 'plant-mock'
import { plantMiddleware } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'
import { type EchoedRequest, echo, sendJson } from '../../support/upstream.ts'

const { serve, startProxy } = useServers()

const secret = 'a-token-of-forty-characters-that-is-real'

describe('the operations of the contract at the upstream', () => {
  const plants = [{ name: 'Aloe vera', tag: 'succulent' }]

  it('are forwarded unchanged with the source upstream, and recorded in the journal', async () => {
    const { url: upstream } = await serve((req, res) =>
      req.method === 'POST' ? sendJson(res, 200, plants[0], { 'x-own': '1' }) : sendJson(res, 200, plants),
    )
    const { url, mock } = await startProxy(upstream, { for: 'all' })
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
    expect(JSON.stringify(await mock.requests.all())).not.toContain(secret)
  })

  it('return the same bytes: compressed, not UTF-8, or too long to buffer', async () => {
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
    const { url, mock } = await startProxy(upstream, { for: 'all', check: 'report' })
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

  it.each([
    ['zstd, gzip, br;q=0.5', 'gzip, br;q=0.5', { check: 'report' }],
    ['GZIP,  deflate ', 'GZIP,  deflate', { check: 'report' }],
    ['gzipped, x-br, zstd', 'identity', { check: 'report' }],
    [undefined, undefined, { check: 'report' }],
    ['zstd, gzip', 'zstd, gzip', {}],
  ] as const)(
    'accept of the encodings %s those that a check can decode: %s, with %j',
    async (accepted, all, options) => {
      const { url: upstream } = await serve(echo)
      const { url } = await startProxy(upstream, { for: 'all', ...options })
      const headers = { ...bearer('alice'), ...(accepted !== undefined && { 'accept-encoding': accepted }) }
      const request = httpRequest(`${url}/plants`, { headers }).end()
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const { headers: received } = JSON.parse((await response.setEncoding('utf8').toArray()).join('')) as EchoedRequest
      expect(received['accept-encoding']?.trim()).toBe(all)
    },
  )

  it('show no header about a check without one, for a body that could not be decoded', async () => {
    const { url: upstream } = await serve((_, res) => res.writeHead(200, { 'content-encoding': 'zstd' }).end('x'))
    const { url, mock } = await startProxy(upstream, { for: 'all' })
    const sent = httpRequest(`${url}/plants`, { headers: bearer('alice') }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect((await response.toArray()).join('')).toBe('x')
    expect(response.headers).not.toHaveProperty('plant-mock-violations')
    expect((await mock.requests.last())?.violations).toEqual([])
  })

  it('show no violations, and no body where there is none, without a check', async () => {
    const { url: upstream } = await serve((_, res) => res.writeHead(204).end())
    const { url, mock } = await startProxy(upstream, { for: 'all' })
    const response = await fetch(`${url}/plants?page=1`, as('alice'))
    expect([response.status, response.headers.get('plant-mock-violations')]).toEqual([204, null])
    expect(Object.keys((await mock.requests.last())?.response ?? {})).toEqual(['headers'])
  })

  it('are subject to the faults of the mock, which leave the violations in the header', async () => {
    let requests = 0
    const { url: upstream } = await serve((_, res) => {
      requests++
      sendJson(res, 200, plants)
    })
    const { url, mock } = await startProxy(upstream, { for: 'all', check: 'report' })
    await mock.fail({ operation: 'listPlants', status: 503, times: 1 })
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(503)
    await mock.fail({ malformed: true, times: 1 })
    const malformed = await fetch(`${url}/plants?page=2`, as('alice'))
    expect(await malformed.text()).toBe('[{"name":"Aloe vera"')
    expect(malformed.headers.get('plant-mock-source')).toBe('fault; kind="malformed"')
    expect(malformed.headers.get('plant-mock-violations')).toMatch(/^"request 4\.2: /)
    expect(requests).toBe(1)
  })

  it('answer 508 when the upstream forwards to the same mock', async () => {
    const { server, url: middle } = await serve((req, res) => {
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
    const { url: target } = await startProxy(middle, { for: 'all' })
    for (const path of ['/x', '/plants']) {
      const response = await fetch(`${target}${path}`, as('alice'))
      expect([response.status, await response.json()]).toMatchObject([
        508,
        { detail: `${middle} sends requests back to this mock.` },
      ])
    }
  })

  it('keep a body that a parser in front has read', async () => {
    const { url: upstream } = await serve(echo)
    const { mock } = await startProxy(upstream, { for: 'all' })
    const middleware = plantMiddleware(mock)
    const { url } = await serve(async (req, res) => {
      Object.assign(req, { body: JSON.parse((await req.setEncoding('utf8').toArray()).join('')) })
      middleware(req, res, () => undefined)
    })
    const received = (await (await fetch(`${url}/plants`, post({ id: 1, ...plants[0] }))).json()) as EchoedRequest
    expect(JSON.parse(received.body)).toEqual({ id: 1, ...plants[0] })
  })

  it('keep a body that is larger than those that the mock itself takes', async () => {
    const { url: upstream } = await serve(echo)
    const { url } = await startProxy(upstream, { for: 'all' })
    const name = 'x'.repeat(1_100_000)
    const received = (await (await fetch(`${url}/plants`, post({ id: 1, name, tag: 't' }))).json()) as EchoedRequest
    expect(JSON.parse(received.body)).toEqual({ id: 1, name, tag: 't' })
  })

  it('alone go there when the code of a test sends requests through the mock', async () => {
    const urls: (string | undefined)[] = []
    const { url: upstream } = await serve((req, res) => {
      urls.push(req.url)
      sendJson(res, 200, plants)
    })
    const { mock } = await startProxy(upstream, { for: 'all' })
    const statuses = [await mock.fetch('/other', as('alice')), await mock.fetch('/plants', as('alice'))]
    expect(statuses.map(({ status }) => status)).toEqual([404, 200])
    expect(urls).toEqual(['/plants'])
  })
})
