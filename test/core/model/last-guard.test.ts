import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setupServer } from 'msw/node'
import { createPlantMock, memoryStore, type PlantMock, type PlantStore } from 'plant-mock'
import { plantHandlers, unhandled } from 'plant-mock/msw'
import { plantMiddleware, type StartOptions, startPlantMock } from 'plant-mock/node'
import { sharedState } from 'plant-mock/redis'
import { describe, expect, it } from 'vitest'
import { skipsRedis } from '../../support/redis-server.ts'
import { storeOfItsOwn } from '../../support/replicas.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'
import { useUpstream } from '../../support/upstream.ts'

const { closers } = useServers()
const { serve } = useUpstream()

const secret = 'a-token-that-no-log-may-have-0123'
const reason = `the store failed for ${secret}`

/** A store whose method throws, or rejects. */
const broken = (method: keyof PlantStore, fail: () => unknown): PlantStore => ({
  ...memoryStore(),
  callerKey: (caller) => caller,
  [method]: fail,
})

type Carrier = (mock: PlantMock) => Promise<(path: string, init?: RequestInit) => Promise<Response>>

const carriers: Readonly<Record<string, Carrier>> = {
  'mock.fetch': async (mock) => mock.fetch,
  async msw(mock) {
    const server = setupServer(...plantHandlers(mock, { baseUrl: 'http://plants.example' }))
    server.listen(unhandled('bypass'))
    closers.push(async () => server.close())
    return (path, init) => fetch(`http://plants.example${path}`, init)
  },
  async 'the server'(mock) {
    const { url, close } = await startPlantMock({ mock })
    closers.push(close)
    return (path, init) => fetch(`${url}${path}`, init)
  },
  async 'the middleware'(mock) {
    const middleware = plantMiddleware(mock)
    const { url } = await serve((req, res) => middleware(req, res, () => res.end('next')))
    return (path, init) => fetch(`${url}${path}`, init)
  },
}

const methods = ['create', 'list', 'knows', 'all', 'rows', 'count', 'snapshot', 'callerKey'] as const
const failures: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new RangeError(reason)
    },
  ],
  ['rejects', () => Promise.reject(new RangeError(reason))],
]

describe.each(Object.entries(carriers))('through %s, a mock whose store', (_, carry) => {
  it.each(methods.flatMap((method) => failures.map(([how, fail]) => [how, method, fail] as const)))(
    '%s in %s responds to every request, and logs no token',
    async (_how, method, fail) => {
      const notices: string[] = []
      let isBroken = false
      const store = broken(method, (...args: readonly unknown[]) => {
        if (isBroken) return fail()
        const working = { callerKey: (caller: string) => caller, ...memoryStore() }[method] as (
          ...args: readonly unknown[]
        ) => unknown
        return working(...args)
      })
      const mock = createPlantMock({
        store,
        assume: { 'auth.tokens': 'listed' },
        onNotice: (text) => notices.push(text),
      })
      const request = await carry(mock)
      isBroken = true
      for (const init of [post({ id: 1, name: 'n', tag: 't' }), as(secret), {}])
        expect([200, 201, 401, 500]).toContain((await request('/plants', init)).status)
      expect(notices.filter((text) => text.includes(secret))).toEqual([])
    },
  )

  it('throws outside of an operation answers 500, and the log has no text that it cannot redact', async () => {
    const notices: string[] = []
    const store = broken('callerKey', failures[0]?.[1] as () => never)
    const mock = createPlantMock({ store, onNotice: (text) => notices.push(text) })
    const request = await carry(mock)
    const response = await request('/plants', as(secret))
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/problem+json'])
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ type: 'urn:problem-type:plant-mock:internal-error' })
    expect(text).not.toContain('the store failed')
    expect(notices).toEqual(['A request failed. …'])
  })
})

describe('a server', () => {
  it('whose store rejects in rows answers 500 on the control interface, and serves on', async () => {
    const store = broken('rows', failures[1]?.[1] as () => Promise<never>)
    const { url, controlUrl, close } = await startPlantMock({ mock: createPlantMock({ store }) })
    closers.push(close)
    expect((await fetch(`${controlUrl}plants`)).status).toBe(500)
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(200)
  })

  it.each([
    ['/plants', as(secret)],
    ['/plants', post({ id: 1, name: 'n', tag: 't' }, { authorization: `Bearer ${secret}` })],
    [`/?token=${secret}`, { headers: { 'x-api-key': secret } }],
  ])('whose onRequest throws responds to %s and serves on', async (path, init) => {
    const notices: string[] = []
    const { url, close } = await startPlantMock({
      onNotice: (text) => notices.push(text),
      onRequest: () => {
        throw new Error(`why\n${secret}`)
      },
    })
    closers.push(close)
    for (let round = 0; round < 2; round++) expect((await fetch(`${url}${path}`, init)).status).toBeLessThan(600)
    expect(notices).toEqual([expect.stringMatching(/^A request failed\. why (?:…|caller-1)$/), expect.any(String)])
  })

  const withFolder = async (options: (folder: string) => StartOptions): Promise<StartOptions> => {
    const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
    closers.push(() => rm(folder, { recursive: true }))
    return options(folder)
  }

  it.each<readonly [string, () => Promise<StartOptions>]>([
    ['--persist', () => withFolder((folder) => ({ persist: join(folder, 'plants.ndjson') }))],
    [
      '--record',
      async () => {
        const { url: upstream } = await serve((_, res) =>
          res.writeHead(201, { 'content-type': 'application/json' }).end('{}'),
        )
        return withFolder((folder) => ({ upstream: { url: upstream, for: 'all', record: join(folder, 'r.json') } }))
      },
    ],
    ...(skipsRedis ? [] : [['--store', async () => ({ store: sharedState(await storeOfItsOwn()) })] as const]),
  ])('with %s whose onRequest throws responds, logs each failure, and serves on', async (_, options) => {
    const notices: string[] = []
    const { url, close } = await startPlantMock({
      ...(await options()),
      onNotice: (text) => notices.push(text),
      onRequest: () => {
        throw new Error('why')
      },
    })
    closers.unshift(close)
    for (const id of [1, 2]) {
      const response = await fetch(`${url}/plants`, post({ id, name: 'n', tag: 't' }))
      expect(response.status).toBeLessThan(600)
      await response.text()
    }
    expect(notices.filter((text) => text === 'A request failed. why')).toHaveLength(2)
  })

  it('whose onRequest throws forwards to an upstream, and logs the failure', async () => {
    const { url: upstream } = await serve((_, res) => void res.end('x'))
    let notice: (text: string) => void = () => undefined
    const noticed = new Promise<string>((resolve) => {
      notice = resolve
    })
    const { url, close } = await startPlantMock({
      upstream: { url: upstream },
      onNotice: (text) => notice(text),
      onRequest: () => {
        throw new Error('why')
      },
    })
    closers.unshift(close)
    expect(await (await fetch(`${url}/x`)).text()).toBe('x')
    expect(await noticed).toBe('A request failed. why')
  })
})
