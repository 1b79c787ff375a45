import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type RedisServer, skipsRedis, startRedis } from '../support/redis-server.ts'
import { as, post } from '../support/targets.ts'
import { finish, run, serve, stopAll } from './support/cli.ts'

const password = 'a-password-to-hide'
const fern = { id: 70, name: 'Nephrolepis exaltata', tag: 'fern' }

let redis: RedisServer
let folder: string
let url: string
beforeAll(async () => {
  if (skipsRedis) return
  redis = await startRedis(['--save', '', '--requirepass', password])
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  url = redis.url.replace('unix:', `unix://:${password}@`)
})
afterEach(stopAll)
afterAll(async () => {
  await redis?.close()
  if (folder !== undefined) await rm(folder, { recursive: true })
})

const store = (name: string, address = url) => ({
  env: { PLANT_MOCK_STORE: address, PLANT_MOCK_STORE_NAME: name },
})

const list = async (server: string): Promise<readonly object[]> =>
  (await (await fetch(`${server}/plants`, as('alice'))).json()) as object[]

const stop = async ({ child, finished }: Awaited<ReturnType<typeof serve>>) => {
  child.kill('SIGTERM')
  return finished
}

describe.skipIf(skipsRedis)('plant-mock --store', () => {
  it('shares plants between processes, and says where they are and how many', async () => {
    const first = await serve([], store('shared'))
    const [banner] = await first.printed(/ {2}Plants[\s\S]*Dashboard/)
    expect(banner).toContain(
      `  Plants     24 plants; any bearer token is accepted\n  Shared     in ${redis.url}, as the mock "shared", which began with garden\n`,
    )
    expect((await fetch(`${first.url}/plants`, post(fern))).status).toBe(201)
    const second = await serve([], store('shared'))
    await second.printed(/Plants {5}25 plants; /)
    expect(await list(second.url)).toContainEqual({ name: fern.name, tag: fern.tag })
    expect(await list(second.url)).toEqual(await list(first.url))
    expect((await fetch(`${second.url}/plants`, post(fern))).status).toBe(409)
  })

  it('prints the store in JSON', async () => {
    const { printed } = await serve(['--json'], store('json'))
    const [line] = await printed(/.*listening.*/)
    expect(JSON.parse(line)).toMatchObject({ plants: 24, from: 'garden', store: redis.url, storeName: 'json' })
  })

  it('keeps plants while no process runs, and ends orderly at SIGTERM', async () => {
    const first = await serve([], store('kept'))
    await fetch(`${first.url}/plants`, post(fern))
    expect(await stop(first)).toMatchObject({ code: 0, error: '', out: expect.stringMatching(/\nStopped\.\n$/) })
    const second = await serve(['--quiet'], store('kept'))
    expect(await list(second.url)).toContainEqual({ name: fern.name, tag: fern.tag })
    expect(await stop(second)).toEqual({ code: 0, error: '', out: `${second.url}\n` })
  })

  it('begins afresh with --store-reset, with other fixtures too', async () => {
    const first = await serve([], store('afresh'))
    await fetch(`${first.url}/plants`, post(fern))
    await stop(first)
    const second = await serve(['--store-reset', '--fixtures', 'empty'], store('afresh'))
    await second.printed(/Plants {5}0 plants; .*\n.*"afresh", which began with empty\n/)
    expect(await list(second.url)).toEqual([])
  })

  it('keeps every create that a killed process has answered', async () => {
    const first = await serve(['--quiet'], store('killed'))
    const second = await serve(['--quiet'], store('killed'))
    const answered: number[] = []
    const client = async (firstId: number): Promise<void> => {
      for (let id = firstId; ; id++) {
        const response = await fetch(`${first.url}/plants`, post({ ...fern, id })).catch(() => undefined)
        if (response === undefined) return
        answered.push(id)
        if (answered.length === 300) first.child.kill('SIGKILL')
      }
    }
    await Promise.all([1, 2, 3, 4].map((number) => client(number * 10_000)))
    const { plants } = (await (await fetch(`${second.url}/__plant-mock/plants`)).json()) as {
      readonly plants: readonly { readonly id: number }[]
    }
    const ids = new Set(plants.map(({ id }) => id))
    expect(answered.length).toBeGreaterThanOrEqual(300)
    expect(answered.filter((id) => !ids.has(id))).toEqual([])
  })

  it('gives the command of run a mock that is shared', async () => {
    const first = await serve([], store('run'))
    const create = `fetch(process.env.PLANT_MOCK_URL + '/plants', ${JSON.stringify(post(fern))}).then(({ status }) => process.exit(status - 200))`
    expect(await finish(['run', '--', process.execPath, '-e', create], store('run'))).toMatchObject({ code: 1 })
    expect(await list(first.url)).toContainEqual({ name: fern.name, tag: fern.tag })
  })

  it('connects with TLS to a store whose certificate is trusted, and to no other', async () => {
    const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(import.meta.dirname, 'support/tls', name))
    const port = await freePort()
    const files = ['--tls-cert-file', `${cert}`, '--tls-key-file', `${key}`, '--tls-ca-cert-file', `${cert}`]
    const own = await startRedis(['--save', '', '--tls-port', String(port), '--tls-auth-clients', 'no', ...files])
    const address = `rediss://localhost:${port}/0`
    const { env } = store('tls', address)
    const trusting = await serve([], { env: { ...env, NODE_EXTRA_CA_CERTS: `${cert}` } })
    await trusting.printed(new RegExp(`Shared {5}in ${address}, `))
    expect(await list(trusting.url)).toHaveLength(22)
    const { code, error } = await finish(['--port', '0'], { env })
    expect([code, error]).toEqual([
      1,
      expect.stringMatching(/^plant-mock: rediss:\S+ cannot be used: [^\n]*certificate[^\n]*\n$/),
    ])
    await own.close()
  })

  it('waits for a store that is still starting, and says so', async () => {
    const late = await startRedis()
    await late.kill()
    const { printed } = run(['--port', '0'], store('late', late.url))
    await printed(/^Waiting for unix:\S+, for up to 10 seconds …\n$/)
    await late.start()
    await printed(/Plants {5}24 plants; /)
    stopAll()
    await late.close()
  })
})

