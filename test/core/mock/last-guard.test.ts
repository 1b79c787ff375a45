import { join } from 'node:path'
import { setupServer } from 'msw/node'
import type { PlantMock } from 'plant-mock'
import { plantHandlers, unhandled } from 'plant-mock/msw'
import { plantMiddleware, type StartOptions, startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import type { CallerKey } from '../../../src/core/contract/caller.ts'
import { commandNamed } from '../../../src/core/mock/commands.ts'
import { createInternalMock } from '../../../src/core/mock/create-plant-mock.ts'
import type { MockInternals } from '../../../src/core/mock/instances.ts'
import { step } from '../../../src/core/model/step.ts'
import { openTestFolder } from '../../support/folder.ts'
import { skipsRedis } from '../../support/redis-server.ts'
import { storeOfItsOwn } from '../../support/replicas.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'

const { closers, serve } = useServers()

const secret = 'a-token-that-no-log-may-have-0123'
const reason = `it failed for ${secret}`

const fails = (): never => {
  throw new RangeError(reason)
}
const rejects = () => Promise.reject(new RangeError(reason))

const brokenParts: Readonly<Record<string, (isBroken: () => boolean) => MockInternals>> = {
  'a writer that throws': (isBroken) => ({ write: () => (isBroken() ? fails() : undefined) }),
  'a writer that rejects': (isBroken) => ({ write: () => (isBroken() ? rejects() : undefined) }),
  'keys of callers that throw': (isBroken) => ({
    keyOf: (caller) => (isBroken() ? fails() : (caller as CallerKey)),
  }),
  'a clock that throws': (isBroken) => ({ now: () => (isBroken() ? fails() : 0) }),
  'events that throw': (isBroken) => ({ observe: () => (isBroken() ? fails() : undefined) }),
  'an observer that throws': (isBroken) => ({
    observer: {
      exchangeRecorded: () => (isBroken() ? fails() : undefined),
      watch: ({ context }) => ({
        step: (state, request, assumptions) => (isBroken() ? fails() : step(state, request, assumptions)),
        run: (name, memory, argument) => commandNamed(name).run(memory, argument, context),
        adopted: () => undefined,
        replied: () => undefined,
        snapshot: () => () => undefined,
        maxBodySize: 0,
      }),
    },
  }),
}

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

describe.each(Object.entries(carriers))('through %s, a mock', (_, carry) => {
  it.each(Object.entries(brokenParts))('with %s responds to every request, and logs no token', async (_, part) => {
    const notices: string[] = []
    let isBroken = false
    const mock = createInternalMock(
      { assume: { 'auth.tokens': 'listed' }, tokens: ['alice', secret], onNotice: (text) => notices.push(text) },
      part(() => isBroken),
    )
    const request = await carry(mock)
    expect((await request('/plants', as('alice'))).status).toBe(200)
    isBroken = true
    const statuses: number[] = []
    for (const init of [post({ id: 1, name: 'n', tag: 't' }), as('alice'), as(secret), {}])
      statuses.push((await request('/plants', init)).status)
    expect(statuses.filter((status) => ![200, 201, 401, 500].includes(status))).toEqual([])
    expect(statuses).toContain(500)
    expect(notices.filter((text) => text.includes(secret))).toEqual([])
  })

  it('that knows no caller answers 500, and the log has no text that it cannot redact', async () => {
    const notices: string[] = []
    const mock = createInternalMock({ onNotice: (text) => notices.push(text) }, { keyOf: fails })
    const request = await carry(mock)
    const response = await request('/plants', as(secret))
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/problem+json'])
    const text = await response.text()
    expect(JSON.parse(text)).toMatchObject({ type: 'urn:problem-type:plant-mock:internal-error' })
    expect(text).not.toContain('it failed')
    expect(notices).toEqual(['A request failed. …'])
  })
})

describe('a server', () => {
  it('whose writer rejects answers 500 on the control interface, and serves on', async () => {
    const { url, controlUrl, close } = await startPlantMock({ mock: createInternalMock({}, { write: rejects }) })
    closers.push(close)
    const plants = JSON.stringify({ plants: [{ id: 1, name: 'n', tag: 't' }] })
    const headers = { 'content-type': 'application/json' }
    expect((await fetch(`${controlUrl}plants`, { method: 'POST', headers, body: plants })).status).toBe(500)
    expect(await (await fetch(`${url}/plants`, as('alice'))).json()).toEqual([])
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

  const withFolder = async (options: (folder: string) => StartOptions): Promise<StartOptions> =>
    options(await openTestFolder())

  const withSharedState = async (): Promise<StartOptions> => {
    const { sharedState } = await import('plant-mock/redis')
    return { store: sharedState(await storeOfItsOwn()) }
  }

  const withUpstream = async () =>
    (await serve((_, res) => res.writeHead(201, { 'content-type': 'application/json' }).end('{}'))).url

  it.each<readonly [string, string, () => Promise<StartOptions>]>([
    ['--persist', '/plants', () => withFolder((folder) => ({ persist: join(folder, 'plants.ndjson') }))],
    ['--upstream', '/x', async () => ({ upstream: { url: await withUpstream() } })],
    [
      '--record',
      '/plants',
      async () => {
        const url = await withUpstream()
        return withFolder((folder) => ({ upstream: { url, for: 'all', record: join(folder, 'r.har') } }))
      },
    ],
    ...(skipsRedis ? [] : [['--store', '/plants', withSharedState] as const]),
  ])('with %s whose onRequest throws responds at %s, logs each failure, and serves on', async (_, path, options) => {
    const notices: string[] = []
    const { url, close } = await startPlantMock({
      ...(await options()),
      onNotice: (text) => notices.push(text),
      onRequest: () => {
        throw new Error('why')
      },
    })
    closers.push(close)
    for (const id of [1, 2]) {
      const response = await fetch(url + path, post({ id, name: 'n', tag: 't' }))
      expect(response.status).toBe(201)
      await response.text()
    }
    await expect.poll(() => notices.filter((text) => text === 'A request failed. why')).toHaveLength(2)
  })
})
