import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { useServers } from '../support/start.ts'
import { as, post } from '../support/targets.ts'
import { finish, root, run, serve, stopAll } from './support/cli.ts'

const secret = 'a-token-of-forty-characters-that-is-real'
const tls = (name: string) => `${root}test/package/support/tls/${name}.pem`
const folder = await openFolder()
/** A folder inside the repository, from which a handlers module can import msw. */
let modules: string
beforeAll(async () => {
  modules = await mkdtemp(`${root}test/package/.handlers-`)
})
afterAll(() => rm(modules, { recursive: true }))
afterEach(stopAll)
const { serve: startService } = useServers()

describe('plant-mock --upstream', () => {
  it('prints what it forwards, and the violations below each request', async () => {
    const { url } = await startService((_, res) =>
      res.writeHead(200, { 'content-type': 'application/json' }).end('{"plants":[]}'),
    )
    const file = join(folder, 'recorded.har')
    const args = ['--upstream', url, '--upstream-for', 'all', '--check', '--record', file]
    const started = await serve(args)
    await started.printed(/Upstream {3}http:\S+ for everything, including \/plants; checked; recorded to \S+\n/)
    await fetch(`${started.url}/plants`, as(secret))
    await started.printed(
      /GET {5}\/plants +200 {2}caller-1 +[\d.]+ ms {2}upstream\n {8}\w+ violates contract 4\.2: The body is not an array\.\n/,
    )
  })

  it('streams 100 MiB without buffering them', async (context) => {
    if (process.platform !== 'linux') context.skip('the memory of a process is read from /proc, which Linux has')
    const size = 100 * 1024 * 1024
    const { url } = await startService((req, res) => {
      res.writeHead(200)
      req.pipe(res)
    })
    const started = await serve(['--upstream', url, '--quiet'])
    const memory = () =>
      Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${started.child.pid}/status`, 'utf8'))?.[1]) * 1024
    await fetch(`${started.url}/warm`, { method: 'POST', body: 'up' })
    const before = memory()
    const chunk = Buffer.alloc(64 * 1024, 1)
    const request = httpRequest(`${started.url}/upload`, { method: 'POST' })
    const send = async () => {
      for (let sent = 0; sent < size; sent += chunk.length) if (!request.write(chunk)) await once(request, 'drain')
      request.end()
    }
    const sending = send()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    let receivedAt = 0
    for await (const part of response) receivedAt += (part as Buffer).length
    await sending
    expect(receivedAt).toBe(size)
    expect(memory() - before).toBeLessThan(60 * 1024 * 1024)
  })

  it('records plants that it can serve later, and writes no token', async () => {
    const real = await serve(['--fixtures', 'empty', '--quiet'])
    const file = join(folder, 'round-trip.har')
    const recording = await serve(['--upstream', real.url, '--upstream-for', 'all', '--record', file])
    const headers = as(secret).headers as Record<string, string>
    for (const id of [1, 2])
      await fetch(`${recording.url}/plants`, post({ id, name: `Plant ${id}`, tag: 't' }, headers))
    const list = await (await fetch(`${recording.url}/plants`, as(secret))).json()
    const journal = await (await fetch(`${recording.url}/__plant-mock/requests`)).text()
    recording.child.kill('SIGTERM')
    const { out, error } = await recording.finished

    const replay = await serve(['--fixtures', file, '--quiet'])
    expect(await (await fetch(`${replay.url}/plants`, as('caller-1'))).json()).toEqual(list)
    const map = join(folder, 'tokens.json')
    await writeFile(map, JSON.stringify({ 'caller-1': secret }))
    const known = await serve(['--fixtures', file, '--tokens-map', map, '--assume', 'auth.tokens=listed'])
    await known.printed(/only tokens of caller-1, and tokens in the access of plants, are accepted/)
    expect(await (await fetch(`${known.url}/plants`, as(secret))).json()).toEqual(list)
    known.child.kill('SIGTERM')
    const again = await known.finished

    const written = await Promise.all(
      (await readdir(folder))
        .filter((name) => name !== 'tokens.json')
        .map((name) => readFile(join(folder, name), 'utf8')),
    )
    expect([journal, out, error, again.out, again.error, ...written].join('\n')).not.toContain(secret)
  })

  it('leaves a complete recording when it is killed during a recording', async () => {
    const real = await serve(['--fixtures', 'empty', '--quiet'])
    for (let round = 0; round < 5; round++) {
      const file = join(folder, `killed-${round}.har`)
      const recording = await serve(['--upstream', real.url, '--upstream-for', 'all', '--record', file, '--quiet'])
      const creating = Array.from({ length: 40 }, (_, i) =>
        fetch(`${recording.url}/plants`, post({ id: round * 100 + i, name: 'x'.repeat(2_000), tag: 't' })).catch(
          () => undefined,
        ),
      )
      await Promise.race(creating)
      recording.child.kill('SIGKILL')
      await Promise.all([...creating, recording.finished])
      const { log } = JSON.parse(await readFile(file, 'utf8')) as { log: { entries: object[] } }
      expect(Array.isArray(log.entries)).toBe(true)
    }
  })
})

describe('plant-mock --cert --key', () => {
  it('serves HTTPS', async () => {
    const started = run(['--port', '0', '--cert', tls('cert'), '--key', tls('key')])
    const [, url = ''] = await started.printed(/(https:\/\/[\d.:]+)/)
    const request = httpsRequest(`${url}/plants?limit=1`, {
      ...as('alice'),
      ca: readFileSync(tls('cert')),
    } as object)
    request.end()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).toBe(200)
    await started.printed(/Dashboard {2}https:\/\//)
  })
})

describe('plant-mock --handlers', () => {
  const handlers = (text: string) => `import { http, HttpResponse, passthrough } from 'msw'\n${text}\n`
  const orders = (status: string) =>
    handlers(`export const handlers = [
  http.get('*/orders', () => HttpResponse.json({ status: '${status}' })),
  http.post('*/orders', async ({ request }) => HttpResponse.json(await request.json(), { status: 202 })),
  http.get('*/aside', () => passthrough()),
  http.get('*/lost', () => HttpResponse.error()),
  http.get('*/broken', () => { throw new Error('of my own') }),
]`)
  const write = async (name: string, text: string) => {
    const file = join(modules, name)
    await writeFile(file, text)
    return file
  }

  it('answers with the handlers first, then with the mock', async () => {
    const file = await write('first.js', orders('new'))
    const started = await serve(['--handlers', file])
    await started.printed(/Handlers {3}\S+first\.js, before the mock\n/)
    const got = await fetch(`${started.url}/orders`, { headers: { origin: 'https://page.example' } })
    expect(got.headers.get('access-control-allow-origin')).toBe('*')
    expect(got.headers.get('plant-mock-source')).toBe('handlers')
    expect(await got.json()).toEqual({ status: 'new' })
    await started.printed(/GET {5}\/orders +200 {2}- +[\d.]+ ms {2}handlers\n/)
    const posted = await fetch(`${started.url}/orders`, post({ id: 7 }))
    expect([posted.status, await posted.json()]).toEqual([202, { id: 7 }])
    expect((await fetch(`${started.url}/plants`, post({ id: 700, name: 'a', tag: 'b' }))).status).toBe(201)
    expect((await fetch(`${started.url}/aside`)).status).toBe(404)
    await expect(fetch(`${started.url}/lost`)).rejects.toThrow()
    expect((await fetch(`${started.url}/broken`)).status).toBe(500)
    const large = post({ id: 701, name: 'x'.repeat(2 * 1024 * 1024), tag: 'b' })
    expect((await fetch(`${started.url}/plants`, large)).status).toBe(413)
    const trace = httpRequest(`${started.url}/plants`, { method: 'TRACE' }).end()
    const [traced] = (await once(trace, 'response')) as [IncomingMessage]
    traced.resume()
    expect(traced.statusCode).toBe(405)
    await started.printed(/of my own/)
    const preflight = await fetch(`${started.url}/orders`, {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example', 'access-control-request-method': 'PUT' },
    })
    expect(preflight.headers.get('access-control-allow-methods')).toBe('PUT')
  })

  it('answers before the upstream, which receives the other requests with their bodies', async () => {
    const { url } = await startService(async (req, res) => {
      let body = ''
      for await (const chunk of req.setEncoding('utf8')) body += chunk
      res.end(`${req.method} ${req.url} ${body}`)
    })
    const file = await write('before.js', orders('new'))
    const started = await serve(['--handlers', file, '--upstream', url])
    expect(await (await fetch(`${started.url}/carts`, { method: 'POST', body: 'a cart' })).text()).toBe(
      'POST /carts a cart',
    )
    const large = 'x'.repeat(20 * 1024 * 1024)
    expect((await (await fetch(`${started.url}/carts`, { method: 'POST', body: large })).text()).length).toBe(
      large.length + 12,
    )
    expect(await (await fetch(`${started.url}/orders`)).json()).toEqual({ status: 'new' })
  })

  it('reloads them with --watch; after a broken module it names the line and keeps the previous handlers', async () => {
    const file = await write('watched.js', orders('old'))
    const started = await serve(['--handlers', file, '--watch'])
    const status = async () => ((await (await fetch(`${started.url}/orders`)).json()) as { status: string }).status
    await started.printed(/Stop/)
    await writeFile(file, orders('new'))
    await started.printed(/Reloaded the handlers of \S+watched\.js\./)
    expect(await status()).toBe('new')
    await writeFile(file, handlers('\nexport const handlers = nothing'))
    await started.printed(
      /Reload failed; keeping the previous handlers\. The module \S+watched\.js:3 cannot be loaded: nothing is not defined\.\n/,
    )
    expect(await status()).toBe('new')
  })

  it.each([
    ['syntax.js', 'export const handlers = [\n  (\n]', /syntax\.js:3 cannot be loaded: .+\.$/],
    ['thrown.js', '\n\nthrow new Error("at the top")', /thrown\.js:3 cannot be loaded: at the top\.$/],
    ['none.js', 'export const others = []', /must export handlers, an array of msw handlers/],
    ['wrong.js', 'export const handlers = [1]', /must export handlers, an array of msw handlers/],
  ])('reports the error in a module: %s', async (name, text, message) => {
    const { code, error } = await finish(['--handlers', await write(name, text), '--port', '0'])
    expect(code).toBe(2)
    expect(error.trim()).toMatch(message)
    expect(error.trim().split('\n')).toHaveLength(1)
  })

  it('names the file for an ES module in a project of CommonJS', async () => {
    const { error } = await finish(['--handlers', await write('esm.cjs', 'export const handlers = []'), '--port', '0'])
    expect(error.trim()).toMatch(/CommonJS: rename the file to \S+esm\.mjs\.$/)
  })
})
