import fc from 'fast-check'
import type { Assume, PlantMock } from 'plant-mock'
import { garden } from 'plant-mock/fixtures'
import { type StartedPlantMock, startPlantMock } from 'plant-mock/node'
import { type SharedStateOptions, sharedState } from 'plant-mock/redis'
import { describe, expect, it } from 'vitest'
import { skipsRedis } from '../../support/redis-server.ts'
import { dealer, storeOfItsOwn } from '../../support/replicas.ts'
import { runs } from '../../support/runs.ts'

const longToken = 'a-token-that-is-long-enough-for-a-secret'
const annsToken = 'the-token-of-ann-0123456789'
const testersToken = 'the-token-of-a-tester-0123456789'
const callers = ['alice', 'bob', longToken]
const notices: string[] = []
const options = {
  fixtures: garden.slice(0, 4),
  callers: { ann: annsToken, 'integration-test-user': testersToken },
  faults: [
    { caller: longToken, status: 418, times: 1 },
    { caller: annsToken, status: 418, times: 1 },
  ],
  seed: 3,
  sessions: 2,
  journal: 20,
  onNotice: (text: string) => notices.push(text),
}

const caller = fc.constantFrom(...callers, annsToken, testersToken)
const id = fc.nat(6)
/** No name is a token, because a store replaces a token by its digest. */
const name = fc.constantFrom('Fern', 'Aloe', 'emoji 🌱', '"quoted"', 'a-name-that-is-as-long-as-a-secret')
const plant = fc.record({ id, name, tag: fc.constantFrom('a', 'b') })
const seeded = fc.record(
  { id: fc.integer({ min: 10, max: 20 }), name, tag: fc.constant('s'), access: fc.subarray(callers) },
  { requiredKeys: ['name', 'tag'] },
)
const assume = fc.constantFrom<Assume>(
  { 'create.visibility': 'after-lists:2' },
  { 'create.visibility': 'eventual' },
  { 'create.duplicateId': 'accept' },
  { 'create.duplicateId': 'replace' },
  { 'create.duplicateId': 'conflict-everywhere' },
  { 'list.order': 'shuffled' },
  { 'list.order': 'newest' },
  { 'rate.limit': 'every-tenth' },
  { 'auth.tokens': 'listed' },
  { 'create.status': 200, 'error.body': 'text' },
  { 'body.maxSize': '16KiB' },
)
const fault = fc.constantFrom(
  { status: 503, times: 1 },
  { status: 500, probability: 0.5 },
  { malformed: true as const, operation: 'listPlants' as const, times: 2 },
  { delay: [1, 5] as const, times: 2 },
  { status: 418, caller: longToken, times: 1 },
  { status: 418, caller: 'caller-1', times: 1 },
  { status: 418, caller: testersToken, times: 1 },
)

type ValuesOf<Parts> = { readonly [Name in keyof Parts]: Parts[Name] extends fc.Arbitrary<infer Value> ? Value : never }

const weighted = <const Do extends string, Parts extends Readonly<Record<string, fc.Arbitrary<unknown>>>>(
  weight: number,
  names: readonly Do[],
  parts: Parts,
) => ({
  weight,
  arbitrary: fc.record({ do: fc.constantFrom(...names), ...parts }) as fc.Arbitrary<
    { readonly do: Do } & ValuesOf<Parts>
  >,
})
const step = fc.oneof(
  weighted(6, ['create'], { caller, plant }),
  weighted(6, ['list'], { caller, query: fc.constantFrom('', '?limit=2', '?limit=x') }),
  weighted(1, ['other'], { path: fc.constantFrom('/', '/plants/1', '/x?y=1') }),
  weighted(1, ['body'], { body: fc.constantFrom('', '{', '[]', '{"id":"x"}') }),
  weighted(1, ['seed'], { plants: fc.array(seeded, { maxLength: 3 }) }),
  weighted(1, ['replaceFixtures'], { plants: fc.array(seeded, { maxLength: 3 }) }),
  weighted(1, ['update'], { id, access: fc.subarray(callers) }),
  weighted(1, ['updateByFunction'], { tag: fc.constantFrom('a', 's') }),
  weighted(1, ['remove'], { tag: fc.constantFrom('a', 'b', 's') }),
  weighted(2, ['assume'], { assume }),
  weighted(2, ['fail'], { fault }),
  weighted(3, ['clear', 'faults', 'clearFaults', 'reset', 'snapshot', 'restore', 'clearRequests', 'drop', 'count'], {}),
  weighted(2, ['restart'], {}),
)

type Step = (typeof step extends fc.Arbitrary<infer S> ? S : never) & { readonly session?: string }

const script = fc.array(
  fc.tuple(step, fc.constantFrom(undefined, undefined, 'one', 'two', 'three')).map(
    ([step, session]): Step => ({
      ...step,
      ...(session !== undefined && { session }),
    }),
  ),
  { minLength: 1, maxLength: 40, size: 'max' },
)

const request = async (mock: PlantMock, path: string, init?: RequestInit): Promise<unknown> => {
  const response = await mock.fetch(path, init)
  const { status, headers } = response
  return [status, headers.get('plant-mock-source'), headers.get('content-type'), await response.text()]
}

