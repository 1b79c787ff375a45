import type { RequestListener } from 'node:http'
import { type ConformanceReport, checkConformance, type FetchLike, UnreachableError } from 'plant-mock/conformance'
import { afterEach, describe, expect, it } from 'vitest'
import { assumptionOf, check, failuresOf, listen, recording, tokens } from '../support/conformance.ts'
import { wrongService } from '../support/wrong-service.ts'

const seenIn = ({ rules, assumptions }: ConformanceReport) =>
  [...rules, ...assumptions].filter(({ outcome }) => outcome !== 'skipped' && outcome !== 'unseen').map(({ id }) => id)

describe('a service', () => {
  const closers: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
  const serve = async (listener: RequestListener) => {
    const server = await listen(listener)
    closers.push(server.close)
    return server
  }
  const checkAt = (baseUrl: string, timeout = 100) => checkConformance({ baseUrl, tokens, timeout })
  const unreachable = async (baseUrl: string, timeout?: number) => {
    const error = await checkAt(baseUrl, timeout).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(UnreachableError)
    return (error as Error).message
  }

  it('that hangs is unreachable', async () => {
    const server = await serve(() => undefined)
    expect(await unreachable(server.url, 1_000)).toBe(
      `${server.url} cannot be reached: no complete response within 1 s.`,
    )
    // On a slow machine, the time limit may pass before the server reads the request.
    expect(server.requests).toBeLessThan(2)
  })

  it('that sends byte by byte without an end is unreachable', async () => {
    const server = await serve((_, res) => {
      const timer = setInterval(() => res.write('['), 5)
      res.on('close', () => clearInterval(timer))
    })
    expect(await unreachable(server.url, 1_000)).toMatch(/no complete response within 1 s/)
    expect(server.requests).toBe(1)
  })

  it('with an endless body is unreachable, and reading stops at 8 MiB', async () => {
    const written: number[] = []
    const server = await serve((_, res) => {
      const chunk = Buffer.alloc(64 * 1024, '[')
      const write = () => {
        while (!res.destroyed && res.write(chunk)) written.push(chunk.length)
      }
      res.on('drain', write)
      write()
    })
    expect(await unreachable(server.url, 20_000)).toMatch(/the response is larger than 8 MiB/)
    expect(server.requests).toBe(1)
    // Sockets buffer more than the check reads.
    expect(written.length * 64).toBeLessThan(64 * 1024)
  })

  it.each<readonly [string, RequestListener, RegExp]>([
    [
      'resets its connections',
      (req) => req.socket.resetAndDestroy(),
      /cannot be reached: .*(?:ECONNRESET|other side closed)/,
    ],
    [
      'closes in the middle of a body',
      (_, res) => {
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
        res.write('[', () => res.destroy())
      },
      /cannot be reached: \w+/,
    ],
  ])('that %s is unreachable', async (_, listener, message) => {
    const server = await serve(listener)
    expect(await unreachable(server.url, 5_000)).toMatch(message)
    expect(server.requests).toBeLessThanOrEqual(3)
  })

  it('that refuses connections is unreachable', async () => {
    const { url, close } = await listen(() => undefined)
    await close()
    expect(await unreachable(url)).toMatch(/cannot be reached: .*ECONNREFUSED/)
  })

  it('that responds with HTML to everything is no such service, and receives no create', async () => {
    const posts: string[] = []
    const server = await serve((req, res) => {
      if (req.method === 'POST') posts.push(req.url ?? '')
      req.resume()
      res.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>')
    })
    const report = await checkAt(server.url, 5_000)
    expect(seenIn(report)).toEqual([])
    expect(report.incomplete).toMatch(/^no list succeeds at this address: it responds with 200: <!doctype html>/)
    expect(posts).toEqual([])
    expect(server.requests).toBe(1)
  })

  it.each([
    [300, 'lists redirect (300) to nowhere'],
    [400, 'no list succeeds at this address: it responds with 400: out of order'],
    [500, 'the service fails: it responds with 500: out of order'],
    [404, 'no list succeeds at this address: it responds with 404: out of order'],
    [401, 'the token is not accepted: it responds with 401: out of order'],
    [403, 'the token is not accepted: it responds with 403: out of order'],
  ])('that responds with %i to everything is left alone, and nothing counts as seen', async (status, reason) => {
    const methods: (string | undefined)[] = []
    const server = await serve((req, res) => {
      methods.push(req.method)
      req.resume()
      res.writeHead(status, { 'content-type': 'text/plain' }).end('out of order')
    })
    const report = await checkAt(server.url, 5_000)
    expect(seenIn(report)).toEqual([])
    expect(report.incomplete).toBe(reason)
    expect(report.conforms).toBe(false)
    expect(server.requests).toBeLessThan(10)
    // A create shows whether only lists fail; after a 401 for a list, a create would fail too.
    expect(methods.includes('POST')).toBe(status >= 400 && status !== 401)
  })

  it('that redirects is reported so, and the redirect is not followed', async () => {
    const elsewhere = await serve((_, res) => res.end('[]'))
    const server = await serve((req, res) => {
      req.resume()
      res.writeHead(307, { location: `${elsewhere.url}${req.url}` }).end()
    })
    const report = await checkAt(server.url, 5_000)
    expect(seenIn(report)).toEqual([])
    expect(report.incomplete).toBe(`lists redirect (307) to ${elsewhere.url}/plants?limit=1`)
    expect(elsewhere.requests).toBe(0)
  })

  it('that stops responding half-way receives two more requests, and breaks no rule', async () => {
    const service = wrongService()
    let responses = 0
    const fetch = recording((url, init) =>
      responses++ < 12 ? service(url, init) : Promise.reject(new TypeError('fetch failed')),
    )
    const report = await check(fetch)
    expect(fetch.sent.length).toBe(14)
    expect(failuresOf(report)).toEqual([])
    expect(report.incomplete).toBe('the service stopped responding: fetch failed')
    expect(report.rules.at(-1)).toMatchObject({ outcome: 'skipped', reason: report.incomplete })
  })

  it('that asks for a long pause from some point on receives no more requests, and breaks no rule', async () => {
    const service = wrongService()
    let responses = 0
    const waits: number[] = []
    const fetch = recording(async (url, init) =>
      responses++ < 8 ? service(url, init) : new Response('', { status: 429, headers: { 'retry-after': '3600' } }),
    )
    const report = await check(fetch, { wait: async (milliseconds) => void waits.push(milliseconds) })
    expect(failuresOf(report)).toEqual([])
    expect(fetch.sent.length).toBe(9)
    expect(waits).toEqual([])
    expect(report.incomplete).toBe('the service responds with 429 and asks for a pause of 3600 s')
    expect(report.assumptions.filter(({ outcome }) => outcome === 'differs')).toEqual([])
    expect(assumptionOf(report, 'rate.limit')).toMatchObject({ outcome: 'other' })
  })

  it('behind a fetch that ignores its signal is unreachable after the timeout', async () => {
    const never: FetchLike = () => new Promise(() => undefined)
    await expect(check(never, { timeout: 50 })).rejects.toThrow(UnreachableError)
    const endless: FetchLike = async () => new Response(new ReadableStream({ start: () => undefined }))
    await expect(check(endless, { timeout: 50 })).rejects.toThrow(/no complete response within 0\.05 s/)
  })
  it('that nests JSON too deep for recursive code breaks list.array', async () => {
    const depth = 100_000
    const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`
    const report = await check(async () => new Response(nested), { rules: ['list.array', 'list.elements'] })
    expect(report.rules.map(({ outcome }) => outcome)).toEqual(['failed', 'skipped'])
  })
})
