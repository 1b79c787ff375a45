import { setTimeout as delay } from 'node:timers/promises'
import type { PlantMockOptions } from 'plant-mock'
import { garden } from 'plant-mock/fixtures'
import { type StartedPlantMock, startPlantMock } from 'plant-mock/node'
import { type SharedStateOptions, sharedState } from 'plant-mock/redis'
import { describe, expect, it } from 'vitest'
import { freePort } from '../../support/free-port.ts'
import { openGate, type RedisServer, skipsRedis, startRedis } from '../../support/redis-server.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'

const { closers } = useServers()

const openRedis = async (options?: readonly string[]): Promise<RedisServer> => {
  const redis = await startRedis(options)
  closers.push(redis.close)
  return redis
}

const fixtures = garden.slice(0, 10)

type Replica = StartedPlantMock & { readonly notices: readonly string[] }

const open = async (store: SharedStateOptions, options: PlantMockOptions = {}): Promise<Replica> => {
  const notices: string[] = []
  const started = await startPlantMock({
    fixtures,
    onNotice: (text) => notices.push(text),
    ...options,
    store: sharedState(store),
  })
  closers.push(started.close)
  return { ...started, notices }
}

const list = (url: string): Promise<Response> => fetch(`${url}/plants`, as('alice'))
const create = (url: string, id: number): Promise<Response> =>
  fetch(`${url}/plants`, post({ id, name: 'Fern', tag: 'fern' }))

const eventually = async <T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> => {
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    await delay(20)
  }
}

const isOk = ({ status }: Response): boolean => status === 200