type Snapshots = Map<string | undefined, () => Promise<void>>

const perform = async (mock: PlantMock, step: Step, snapshots: Snapshots): Promise<unknown> => {
  switch (step.do) {
    case 'create':
      return request(mock, '/plants', {
        method: 'POST',
        headers: { authorization: `Bearer ${step.caller}`, 'content-type': 'application/json' },
        body: JSON.stringify(step.plant),
      })
    case 'list':
      return request(mock, `/plants${step.query}`, { headers: { authorization: `Bearer ${step.caller}` } })
    case 'other':
      return request(mock, step.path)
    case 'body':
      return request(mock, '/plants', {
        method: 'POST',
        headers: { authorization: 'Bearer alice', 'content-type': 'application/json' },
        body: step.body,
      })
    case 'seed':
      return mock.seed(step.plants)
    case 'replaceFixtures':
      return mock.replaceFixtures(step.plants)
    case 'update':
      return mock.plants.update({ id: step.id }, { access: step.access }).catch(String)
    case 'updateByFunction':
      return mock.plants.update(({ tag }) => tag === step.tag, { name: 'Changed' })
    case 'remove':
      return mock.plants.remove({ tag: step.tag })
    case 'assume':
      return mock.assume(step.assume)
    case 'fail':
      return void (await mock.fail(step.fault))
    case 'clear':
      return mock.plants.clear()
    case 'faults':
      return mock.faults()
    case 'clearFaults':
      return mock.clearFaults()
    case 'reset':
      return mock.reset()
    case 'snapshot':
      return void snapshots.set(step.session, await mock.snapshot())
    case 'restore':
      return snapshots.get(step.session)?.()
    case 'clearRequests':
      return mock.requests.clear()
    case 'drop':
      return mock.sessions.drop(step.session ?? 'one')
    case 'count':
      return mock.requests.count({ caller: longToken })
    case 'restart':
      return undefined
  }
}

const observe = async (mock: PlantMock): Promise<unknown> => ({
  plants: await mock.plants.all(),
  visible: await Promise.all(callers.map((caller) => mock.plants.visibleTo(caller))),
  journal: (await mock.requests.all()).map(({ time: _, milliseconds: __, ...entry }) => entry),
  violations: await mock.violations(),
  faults: await mock.faults(),
  pending: await mock.pending(),
  assumptions: await mock.assumptions(),
})

const play = async (steps: readonly Step[], next: () => Promise<PlantMock>, restart: () => Promise<void>) => {
  const snapshots: Snapshots = new Map()
  const results: unknown[] = []
  for (const step of steps) {
    const mock = await next()
    if (step.do === 'restart') {
      await restart()
      // After a restart, the function that restores a snapshot may belong to a closed replica.
      snapshots.clear()
    }
    // A session of replicas begins at its first use, a session in memory when it is selected.
    if (step.do === 'restart' || (step.do === 'restore' && !snapshots.has(step.session))) continue
    if (step.do === 'drop') snapshots.delete(step.session ?? 'one')
    const target = step.session === undefined || step.do === 'drop' ? mock : mock.session(step.session)
    results.push(await perform(target, step, snapshots))
  }
  const mock = await next()
  const sessions = await mock.sessions.all()
  const observed = [await observe(mock)]
  for (const { id } of sessions) observed.push(await observe((await next()).session(id)))
  return JSON.parse(JSON.stringify({ results, sessions, observed }).replaceAll(/sha256\.[\w-]{43}/g, longToken))
}

const replicas = async (count: number, store: SharedStateOptions, seed: number) => {
  const start = (): Promise<StartedPlantMock> => startPlantMock({ ...options, store: sharedState(store) })
  const started: StartedPlantMock[] = []
  for (let index = 0; index < count; index++) started.push(await start())
  const next = dealer(seed)
  return {
    next: async () => (started[next() % count] as StartedPlantMock).mock as PlantMock,
    async restart() {
      const index = next() % count
      await started[index]?.close()
      started[index] = await start()
    },
    close: () => Promise.all(started.map(({ close }) => close())),
  }
}

describe.skipIf(skipsRedis)('a mock with replicas', () => {
  it.each([
    { count: 2, maxLogSize: 1_500 },
    { count: 3, maxLogSize: 8_000_000 },
  ])('answers as one in memory: $count replicas, a log of $maxLogSize bytes', async ({ count, maxLogSize }) => {
    const property = fc.asyncProperty(script, fc.integer({ min: 1, max: 1_000 }), async (steps, seed) => {
      const alone = await startPlantMock(options)
      const expected = await play(
        steps,
        async () => alone.mock,
        async () => undefined,
      )
      await alone.close()
      const { next, restart, close } = await replicas(count, { ...(await storeOfItsOwn()), maxLogSize }, seed)
      const actual = await play(steps, next, restart)
      await close()
      expect(actual).toEqual(expected)
      expect(notices.filter((notice) => notice.includes('differed'))).toEqual([])
    })
    await fc.assert(property, { numRuns: runs(60) })
  })
})