describe.skipIf(skipsRedis)('plant-mock --store exits with 1 and a message of one line', () => {
  const refused = async (args: readonly string[], options: ReturnType<typeof store>): Promise<string> => {
    const { code, out, error } = await finish(args, { env: { PLANT_MOCK_PORT: '0', ...options.env } })
    expect([code, out]).toEqual([1, ''])
    expect(error).toMatch(/^plant-mock: [^\n]+\n$/)
    expect(error).not.toContain(password)
    return error
  }

  it('for a wrong or missing password, before it would say that it waits', async () => {
    const wrong = url.replace(password, 'another-password')
    const reason = await refused([], store('wrong', wrong))
    expect(reason).toContain(`${redis.url} cannot be used: WRONGPASS`)
    expect(reason).not.toContain('another-password')
    expect(await refused([], store('wrong', redis.url))).toContain(`${redis.url} cannot be used: NOAUTH`)
  })

  it('for a port that is taken, after it has connected', async () => {
    const { url: first } = await serve([], store('port'))
    const { port } = new URL(first)
    expect(await refused(['--port', port], store('port'))).toContain(`Port ${port} on 127.0.0.1 is taken.`)
  })
})

describe.skipIf(skipsRedis)('plant-mock --store never prints its password', () => {
  it.each([[[]], [['--json']], [['--quiet']]])('with %j, while the store is lost and when it stops', async (args) => {
    const own = await startRedis(['--save', '', '--requirepass', password])
    const started = await serve(args, store('hidden', own.url.replace('unix:', `unix://:${password}@`)))
    await own.kill()
    const response = await fetch(`${started.url}/plants`, as('alice'))
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await response.text()).not.toContain(password)
    const state = await fetch(`${started.url}/__plant-mock/state`)
    expect(await state.text()).not.toContain(password)
    await started.printed(/cannot be used/)
    const stopped = await stop(started)
    expect(stopped.code).toBe(0)
    expect(stopped.out + stopped.error).not.toContain(password)
    await own.close()
  })
})