describe.skipIf(skipsRedis)('a mock whose store', () => {
  it('is frozen refuses meanwhile, also on control routes, health and /, and recovers by itself', async () => {
    const redis = await openRedis()
    const { url, controlUrl, notices } = await open({ url: redis.url })
    redis.process().kill('SIGSTOP')
    const [listed, created, state, health, root] = await Promise.all([
      list(url),
      create(url, 100),
      fetch(`${controlUrl}state`),
      fetch(`${controlUrl}health`),
      fetch(url),
    ])
    for (const response of [listed, created, state, health, root] as Response[]) {
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBe('1')
      expect(await response.json()).toMatchObject({
        type: 'urn:problem-type:plant-mock:store-unreachable',
        // The health route and `/` are public, and must not show the address of the store.
        detail: [health, root].includes(response)
          ? expect.not.stringContaining(redis.url)
          : expect.stringContaining(redis.url),
      })
    }
    redis.process().kill('SIGCONT')
    await eventually(() => list(url), isOk)
    for (const address of [`${controlUrl}health`, url]) expect((await fetch(address)).status).toBe(200)
    await eventually(
      async () => notices,
      (notices) => notices.includes('The store can be used again.'),
    )
  })

  it('is killed says of a create that it may have been carried out, and never sends it again', async () => {
    const redis = await openRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
    const gate = await openGate(redis.url)
    closers.push(gate.close)
    const { url } = await open({ url: gate.url })
    const held = gate.hold()
    const created = create(url, 100)
    await held
    await redis.kill()
    gate.cut()
    const response = await created
    expect([response.status, (await response.json()).detail]).toEqual([
      503,
      expect.stringMatching(/may have executed this request: check before you send it again/),
    ])
    const refused = await create(url, 101)
    expect([refused.status, (await refused.json()).detail]).toEqual([503, expect.stringMatching(/Nothing was changed/)])
    await redis.start()
    const plants = await (await eventually(() => list(url), isOk)).json()
    expect(plants.length - fixtures.length).toBeLessThanOrEqual(1)
  })

  it('is killed and started again with an append-only file loses nothing that was answered', async () => {
    const redis = await openRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
    const { url, notices } = await open({ url: redis.url })
    const answered: number[] = []
    let isKilled = false
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let id = 1_000 * (client + 1); !isKilled; id++) {
        const { status } = await create(url, id)
        if (status === 201) answered.push(id)
      }
    })
    await eventually(
      async () => answered.length,
      (count) => count > 200,
    )
    await redis.kill()
    isKilled = true
    await Promise.all(clients)
    await redis.start()
    await eventually(() => list(url), isOk)
    const other = await open({ url: redis.url })
    const ids = new Set((await other.mock.plants.all()).map(({ id }) => id))
    expect(answered.filter((id) => !ids.has(id))).toEqual([])
    expect(notices.filter((notice) => notice.includes('had lost'))).toEqual([])
  })

  it('has a log that takes longer to read than one request may take is joined page by page', async () => {
    const redis = await openRedis()
    const { url } = await open({ url: redis.url })
    const name = 'x'.repeat(100_000)
    for (let id = 100; id < 130; id++)
      expect((await fetch(`${url}/plants`, post({ id, name, tag: 't' }))).status).toBe(201)
    const gate = await openGate(redis.url, 1024 * 1024)
    closers.push(gate.close)
    const other = await open({ url: gate.url })
    expect(await (await list(other.url)).json()).toEqual(await (await list(url)).json())
  })

  it('comes back empty begins again with the fixtures, with a notice', async () => {
    const redis = await openRedis()
    const [one, other] = [await open({ url: redis.url }), await open({ url: redis.url })]
    expect((await create(one.url, 100)).status).toBe(201)
    await redis.kill()
    await redis.start()
    for (const { url } of [one, other])
      expect(await (await eventually(() => list(url), isOk)).json()).toHaveLength(fixtures.length)
    await create(other.url, 200)
    expect(await (await list(one.url)).json()).toHaveLength(fixtures.length + 1)
    const lost = [...one.notices, ...other.notices].filter((notice) => notice.includes('had lost the state'))
    expect(lost).toHaveLength(2)
    expect(lost[0]).toContain(`begins again with ${fixtures.length} plants`)
  })

  it('is flushed begins again with the fixtures', async () => {
    const redis = await openRedis()
    const { url, mock, notices } = await open({ url: redis.url })
    await create(url, 100)
    await mock.assume({ 'create.status': 200 })
    await redis.command('FLUSHALL')
    expect(await (await list(url)).json()).toHaveLength(fixtures.length)
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 201 })
    expect(await mock.requests.count()).toBe(1)
    expect(notices).toHaveLength(1)
  })

  it('is full answers 507, and keeps nothing', async () => {
    const redis = await openRedis(['--maxmemory', '8mb', '--maxmemory-policy', 'noeviction'])
    const { url, mock } = await open({ url: redis.url, maxLogSize: 100_000_000 })
    const name = 'x'.repeat(200_000)
    let id = 100
    const full = await eventually(
      () => fetch(`${url}/plants`, post({ id: ++id, name, tag: 't' })),
      ({ status }) => status !== 201,
    )
    expect([full.status, await full.json()]).toEqual([
      507,
      expect.objectContaining({
        type: 'urn:problem-type:plant-mock:insufficient-storage',
        detail: expect.stringContaining('Nothing was changed'),
      }),
    ])
    await redis.command('CONFIG', 'SET', 'maxmemory', '100mb')
    expect((await mock.plants.all()).some((plant) => plant.id === id)).toBe(false)
    expect(await mock.requests.count({ status: 507 })).toBe(0)
  })

  it('becomes a read-only replica answers 503 with the reason, and is not ready', async () => {
    const redis = await openRedis()
    const { url, controlUrl } = await open({ url: redis.url })
    await redis.command('REPLICAOF', '127.0.0.1', '1')
    const response = await list(url)
    expect([response.status, (await response.json()).detail]).toEqual([
      503,
      expect.stringContaining('it is a read-only replica; use the address of the primary'),
    ])
    for (const address of [url, `${controlUrl}health`, `${controlUrl}state`])
      expect([address, (await fetch(address)).status]).toEqual([address, 503])
  })

  it('went back to an earlier state is followed from there', async () => {
    const redis = await openRedis()
    const [one, other] = [await open({ url: redis.url }), await open({ url: redis.url })]
    await create(one.url, 100)
    await redis.command('SAVE')
    await create(one.url, 101)
    await create(one.url, 102)
    await redis.kill()
    await redis.start()
    await eventually(() => list(other.url), isOk)
    await create(other.url, 200)
    await create(other.url, 201)
    for (const { url, mock } of [one, other]) {
      await eventually(() => list(url), isOk)
      expect((await mock.plants.all()).slice(fixtures.length).map(({ id }) => id)).toEqual([100, 200, 201])
    }
    expect(one.notices.filter((notice) => notice.includes('the latest changes are lost'))).toHaveLength(1)
  })

  it('has another value under a key of the mock refuses a start with the reason', async () => {
    const redis = await openRedis()
    await redis.command('SET', 'plant-mock:{default}:meta', 'x')
    await expect(open({ url: redis.url })).rejects.toThrow(
      /a key of this mock has a value that plant-mock did not write/,
    )
  })

  it('is begun afresh does not take the positions, faults and snapshots of before for its own', async () => {
    const redis = await openRedis()
    const one = await open({ url: redis.url })
    await one.mock.assume({ 'create.status': 200 })
    const restore = await one.mock.snapshot()
    const removeFault = await one.mock.fail({ delay: 1 })
    const other = await open({ url: redis.url, reset: true })
    await other.mock.snapshot()
    await other.mock.fail({ delay: 2 })
    await removeFault()
    expect(await one.mock.faults()).toHaveLength(1)
    await expect(restore()).rejects.toThrow('This snapshot no longer exists: the mock was restarted')
    expect(await other.mock.plants.remove(({ id }) => id === fixtures[0]?.id)).toBe(1)
    expect(await one.mock.plants.all()).toHaveLength(fixtures.length - 1)
  })

  it('may delete its keys gives a warning at the start', async () => {
    const redis = await openRedis(['--maxmemory-policy', 'allkeys-lru'])
    const { notices } = await open({ url: redis.url })
    expect(notices).toEqual([expect.stringContaining('Set it to noeviction.')])
  })
})

