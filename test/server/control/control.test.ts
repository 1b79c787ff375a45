import { request as httpRequest } from 'node:http'
import { assumptionRegistry, type LocalPlantMock } from 'plant-mock'
import { connectPlantMock, UnreachableError } from 'plant-mock/control'
import type { StartedPlantMock } from 'plant-mock/node'
import { describe, expect, it, vi } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'

const { start } = useServers()

type Asked = {
  readonly status: number
  readonly headers: NodeJS.Dict<string | string[]>
  readonly text: string
}

const ask = (
  { url }: { readonly url: string },
  path: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Asked> =>
  new Promise((resolve, reject) => {
    const request = httpRequest(`${url}/__plant-mock${path}`, { method, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    request.on('error', reject)
    request.end(body)
  })

const json = { 'content-type': 'application/json' }
const detailOf = ({ text }: Asked): string => (JSON.parse(text) as { detail: string }).detail

describe('the routes of the control interface', () => {
  it('respond as the index lists them: with JSON, or with 204 and no body', async () => {
    const started = await start({ fixtures: ['garden'] })
    await fetch(`${started.url}/plants`, as('alice'))
    await started.mock.fail({ delay: 1 })
    started.mock.session('one')
    await ask(started, '/snapshots/first', { method: 'PUT' })
    const bodies: Record<string, unknown> = {
      'POST /plants': { plants: [{ name: 'a', tag: 'b' }] },
      'POST /plants/search': { caller: 'alice' },
      'PATCH /plants': { filter: { name: 'a' }, patch: { tag: 'c' } },
      'POST /plants/remove': { filter: { name: 'a' } },
      'PUT /plants': { plants: [{ name: 'a', tag: 'b' }] },
      'POST /requests': { method: 'GET', url: '/plants', caller: 'alice' },
      'POST /requests/search': { operation: 'createPlant' },
      'POST /requests/count': {},
      'POST /faults': { delay: 1 },
      'PATCH /assumptions': { 'create.status': 200 },
      'POST /assumptions/preview': { 'create.status': 200 },
    }
    const names: Record<string, string> = { snapshots: 'first', requests: '1', faults: 'fault-1', sessions: 'one' }
    const { routes } = JSON.parse((await ask(started, '/')).text) as {
      routes: { method: string; path: string; summary: string }[]
    }
    expect(routes.length).toBeGreaterThan(30)
    // Routes that delete come last, because other routes read what a deletion removes.
    const sorted = routes.sort((a, b) => order(a.method, a.path) - order(b.method, b.path))
    for (const { method, path, summary } of sorted.filter(({ path }) => path !== '/events')) {
      const [, area = ''] = path.split('/')
      const body = bodies[`${method} ${path}`]
      const answer = await ask(started, path.replace(/\{\w+\}/, names[area] ?? 'garden'), {
        method,
        ...(body !== undefined && { headers: json, body: JSON.stringify(body) }),
      })
      const { status, headers, text } = answer
      expect([200, 204], `${method} ${path}: ${text}`).toContain(status)
      if (status === 204) expect(text).toBe('')
      else expect([headers['content-type'], typeof JSON.parse(text)]).toEqual(['application/json', 'object'])
      expect(summary).not.toBe('')
    }
  })
})

it.each([
  ['TEXT/HTML', 308],
  ['text/html;q=0, */*', 200],
  ['text/html; q=0.0', 200],
  ['text/html;q=0.1', 308],
  ['application/json', 200],
])('the index is JSON, and a client that prefers HTML is led to the dashboard: %s', async (accept, status) => {
  expect((await ask(await start(), '', { headers: { accept } })).status).toBe(status)
})

const order = (method: string, path: string): number =>
  (path === '/reset' || (path === '/plants' && method === 'PUT') ? 100 : method === 'DELETE' ? 50 : 0) +
  (path.includes('{') ? 0 : 1)

describe('the guard of the control interface', () => {
  it('refuses pages of other origins, preflight requests included', async () => {
    const started = await start()
    const preflight = await ask(started, '/reset', {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    })
    expect(preflight.status).toBe(403)
    expect(JSON.stringify(preflight.headers)).not.toMatch(/access-control/i)
  })

  it('accepts pages of the same origin', async () => {
    const started = await start()
    expect((await ask(started, '/state', { headers: { origin: started.url } })).status).toBe(200)
  })

  it('refuses everything on an address that other machines can reach, without a key', async () => {
    const off = await start({ host: '0.0.0.0' })
    expect(off.controlUrl).toBeUndefined()
    const local = { url: off.url.replace('0.0.0.0', '127.0.0.1') }
    const refused = await ask(local, '/state')
    expect([refused.status, detailOf(refused)]).toEqual([403, expect.stringContaining('--control-key KEY')])
    expect((await fetch(`${local.url}/plants`, as('alice'))).status).toBe(200)
  })

  it('accepts the control key, with any Host', async () => {
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

  it('sends no CORS header', async () => {
    const { headers } = await ask(await start(), '/state')
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(headers['cache-control']).toBe('no-store')
  })
})

describe('an invalid control request', () => {
  it.each([
    ['GET', '/nothing', undefined, 404, 'Unknown path /nothing. GET /__plant-mock/ lists the routes.'],
    ['PUT', '/reset', undefined, 405, '/reset accepts POST, not PUT.'],
    ['GET', '/snapshots/none/restore', undefined, 405, '/snapshots/none/restore accepts POST, not GET.'],
    ['POST', '/snapshots/none/restore', undefined, 404, 'Unknown snapshot "none".'],
    ['DELETE', '/snapshots/none', undefined, 404, 'Unknown snapshot "none".'],
    ['DELETE', '/faults/fault-9', undefined, 404, 'Unknown fault "fault-9".'],
    ['DELETE', '/sessions/none', undefined, 404, 'Unknown session "none".'],
    ['GET', '/requests/9', undefined, 404, 'Unknown request "9". GET /__plant-mock/requests lists all of them.'],
    ['GET', '/requests/-1', undefined, 404, 'Unknown request "-1".'],
    [
      'GET',
      '/requests?stauts=200',
      undefined,
      400,
      /^Unknown filter "stauts"\. Did you mean "status"\? Filters are operation, method/,
    ],
    ['GET', '/requests?status=x', undefined, 400, 'The filter status cannot be "x". Use a status such as 409.'],
    ['GET', '/state?session=%20', undefined, 400, /^Invalid session id/],
    ['GET', '/events?session=%20', undefined, 400, /^Invalid session id/],
    ['POST', '/plants', '{', 400, /JSON/],
    ['POST', '/plants', '[]', 400, 'Send {"plants":[…]}, with plants as in a fixture file.'],
    ['POST', '/plants', '{"plants":[{"name":1}]}', 400, /^Invalid fixture at index 0/],
    ['POST', '/requests', '{"method":"GET","url":"plants"}', 400, /^Send a request such as/],
    ['POST', '/requests', '{"method":"GET","url":"/plants","body":"x"}', 400, /^The request cannot be sent: .*body/],
    ['POST', '/requests', '{"method":"A B","url":"/plants"}', 400, /^The request cannot be sent: its method/],
    ['POST', '/requests', '{"method":"GET","url":"/plants","token":"alice"}', 400, /Members are .*, caller\.$/],
    [
      'POST',
      '/requests',
      '{"method":"GET","url":"/plants","headers":{"Plant-Mock-Session":"a"}}',
      400,
      /the control request itself selects the session\.$/,
    ],
    ['DELETE', '/plants?id=1', undefined, 400, /Use POST \/plants\/remove with a filter\.$/],
    ['POST', '/plants/remove', '{"filter":null}', 400, /^Send \{"filter"/],
    ['POST', '/plants/remove', '{"filter":{},"all":true}', 400, /Members are filter, plants\.$/],
    ['POST', '/requests/9/replay', undefined, 404, 'Unknown request "9".'],
    ['PATCH', '/plants', '{"patch":{}}', 400, /^Send \{"filter"/],
    ['PATCH', '/plants', '{"filter":{},"plants":[],"patch":{}}', 400, /^Send \{"filter"/],
    ['PATCH', '/plants', '{"filter":{}}', 400, /^Pass the new values of fields/],
    [
      'PATCH',
      '/plants',
      '{"filter":{"nam":"x"},"patch":{}}',
      400,
      /^Unknown field "nam" in the filter\. Did you mean "name"/,
    ],
    ['POST', '/plants/remove', '{"plants":{}}', 400, /^Send \{"filter"/],
    ['POST', '/plants/remove', undefined, 400, /^Send \{"filter"/],
    [
      'PATCH',
      '/assumptions',
      '{"list.order":"alphabetical"}',
      400,
      /^The assumption list\.order cannot be "alphabetical"/,
    ],
    ['PATCH', '/assumptions', '{"__proto__":1}', 400, 'Unknown assumption "__proto__".'],
    ['PATCH', '/assumptions', 'null', 400, /^Send an object of assumptions/],
    ['POST', '/faults', '[]', 400, /^Invalid fault: it has no effect/],
    [
      'POST',
      '/faults',
      '{"status":200,"headers":{"Trailer":"X"}}',
      400,
      /the connection sets the header Trailer; leave this header out/,
    ],
    ['PUT', '/fixtures/schema', undefined, 404, 'Unknown fixture "schema".'],
    ['PUT', '/fixtures/..%2Fgarden', undefined, 404, 'Unknown fixture "../garden".'],
    ['POST', '/requests/count', '{"violating":"constructor"}', 400, /^The filter violating cannot be "constructor"/],
    ['POST', '/requests/search', '{"constructor":1}', 400, /^Unknown filter "constructor"/],
  ] as const)('%s %s with the body %s gets %i: %s', async (method, path, body, status, detail) => {
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

  it('is refused when its body is nested too deep', async () => {
    const body = `{"status":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const answer = await ask(await start(), '/requests/search', { method: 'POST', headers: json, body })
    expect([answer.status, detailOf(answer)]).toEqual([400, 'The body is nested more than 500 levels deep.'])
  })
})

describe('the registry of assumptions', () => {
  it('says which alternatives are rare', async () => {
    const { registry } = JSON.parse((await ask(await start(), '/assumptions')).text) as {
      registry: { id: string; rare?: boolean }[]
    }
    const rare = registry.filter((row) => row.rare).map(({ id }) => id)
    expect(rare).toEqual(assumptionRegistry.filter((row) => row.rare).map(({ id }) => id))
    expect(rare).not.toEqual([])
  })
})

describe('the preview of assumptions', () => {
  it('counts the latest responses that would differ, and changes nothing', async () => {
    const started = await start({ fixtures: ['garden'] })
    for (const path of ['/plants', '/plants?limit=2', '/plants?limit=x'])
      await fetch(`${started.url}${path}`, as('alice')).then((response) => response.text())
    const preview = (body: string) => ask(started, '/assumptions/preview', { method: 'POST', headers: json, body })
    expect(JSON.parse((await preview('{"list.order":"newest"}')).text)).toEqual({
      differing: 2,
      total: 3,
      requests: [1, 2],
    })
    expect((await started.mock.assumptions())['list.order']).toBe('added')
    const refused = await preview('{"list.order":"sideways"}')
    expect([refused.status, detailOf(refused)]).toEqual([400, expect.stringMatching(/list\.order/)])
  })
})

describe('the alternatives of a response', () => {
  it('are those of each value, with the values at the time and without tokens', async () => {
    const token = 'a-token-of-forty-characters-that-is-real'
    const started = await start()
    const plant = { id: 7, name: `of ${token}`, tag: token }
    await fetch(`${started.url}/plants`, post(plant, { authorization: `Bearer ${token}`, prefer: 'delay=1' }))
    await started.mock.assume({ 'create.status': 202 })
    const { text } = await ask(started, '/requests/1/alternatives')
    const { values, alternatives } = JSON.parse(text) as {
      values: Record<string, unknown>
      alternatives: { id: string; value: unknown; isSame: boolean; status: number; body?: string }[]
    }
    expect(values['create.status']).toBe(201)
    const ofStatus = alternatives.filter(({ id }) => id === 'create.status')
    expect(ofStatus.map(({ value, isSame, status }) => [value, isSame, status])).toEqual([
      [200, false, 200],
      [202, false, 202],
    ])
    expect(ofStatus[0]?.body).toBe('{"name":"of caller-1","tag":"caller-1"}')
    expect(text).not.toContain(token)
    for (const id of ['2', '0', '1.5', 'x'])
      expect((await ask(started, `/requests/${id}/alternatives`)).status).toBe(404)
  })
})

describe('the event stream', () => {
  const events = async (url: string, query = '') => {
    const leaving = new AbortController()
    const response = await fetch(`${url}/__plant-mock/events${query}`, { signal: leaving.signal })
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

  it('reports requests, changes and new sessions', async () => {
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

  it('reports a fault that is removed, but not one that is unknown', async () => {
    const { url, mock } = await start()
    const stream = await events(url)
    await stream.next('state')
    await mock.fail({ status: 503 })
    expect(await stream.next('change')).toEqual({ subject: 'faults' })
    const [fault] = await mock.faults()
    const remove = async () => (await fetch(`${url}/__plant-mock/faults/${fault?.id}`, { method: 'DELETE' })).status
    expect(await remove()).toBe(204)
    expect(await stream.next('change')).toEqual({ subject: 'faults' })
    expect(await remove()).toBe(404)
    await mock.requests.clear()
    expect(await stream.next('change')).toEqual({ subject: 'requests' })
    stream.leave()
  })

  it('reports changed plants, but no update that matches none', async () => {
    const { url, mock } = await start({ fixtures: [{ id: 1, name: 'Mint', tag: 'herb' }] })
    const stream = await events(url)
    await stream.next('state')
    const { plants } = connectPlantMock(url)
    const changes = [
      () => plants.update({ id: 1 }, { tag: 'x' }),
      () => plants.remove({ id: 1 }),
      () => plants.clear(),
      () => plants.remove({ id: 1 }).then(() => mock.assume({ 'create.status': 200 })),
    ]
    const subjects: unknown[] = []
    for (const change of changes) {
      await change()
      subjects.push((await stream.next('change')).subject)
    }
    expect(subjects).toEqual(['plants', 'plants', 'plants', 'assumptions'])
    stream.leave()
  })

  it('answers HEAD without a body', async () => {
    const { status, text } = await ask(await start(), '/events', { method: 'HEAD' })
    expect([status, text]).toEqual([200, ''])
  })

  it.each([
    ['dropped', async (mock: LocalPlantMock) => void (await mock.sessions.drop('a'))],
    ['evicted', async (mock: LocalPlantMock) => void mock.session('b')],
  ])('ends when its session is %s', async (_, end) => {
    const { url, mock } = await start({ sessions: 1, onNotice: () => undefined })
    const stream = await events(url, '?session=a')
    await stream.next('state')
    await end(mock)
    await stream.ended()
  })

  it('ends when the server closes, which does not wait for its clients', async () => {
    const { url, close } = await start({ grace: 60_000 })
    const stream = await events(url)
    await Promise.all([close(), stream.ended()])
  })
})

describe('connectPlantMock', () => {
  it('refuses anything but an HTTP URL', () => {
    expect(() => connectPlantMock('localhost:4010')).toThrow(/is not the URL of a mock/)
    expect(() => connectPlantMock('http://me:secret@host:99999')).toThrow(/^"http:\/\/…@host:99999" is not the URL/)
    expect(() => connectPlantMock('')).toThrow(/Use a URL such as http:\/\/127\.0\.0\.1:4010/)
  })

  it('throws UnreachableError when no server responds', async () => {
    const { url, close } = await start()
    await close()
    await expect(connectPlantMock(url).plants.all()).rejects.toThrow(UnreachableError)
    await expect(connectPlantMock(url).requests.waitFor({})).rejects.toThrow(`No mock responds at ${url}`)
  })

  it('takes no name of a snapshot from the body of a request that has none', async () => {
    const { url, mock } = await start()
    await mock.seed([{ name: 'Fern', tag: 't' }])
    const control = `${url}/__plant-mock/snapshots`
    const headers = { 'content-type': 'application/json' }
    await fetch(`${control}/base`, { method: 'PUT', headers })
    await mock.plants.clear()
    for (const body of ['"base"', '{"name":"base"}', '5', 'true', '""', '[1]']) {
      const response = await fetch(control, { method: 'POST', headers, body })
      expect(await response.json()).toEqual({ name: expect.stringMatching(/^(?!base).+/) })
    }
    await fetch(`${control}/base/restore`, { method: 'POST', headers })
    expect(await mock.plants.all()).toMatchObject([{ name: 'Fern' }])
  })

  describe('waits for a request', () => {
    const cuttable = (mayReconnect: boolean) => {
      const streams: AbortController[] = []
      let asked = 0
      const untilRead = (count: number) =>
        vi.waitFor(() => expect(asked).toBeGreaterThanOrEqual(count), { timeout: 60_000 })
      const send: typeof fetch = (input, init = {}) => {
        if (!String(input).endsWith('/events')) {
          asked++
          return fetch(input, init)
        }
        if (streams.length > 0 && !mayReconnect) return Promise.reject(new TypeError('fetch failed'))
        const cut = new AbortController()
        streams.push(cut)
        return fetch(input, { ...init, signal: AbortSignal.any([cut.signal, ...(init.signal ? [init.signal] : [])]) })
      }
      return { send, streams, untilRead }
    }
    const listing = { operation: 'listPlants' } as const

    it('over a new event stream after one was cut', async () => {
      const { url, mock } = await start()
      const { send, streams, untilRead } = cuttable(true)
      const waiting = connectPlantMock(url, { fetch: send }).requests.waitFor(listing, { timeout: 3_600_000 })
      for (const count of [1, 2, 3]) {
        await untilRead(count)
        expect(streams).toHaveLength(count)
        if (count < 3) streams.at(-1)?.abort()
      }
      await mock.fetch('/plants', as('alice'))
      expect(await waiting).toMatchObject({ id: 1 })
    })

    it('that arrived while the event stream was cut', async () => {
      const { url, mock } = await start()
      const { send, streams, untilRead } = cuttable(false)
      const waiting = connectPlantMock(url, { fetch: send }).requests.waitFor(listing, { timeout: 1_000 })
      await untilRead(1)
      streams[0]?.abort()
      await vi.waitFor(() => expect(mock.instances.root.events.hasListeners).toBe(false), { timeout: 60_000 })
      await mock.fetch('/plants', as('alice'))
      expect(await waiting).toMatchObject({ id: 1 })
    })

    it('in a session that is dropped meanwhile, and created again', async () => {
      const { url, mock } = await start()
      const waiting = connectPlantMock(url).session('w').requests.waitFor(listing, { timeout: 3_600_000 })
      await vi.waitFor(() => expect(mock.session('w').instances.root.events.hasListeners).toBe(true), {
        timeout: 60_000,
      })
      await mock.sessions.drop('w')
      await mock.fetch('/plants', { headers: { ...as('alice').headers, 'plant-mock-session': 'w' } })
      expect(await waiting).toMatchObject({ id: 1 })
    })

    it('and stops to connect when the wait has ended', async () => {
      const { url } = await start()
      const { send, streams } = cuttable(true)
      const mock = connectPlantMock(url, { fetch: send })
      await expect(mock.requests.waitFor(listing, { timeout: 10 })).rejects.toThrow('No request matched')
      await new Promise((resolve) => setTimeout(resolve, 300))
      expect(streams).toHaveLength(1)
    })
  })

  it('throws the detail of a refusal, such as a missing key', async () => {
    const { url } = await start({ controlKey: 'open-sesame' })
    await expect(connectPlantMock(url).plants.all()).rejects.toThrow('Send the key of --control-key')
  })

  it('sends requests of every form that fetch accepts', async () => {
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
})

describe('a change of plants through the control interface', () => {
  const fixtures = [
    { id: 1, name: 'Mint', tag: 'herb', access: ['alice'] },
    { name: 'Mint', tag: 'herb' },
    { name: 'Mint', tag: 'herb' },
  ]
  const change = (started: StartedPlantMock, path: string, method: string, body: unknown) =>
    ask(started, path, { method, headers: json, body: JSON.stringify(body) })

  it('selects as many equal plants as the body lists', async () => {
    const started = await start({ fixtures })
    const { text } = await change(started, '/plants/remove', 'POST', { plants: [fixtures[1]] })
    expect(JSON.parse(text)).toEqual({ changed: 1 })
    expect(await started.mock.plants.all()).toEqual(fixtures.slice(0, 2))
  })

  it('names callers by pseudonyms, or by tokens that are new', async () => {
    const started = await start({ fixtures })
    const shown = JSON.parse((await ask(started, '/plants?callers=pseudonyms')).text) as { plants: unknown[] }
    expect(shown.plants[0]).toMatchObject({ access: ['caller-1'] })
    const patch = { access: ['caller-1', 'bob'] }
    await change(started, '/plants?callers=pseudonyms', 'PATCH', { plants: [shown.plants[0]], patch })
    expect(await started.mock.plants.find({ id: 1 })).toMatchObject({ access: ['alice', 'bob'] })
    const added = { id: 50, name: 'Hoya', tag: 'x', access: ['caller-1'] }
    expect((await change(started, '/plants?callers=pseudonyms', 'POST', { plants: [added] })).status).toBe(204)
    expect(await started.mock.plants.find({ id: 50 })).toMatchObject({ access: ['alice'] })
  })
})

describe('a request that is sent through the control interface', () => {
  const secret = 'a-token-of-forty-characters-that-is-real'
  const send = async (started: StartedPlantMock, path: string, body?: unknown) => {
    const init = { method: 'POST', headers: json, ...(body !== undefined && { body: JSON.stringify(body) }) }
    return JSON.parse((await ask(started, path, init)).text) as { id: number }
  }

  it('comes from the caller with a pseudonym, or with a new token', async () => {
    const started = await start()
    await fetch(
      `${started.url}/plants`,
      post({ id: 1, name: 'Mint', tag: 'herb' }, { authorization: `Bearer ${secret}` }),
    )
    expect(await send(started, '/requests', { method: 'GET', url: '/plants?limit=3', caller: 'caller-1' })).toEqual({
      id: 2,
    })
    await send(started, '/requests', { method: 'GET', url: '/plants', caller: 'bob' })
    const [, first, second] = await started.mock.requests.all()
    expect(first).toMatchObject({
      caller: 'caller-1',
      url: '/plants?limit=3',
      response: { json: [{ name: 'Mint', tag: 'herb' }] },
    })
    expect(second).toMatchObject({ caller: 'caller-2', response: { json: [] } })
  })

  it('repeats one of the journal as its caller, with faults of now', async () => {
    const started = await start()
    await fetch(
      `${started.url}/plants`,
      post({ id: 1, name: 'Mint', tag: 'herb' }, { authorization: `Bearer ${secret}` }),
    )
    await send(started, '/requests/1/replay')
    await started.mock.fail({ status: 503, times: 1 })
    await send(started, '/requests/1/replay')
    await fetch(`${started.url}/plants`)
    await send(started, '/requests/4/replay')
    const entries = await started.mock.requests.all()
    expect(entries.map(({ status, caller }) => [status, caller])).toEqual([
      [201, 'caller-1'],
      [409, 'caller-1'],
      [503, 'caller-1'],
      [401, undefined],
      [401, undefined],
    ])
    expect(entries[1]?.request.json).toEqual({ id: 1, name: 'Mint', tag: 'herb' })
    expect(JSON.stringify(entries)).not.toContain(secret)
  })

  it('stays in its session', async () => {
    const started = await start()
    await send(started, '/requests?session=one', { method: 'GET', url: '/plants', caller: 'bob' })
    expect(await started.mock.requests.count()).toBe(0)
    expect(await started.mock.session('one').requests.count()).toBe(1)
  })
})

it('all plants are not removed by a request with a filter', async () => {
  const { url, mock } = await start({ fixtures: ['garden'] })
  const init = { method: 'DELETE', headers: { 'content-type': 'application/json' }, body: '{"filter":{"id":1}}' }
  const response = await fetch(`${url}/__plant-mock/plants`, init)
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('takes no filter')])
  expect(await mock.plants.all()).not.toHaveLength(0)
})

describe('a request that cannot be sent', () => {
  const token = 'a-secret-token-1234567890'

  it.each<[string, object]>([
    ['a caller with a line break', { caller: `${token}\nX` }],
    ['a caller with a null character', { caller: `${token}\0` }],
    ['a header with a line break', { headers: { authorization: `Bearer ${token}\r\n x` } }],
    ['a header beyond Latin-1', { headers: { authorization: `Bearer ${token}\u2028` } }],
    ['a header whose colon is missing', { headers: { [`authorization bearer ${token}`]: '' } }],
    ['a method with a token', { method: `GET ${token}` }],
    ['a path with a token in a header that is no text', { headers: { authorization: [token] } }],
  ])('is refused without a word of it: %s', async (_, part) => {
    const started = await start()
    const body = JSON.stringify({ method: 'GET', url: '/plants', ...part })
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${started.url}/__plant-mock/requests`, { method: 'POST', headers, body })
    const text = await response.text()
    expect([response.status, text.toLowerCase().includes(token)]).toEqual([400, false])
    expect(text).not.toContain('..')
  })
})
