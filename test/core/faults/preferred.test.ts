import { once } from 'node:events'
import { request } from 'node:http'
import { describe, expect, it } from 'vitest'
import { mocksFor, useMock } from '../../support/mocks.ts'
import { fern } from '../../support/plants.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'

const preferring = (prefer: string) => ({ headers: { authorization: 'Bearer alice', prefer } })

const { serve, start } = useServers()

describe.each(mocksFor('preferences'))('a request that prefers a failure, to a mock $name', ({ open }) => {
  const startMock = useMock(open)

  it('gets that status, and the next request does not', async () => {
    const mock = await startMock()
    const response = await mock.fetch('/plants', preferring('code=503'))
    expect([response.status, response.headers.get('preference-applied'), response.headers.get('vary')]).toEqual([
      503,
      'code=503',
      'Prefer',
    ])
    expect(await response.json()).toMatchObject({ status: 503, title: 'A simulated failure' })
    expect((await mock.fetch('/plants', as('alice'))).status).toBe(200)
  })

  it('is in the journal as a fault, and names the source fault', async () => {
    const mock = await startMock()
    const response = await mock.fetch('/plants', preferring('code=503, delay=1'))
    expect(response.headers.get('plant-mock-source')).toBe('fault; kind="status"; names="error.body"; delay=1')
    expect(await mock.requests.last()).toMatchObject({
      source: 'fault',
      fault: 'status',
      delay: 1,
      operation: 'listPlants',
      request: { headers: { prefer: 'code=503, delay=1' } },
      response: { headers: { 'preference-applied': 'code=503, delay=1' } },
    })
  })

  it('does not reach the service with a status, and does with a delay', async () => {
    const mock = await startMock()
    const create = (prefer: string) => {
      const { headers, ...init } = post(fern)
      return mock.fetch('/plants', { ...init, headers: { ...headers, prefer } })
    }
    expect((await create('code=500')).status).toBe(500)
    expect(await mock.plants.all()).toEqual([])
    expect((await create('delay=1')).status).toBe(201)
    expect(await mock.plants.all()).toHaveLength(1)
  })

  it('meets no fault that is set, and counts no hit of it', async () => {
    const mock = await startMock({ latency: 1 })
    await mock.fail({ status: 500, times: 1 })
    expect((await mock.fetch('/plants', preferring('code=404'))).status).toBe(404)
    expect((await mock.fetch('/plants', preferring('delay=2'))).status).toBe(200)
    expect(await mock.requests.all()).toMatchObject([{ status: 404 }, { status: 200, delay: 2 }])
    expect((await mock.faults()).map(({ hits }) => hits)).toEqual([0, 0])
    expect(await mock.pending()).toHaveLength(1)
  })

  it('is ignored with prefer: false', async () => {
    const mock = await startMock({ prefer: false })
    const response = await mock.fetch('/plants', preferring('code=503, delay=60000'))
    expect([response.status, response.headers.get('preference-applied')]).toEqual([200, null])
  })
})

describe('a request that prefers a failure', () => {
  it('may repeat the header', async () => {
    const { url } = await start({})
    const sent = request(`${url}/plants`, { headers: { prefer: ['delay=1', 'code=503', 'code=404'] } }).end()
    const [response] = await once(sent, 'response')
    expect([response.statusCode, response.headers['preference-applied']]).toEqual([503, 'delay=1, code=503'])
    response.resume()
  })

  it('may be that of a page of another origin', async () => {
    const { url } = await start({})
    const origin = 'https://app.example.com'
    const preflight = (names: object) =>
      fetch(`${url}/plants`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-method': 'GET', ...names },
      })
    for (const names of [{}, { 'access-control-request-headers': 'authorization,prefer' }])
      expect((await preflight(names)).headers.get('access-control-allow-headers')).toMatch(/\bprefer\b/i)
    const response = await fetch(`${url}/plants`, { headers: { origin, prefer: 'code=503' } })
    expect(response.headers.get('access-control-expose-headers')).toBe('*')
    expect(response.headers.get('preference-applied')).toBe('code=503')
  })

  it('passes on to an upstream without the preferences that the mock has applied', async () => {
    const received: (string | undefined)[] = []
    const service = await serve((req, res) => {
      received.push(req.headers.prefer as string | undefined)
      res.setHeader('Preference-Applied', 'return=minimal').end()
    })
    const upstream = { url: service.url, for: 'all' } as const
    const { url } = await start({ upstream })
    const send = (at: string, prefer: string) => fetch(`${at}/plants`, preferring(prefer))
    expect((await send(url, 'code=503')).status).toBe(503)
    expect(received).toEqual([])
    const late = await send(url, 'delay=1, return=minimal')
    expect(late.headers.get('preference-applied')).toBe('return=minimal, delay=1')
    expect(late.headers.get('plant-mock-source')).toBe('upstream; delay=1')
    await send(url, 'delay=1')
    const ignoring = await start({ upstream, prefer: false })
    await send(ignoring.url, 'code=503')
    await (await fetch(`${url}/orders`, preferring('code=503'))).text()
    expect(received).toEqual(['return=minimal', undefined, 'code=503', 'code=503'])
  })
})
