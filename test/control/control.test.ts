import { request as httpRequest } from 'node:http'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import fc from 'fast-check'
import { connectPlantMock, UnreachableError } from 'plant-mock/control'
import { loadFixtures, type StartedPlantMock, type StartOptions, startPlantMock } from 'plant-mock/node'
import { afterEach, describe, expect, it } from 'vitest'
import { as, post } from '../support/targets.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})
const start = async (options?: StartOptions): Promise<StartedPlantMock> => {
  const started = await startPlantMock(options)
  open.push(started.close)
  return started
}

type Asked = {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

/** A request with headers that fetch would not let through. */
const ask = (
  { url }: { readonly url: string },
  path: string,
  {
    method = 'GET',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(
      `${url}/__plant-mock${path}`,
      { method, headers, agent: false },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })

const json = { 'content-type': 'application/json' }
const detailOf = ({ text }: Asked): string => (JSON.parse(text) as { detail: string }).detail

type Document = {
  readonly paths: Record<
    string,
    Record<
      string,
      { operationId?: string; responses: Record<string, { content?: Record<string, { schema: object }> }> }
    >
  >
  readonly components: object
}

describe('the document of the control interface', () => {
  const load = async (started: StartedPlantMock) =>
    JSON.parse((await ask(started, '/openapi.json')).text) as Document

  it('describes every answer that is given', async () => {
    const started = await start({ fixtures: ['garden'] })
    const document = await load(started)
    const ajv = new Ajv2020({ strict: false, allErrors: true })
    addFormats.default(ajv)
    ajv.addSchema({ $id: 'control', ...document })

    // Something of everything, so that no list is empty.
    await fetch(`${started.url}/plants?page=1`, as('alice'))
    await fetch(`${started.url}/plants`, post({ id: 1 }))
    const { mock } = started
    await mock.fail({ operation: 'listPlants', status: 503, times: 1 })
    await fetch(`${started.url}/plants`, as('alice'))
    await mock.fail({ delay: 1 })
    mock.session('one')
    await ask(started, '/snapshots/first', { method: 'PUT' })

    const bodies: Record<string, unknown> = {
      'post /plants': { plants: [{ name: 'a', tag: 'b' }] },
      'post /plants/search': { caller: 'alice' },
      'put /plants': { plants: [{ name: 'a', tag: 'b' }] },
      'post /requests/search': { operation: 'createPlant' },
      'post /requests/count': {},
      'post /faults': { status: 500 },
      'patch /assumptions': { 'create.status': 200 },
      'post /assumptions/vary': { seed: 7 },
    }
    const names: Record<string, string> = {
      '/snapshots/{name}': 'first',
      '/snapshots/{name}/restore': 'first',
      '/requests/{id}': '1',
      '/faults/{id}': 'fault-1',
      '/sessions/{id}': 'one',
      '/fixtures/{name}': 'garden',
    }
    const operations = Object.entries(document.paths)
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => ({ path, method })))
      .filter(({ path }) => path !== '/events')
      // What takes away comes last.
      .sort((a, b) => order(a.method, a.path) - order(b.method, b.path))
    for (const { path, method } of operations) {
      const body = bodies[`${method} ${path}`]
      const answer = await ask(started, path.replace(/\{\w+\}/, names[path] ?? ''), {
        method: method.toUpperCase(),
        ...(body !== undefined && { headers: json, body: JSON.stringify(body) }),
      })
      const documented = document.paths[path]?.[method]?.responses[answer.status]
      expect([200, 204], `${method} ${path}: ${answer.text}`).toContain(answer.status)
      expect(documented).toBeDefined()
      const schema = documented?.content?.['application/json']?.schema
      if (schema === undefined) expect(answer.text).toBe('')
      else {
        const pointer = `control#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}/${method}/responses/200/content/application~1json/schema`
        const valid = ajv.validate({ $ref: encodeURI(pointer) }, JSON.parse(answer.text))
        expect({ path, method, errors: valid ? [] : ajv.errors }).toEqual({ path, method, errors: [] })
      }
    }
  })

  it('gives each operation a name of its own', async () => {
    const { paths } = await load(await start())
    const names = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    )
    expect(new Set(names).size).toBe(names.length)
    expect(names).toContain('postSnapshotsNameRestore')
  })

  it('names what the index names', async () => {
    const started = await start()
    const { routes } = JSON.parse((await ask(started, '/')).text) as {
      routes: { method: string; path: string }[]
    }
    const { paths } = await load(started)
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect([...routes.map(({ method, path }) => `${method} ${path}`), 'GET /events'].sort()).toEqual(
      documented.sort(),
    )
  })
})