describe.skipIf(skipsRedis)('a replica', () => {
  it.each<[string, PlantMockOptions, PlantMockOptions, RegExp]>([
    ['fixtures', {}, { fixtures: fixtures.slice(1) }, /: fixtures 10; this process has 9\. Start/],
    [
      'assumptions',
      {},
      { assume: { 'create.status': 200 } },
      /: create\.status the default; this process has 200\. Start/,
    ],
    ['seed', { seed: 2 }, { seed: 3 }, /seed 2; this process has 3/],
    ['faults', {}, { latency: 5 }, /faults, latency and fail rate 0; this process has 1\. Start/],
    ['tokens', { tokens: ['a'] }, { tokens: ['b'] }, /: tokens 1; this process has 1, with other contents\. Start/],
    [
      'callers',
      {},
      { callers: { ann: 'a-real-token-of-ann-0123456789' } },
      /: callers and their tokens 0; this process has 1\. Start/,
    ],
    ['Prefer', {}, { prefer: false }, /prefer true; this process has false/],
    ['journal', {}, { journal: 5 }, /journal 1000; this process has 5/],
    ['sessions', {}, { sessions: 5 }, /sessions 256; this process has 5/],
  ])('with other %s is refused with the difference', async (_, first, second, difference) => {
    const redis = await openRedis()
    await open({ url: redis.url, name: 'ours' }, first)
    const refused = open({ url: redis.url, name: 'ours' }, second)
    await expect(refused).rejects.toThrow(`The mock "ours" in ${redis.url} was started with other options: `)
    await expect(refused).rejects.toThrow(difference)
    await expect(refused).rejects.toThrow('--store-reset')
    const other = await open({ url: redis.url, name: 'ours', reset: true }, second)
    expect((await fetch(`${other.controlUrl}health`)).status).toBe(200)
  })

  it.each<[string, Record<string, string | undefined>, RegExp | undefined]>([
    [
      'other rules',
      { rules: '4 (x)', 'plant-mock': '0.0.9' },
      /another build, plant-mock 0\.0\.9; this process is plant-mock \d\S+\. Start/,
    ],
    [
      'other rules, but the same version',
      { rules: '4 (x)' },
      /; this process is plant-mock \d\S+, but not the same build\. Start/,
    ],
    [
      'no rules',
      { rules: undefined, 'plant-mock': undefined },
      /, plant-mock of an earlier version; this process is plant-mock \d\S+\. Start/,
    ],
    ['the same rules', { 'plant-mock': '0.0.9' }, undefined],
  ])('of another build that has %s is refused, or joins', async (_, changed, message) => {
    const redis = await openRedis()
    await open({ url: redis.url })
    const key = 'plant-mock:{default}:meta'
    const settings = JSON.parse((await redis.command('HGET', key, 'settings')).split('\r\n')[1] ?? '')
    await redis.command('HSET', key, 'settings', JSON.stringify({ ...settings, ...changed }))
    const joined = open({ url: redis.url })
    if (message === undefined) expect(isOk(await list((await joined).url))).toBe(true)
    else await expect(joined).rejects.toThrow(message)
  })

  it('with a database that does not exist is refused at once', async () => {
    const redis = await openRedis()
    await expect(open({ url: `${redis.url}?db=99` })).rejects.toThrow(
      'cannot be used: it has no database with this number. Correct this, then start again.',
    )
  })

  const readers = ['+@read', '+hello', '+client']
  const writers = ['hdel', 'hset'].map((right) => ['+@all', `-${right}`])
  it.each([readers, ...writers])('with too few rights is refused at once: %s %s', async (...rights) => {
    const redis = await openRedis()
    await redis.command('ACL', 'SETUSER', 'one', 'on', '>secret-of-one', '~*', ...rights)
    const refused = open({ url: redis.url.replace('unix:', 'unix://one:secret-of-one@') })
    await expect(refused).rejects.toThrow('this user has too few rights. Correct this, then start again.')
  })

  it('is told that another one began the mock afresh, and refuses requests when its settings differ', async () => {
    const redis = await openRedis()
    const one = await open({ url: redis.url })
    await open({ url: redis.url, reset: true })
    expect((await list(one.url)).status).toBe(200)
    expect(one.notices).toEqual([expect.stringContaining('Another process reset the mock "default"')])
    await open({ url: redis.url, reset: true }, { seed: 9 })
    const refused = await list(one.url)
    expect([refused.status, (await refused.json()).detail]).toEqual([
      503,
      expect.stringMatching(
        /^The mock "default" in .* was started with other options: seed 9; this process has 1\. .* --store-reset\.$/,
      ),
    ])
  })

  it('keeps a session while somebody listens to it, as in memory', async () => {
    const redis = await openRedis()
    const [one, other] = [
      await open({ url: redis.url }, { sessions: 2 }),
      await open({ url: redis.url }, { sessions: 2 }),
    ]
    const waiting = one.mock.session('kept').requests.waitFor({ operation: 'listPlants' }, { timeout: 60_000 })
    for (const id of ['a', 'b', 'c', 'd'])
      await fetch(`${other.url}/plants`, { headers: { ...as('alice').headers, 'plant-mock-session': id } })
    await fetch(`${other.url}/plants`, { headers: { ...as('alice').headers, 'plant-mock-session': 'kept' } })
    expect(await waiting).toMatchObject({ id: 1 })
    expect((await one.mock.sessions.all()).map(({ id }) => id)).toEqual(['d', 'kept'])
  })

  it('joins a mock of a cluster, whose keys are on one node', async () => {
    // Servers without a port would all get the same default for the cluster port.
    const port = await freePort()
    const redis = await openRedis(['--cluster-enabled', 'yes', '--cluster-port', String(port), '--save', ''])
    await redis.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
    await eventually(
      () => redis.command('CLUSTER', 'INFO'),
      (info) => info.includes('cluster_state:ok'),
    )
    const [one, other] = [await open({ url: redis.url }), await open({ url: redis.url })]
    await create(one.url, 100)
    expect(await (await list(other.url)).json()).toHaveLength(fixtures.length + 1)
  })
})