const order = (method: string, path: string): number =>
  (path === '/reset' || (path === '/plants' && method === 'put') ? 100 : method === 'delete' ? 50 : 0) +
  (path.includes('{') ? 0 : 1)

describe('who may control the mock', () => {
  it.each([
    ['127.0.0.1', 200],
    ['127.0.0.1:4010', 200],
    ['localhost:4010', 200],
    ['mock.localhost', 200],
    ['[::1]:4010', 200],
    ['LOCALHOST', 200],
    ['evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['evil.example:4010', 403],
    ['localhost.evil.example', 403],
  ])('by the Host %s: %i', async (host, status) => {
    expect((await ask(await start(), '/state', { headers: { host } })).status).toBe(status)
  })

  it('is no page of another origin, whatever it asks for', async () => {
    const started = await start()
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1', 'https://localhost:1'])
      for (const [path, method] of [
        ['/state', 'GET'],
        ['/reset', 'POST'],
        ['/requests', 'DELETE'],
      ] as const)
        expect((await ask(started, path, { method, headers: { origin } })).status).toBe(403)
    const preflight = await ask(started, '/reset', {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(403)
    expect(JSON.stringify(preflight.headers)).not.toMatch(/access-control/i)
  })

  it('is no request that a browser sent for another site', async () => {
    const started = await start()
    for (const [site, status] of [
      ['cross-site', 403],
      ['same-site', 403],
      ['same-origin', 200],
      ['none', 200],
    ] as const)
      expect((await ask(started, '/state', { headers: { 'sec-fetch-site': site } })).status).toBe(status)
  })

  it('is a page of the same origin', async () => {
    const started = await start()
    expect((await ask(started, '/state', { headers: { origin: started.url } })).status).toBe(200)
  })

  it('is nobody on an address that other machines reach, unless there is a key', async () => {
    const off = await start({ host: '0.0.0.0' })
    expect(off.controlUrl).toBeUndefined()
    const local = { url: off.url.replace('0.0.0.0', '127.0.0.1') }
    const refused = await ask(local, '/state')
    expect([refused.status, detailOf(refused)]).toEqual([403, expect.stringContaining('--control-key KEY')])
    expect((await fetch(`${local.url}/plants`, as('alice'))).status).toBe(200)
  })

  it('is who knows the key, under any host name', async () => {
    const started = await start({ host: '0.0.0.0', controlKey: 'open-sesame' })
    const local = { url: started.url.replace('0.0.0.0', '127.0.0.1') }
    const status = async (key?: string) =>
      (
        await ask(local, '/state', {
          headers: { host: 'mock.example', ...(key && { 'plant-mock-control-key': key }) },
        })
      ).status
    expect([await status(), await status('open-sesam'), await status('open-sesame')]).toEqual([401, 401, 200])
  })

  it('is told by no CORS header that a page may read it', async () => {
    const { headers } = await ask(await start(), '/state')
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(headers['cache-control']).toBe('no-store')
  })
})

describe('a control request that cannot be used', () => {
  it.each([
    [
      'GET',
      '/nothing',
      undefined,
      404,
      'The control interface has no /nothing; openapi.json names what it has.',
    ],
    ['PUT', '/reset', undefined, 405, '/reset takes POST, not PUT.'],
    ['GET', '/snapshots/none/restore', undefined, 405, '/snapshots/none/restore takes POST, not GET.'],
    ['POST', '/snapshots/none/restore', undefined, 404, 'There is no snapshot none.'],
    ['DELETE', '/snapshots/none', undefined, 404, 'There is no snapshot none.'],
    ['DELETE', '/faults/fault-9', undefined, 404, 'There is no fault fault-9.'],
    ['DELETE', '/sessions/none', undefined, 404, 'There is no session none.'],
    ['GET', '/requests/9', undefined, 404, 'There is no exchange 9 in the journal.'],
    ['GET', '/requests/-1', undefined, 404, 'There is no exchange -1 in the journal.'],
    [
      'GET',
      '/requests?stauts=200',
      undefined,
      400,
      /^Requests cannot be filtered by "stauts", only by operation/,
    ],
    ['GET', '/requests?status=x', undefined, 400, 'Requests cannot be filtered by status "x".'],
    ['GET', '/state?session=%20', undefined, 400, /^A session cannot have this id/],
    ['GET', '/events?session=%20', undefined, 400, /^A session cannot have this id/],
    ['POST', '/plants', '{', 400, /JSON/],
    ['POST', '/plants', '[]', 400, 'Send {"plants":[…]}, as fixture files have them.'],
    ['POST', '/plants', '{"plants":[{"name":1}]}', 400, /^The plant at index 0/],
    [
      'PATCH',
      '/assumptions',
      '{"list.order":"alphabetical"}',
      400,
      /^The assumption list\.order cannot be "alphabetical"/,
    ],
    ['PATCH', '/assumptions', '{"__proto__":1}', 400, 'There is no assumption "__proto__".'],
    ['PATCH', '/assumptions', 'null', 400, /^Send an object of assumptions/],
    ['POST', '/faults', '[]', 400, /^The fault cannot be used/],
    [
      'POST',
      '/faults',
      '{"status":200,"headers":{"Trailer":"X"}}',
      400,
      /the header Trailer belongs to the connection/,
    ],
    ['POST', '/assumptions/vary', '{"seed":"x"}', 400, /^Send a seed that is a whole number/],
    ['PUT', '/fixtures/schema', undefined, 404, 'There is no fixture schema.'],
    ['PUT', '/fixtures/..%2Fgarden', undefined, 404, 'There is no fixture ../garden.'],
    [
      'POST',
      '/requests/count',
      '{"violating":"constructor"}',
      400,
      /^Requests cannot be filtered by violating/,
    ],
    ['POST', '/requests/search', '{"constructor":1}', 400, /^Requests cannot be filtered by "constructor"/],
  ] as const)('%s %s with %s is answered %i: %s', async (method, path, body, status, detail) => {
    const answer = await ask(await start(), path, {
      method,
      headers: json,
      ...(body !== undefined && { body }),
    })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect([answer.status, detailOf(answer)]).toEqual([
      status,
      typeof detail === 'string' ? expect.stringContaining(detail) : expect.stringMatching(detail),
    ])
  })

  it('is nested deeper than anything there is to say', async () => {
    const body = `{"status":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const answer = await ask(await start(), '/requests/search', { method: 'POST', headers: json, body })
    expect([answer.status, detailOf(answer)]).toEqual([
      400,
      'The body is nested deeper than anything here is.',
    ])
  })

  it('has a body that is not declared as JSON', async () => {
    const started = await start()
    const sent = { method: 'POST', body: '{"plants":[]}', headers: { 'content-type': 'text/plain' } }
    expect((await ask(started, '/plants', sent)).status).toBe(415)
  })

  it('never brings the mock down, whatever it says', { timeout: 60_000 }, async () => {
    const started = await start()
    const paths = [
      '/plants',
      '/faults',
      '/assumptions',
      '/requests/search',
      '/requests/count',
      '/snapshots/x',
      '/sessions/x',
      '/requests/1',
      '/reset',
    ]
    const property = fc.asyncProperty(
      fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
      fc.oneof(fc.constantFrom(...paths), fc.webPath()),
      fc.webQueryParameters(),
      fc.oneof(
        fc.json(),
        fc.string(),
        fc.json().map((text) => `{"plants":[${text}]}`),
      ),
      async (method, path, query, body) => {
        const { status } = await ask(started, `${path}?${query}`, { method, headers: json, body })
        expect(status).toBeLessThan(500)
      },
    )
    await fc.assert(property, { numRuns: 500 })
    expect((await fetch(`${started.url}/plants`, as('alice'))).status).toBe(200)
  })
})

describe('a snapshot without a wanted name', () => {
  it('takes none that is there', async () => {
    const started = await start()
    await ask(started, '/snapshots/snapshot-1', { method: 'PUT' })
    const { text } = await ask(started, '/snapshots', { method: 'POST' })
    expect(JSON.parse(text)).toEqual({ name: 'snapshot-2' })
  })
})

describe('the events', () => {
  /** The events of a stream as they come. */
  const events = async (url: string) => {
    const leaving = new AbortController()
    const response = await fetch(`${url}/__plant-mock/events`, { signal: leaving.signal })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    const next = async (name: string): Promise<Record<string, unknown>> => {
      for (;;) {
        const match = new RegExp(`^event: ${name}\\ndata: (.*)\\n\\n`, 'm').exec(text)
        if (match !== null) {
          text = text.slice(match.index + match[0].length)
          return JSON.parse(match[1] ?? '') as Record<string, unknown>
        }
        const { done, value = '' } = (await reader?.read()) ?? { done: true }
        if (done) throw new Error(`the stream ended before ${name}`)
        text += value
      }
    }
    const ended = async () => {
      while (!(await reader?.read())?.done);
    }
    return { next, ended, leave: () => leaving.abort() }
  }

  it('tell of requests in short, and of changes by hand', async () => {
    const { url, mock } = await start()
    const stream = await events(url)
    expect(await stream.next('state')).toEqual({ latest: 0 })
    await fetch(`${url}/plants`, as('alice'))
    expect(await stream.next('requests')).toMatchObject({
      latest: 1,
      lines: [{ id: 1, method: 'GET', url: '/plants', status: 200, caller: 'caller-1' }],
    })
    await mock.assume({ 'create.status': 200 })
    expect(await stream.next('change')).toEqual({ subject: 'assumptions' })
    mock.session('new')
    expect(await stream.next('change')).toEqual({ subject: 'sessions' })
    stream.leave()
  })

  it('put a burst into few, of which each holds two hundred requests at the most', async () => {
    const { url, mock } = await start()
    const stream = await events(url)
    await Promise.all(Array.from({ length: 500 }, () => mock.fetch('/plants', as('alice'))))
    const lengths: number[] = []
    for (let latest = 0; latest < 500; ) {
      const event = (await stream.next('requests')) as { latest: number; lines: unknown[] }
      lengths.push(event.lines.length)
      latest = event.latest
    }
    expect(Math.max(...lengths)).toBeLessThanOrEqual(200)
    stream.leave()
  })

  it('end when the server closes, which then need not wait for them', async () => {
    const { url, close } = await start({ grace: 60_000 })
    const stream = await events(url)
    await Promise.all([close(), stream.ended()])
  })
})

describe('connectPlantMock', () => {
  it('refuses what is no address', () => {
    expect(() => connectPlantMock('localhost:4010')).toThrow(/is no address of a mock/)
    expect(() => connectPlantMock('')).toThrow(/Write it as http:\/\/127\.0\.0\.1:4010/)
  })

  it('says so when nothing answers there', async () => {
    const { url, close } = await start()
    await close()
    await expect(connectPlantMock(url).plants.all()).rejects.toThrow(UnreachableError)
    await expect(connectPlantMock(url).requests.waitFor({})).rejects.toThrow(`No mock answers at ${url}`)
  })

  it('says so when what answers is no mock, or wants a key', async () => {
    const { url } = await start({ controlKey: 'open-sesame' })
    await expect(connectPlantMock(`${url}/plants`).plants.all()).rejects.toThrow(
      /it answered 404|Nothing answers/,
    )
    await expect(connectPlantMock(url).plants.all()).rejects.toThrow('Send the key of --control-key')
  })

  it('sends requests of any form through the mock', async () => {
    const { url } = await start({ fixtures: ['garden'] })
    const mock = connectPlantMock(url)
    const asAlice = as('alice')
    const all = [
      await mock.fetch('/plants?limit=2', asAlice),
      await mock.fetch('https://api.example.com/plants?limit=2', asAlice),
      await mock.fetch(new URL('https://api.example.com/plants?limit=2'), asAlice),
      await mock.fetch(new Request('https://api.example.com/plants?limit=2', asAlice)),
    ]
    for (const response of all) expect(await response.json()).toHaveLength(2)
    const create = new Request('https://api.example.com/plants', post({ id: 900, name: 'Mint', tag: 'herb' }))
    expect((await mock.fetch(create)).status).toBe(201)
  })

  it('seeds as much as a fixture file holds', async () => {
    const { url } = await start()
    const mock = connectPlantMock(url)
    const crowded = await loadFixtures('crowded')
    await mock.seed(Array.from({ length: 40 }, () => crowded).flat())
    expect(await mock.plants.all()).toHaveLength(10_000)
  })
})
