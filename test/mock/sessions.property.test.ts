import fc from 'fast-check'
import { createPlantMock, type PlantMock } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { as, post } from '../support/targets.ts'

const token = 'the-one-token'

/** What one test of a suite does in its session. */
const script = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('create' as const), id: fc.nat(3), name: fc.string({ maxLength: 4 }) }),
    fc.record({ do: fc.constant('list' as const) }),
    fc.record({ do: fc.constant('assume' as const), status: fc.constantFrom(200 as const, 201 as const) }),
    fc.record({ do: fc.constant('fail' as const), status: fc.constantFrom(500, 502, 503) }),
    fc.record({ do: fc.constant('reset' as const) }),
  ),
  { minLength: 1, maxLength: 6 },
)

type Step = (typeof script extends fc.Arbitrary<infer S> ? S : never)[number]

/** Does one step, and tells all that can be seen of it. */
const perform = async (mock: PlantMock, step: Step): Promise<unknown> => {
  if (step.do === 'assume') return mock.assume({ 'create.status': step.status })
  if (step.do === 'fail') return void (await mock.fail({ status: step.status, times: 1 }))
  if (step.do === 'reset') return mock.reset()
  const init =
    step.do === 'list'
      ? as(token)
      : post({ id: step.id, name: step.name, tag: 't' }, as(token).headers as Record<string, string>)
  const response = await mock.fetch('/plants', init)
  return [response.status, await response.text()]
}

const observe = async (mock: PlantMock, steps: readonly Step[]): Promise<unknown> => {
  const seen: unknown[] = []
  for (const step of steps) seen.push(await perform(mock, step))
  const journal = await mock.requests.all()
  return {
    seen,
    plants: await mock.plants.all(),
    journal: journal.map(({ id, method, status }) => [id, method, status]),
    pending: (await mock.pending()).map(({ name }) => name),
    assumed: await mock.assumptions(),
  }
}

describe('sessions', () => {
  it('of two hundred tests at once, with one token, see nothing of each other', {
    timeout: 60_000,
  }, async () => {
    const fixtures = [{ id: 0, name: 'Aloe vera', tag: 'succulent' }]
    const { url, mock, close } = await startPlantMock({ fixtures, sessions: 200, onNotice: () => undefined })
    let run = 0
    const property = fc.asyncProperty(
      fc.array(script, { minLength: 200, maxLength: 200 }),
      async (scripts) => {
        run++
        const remote = connectPlantMock(url)
        const seen = await Promise.all(
          scripts.map((steps, i) => observe(remote.session(`test-${run}-${i}`), steps)),
        )
        const alone = await Promise.all(scripts.map((steps) => observe(createPlantMock({ fixtures }), steps)))
        expect(seen).toEqual(alone)
        expect(await mock.requests.count()).toBe(0)
      },
    )
    await fc.assert(property, { numRuns: 3 })
    await close()
  })

  it('are so many at the most; the one unused for longest gives way, and is named', async () => {
    const notices: string[] = []
    const mock = createPlantMock({ sessions: 2, onNotice: (text) => notices.push(text) })
    mock.session('a')
    mock.session('b')
    await mock.fetch('/plants', { headers: { 'plant-mock-session': 'a', authorization: 'Bearer x' } })
    mock.session('c')
    mock.session('a')
    mock.session('d')
    expect((await mock.sessions.all()).map(({ id }) => id)).toEqual(['a', 'd'])
    expect(notices).toEqual([
      'session b was dropped: there may be 2, and it was unused for longest; others will follow silently',
    ])
  })

  it('start with the fixtures that were loaded last', async () => {
    const mock = createPlantMock()
    await mock.load([{ id: 1, name: 'Mint', tag: 'herb' }])
    expect(await mock.session('new').plants.all()).toHaveLength(1)
  })

  it('need a store each: a mock with one store says so, one with a function has them', async () => {
    const { memoryStore } = await import('plant-mock')
    const one = createPlantMock({ store: memoryStore() })
    expect(() => one.session('a')).toThrow(/give the option store a function that makes one for each/)
    const response = await one.fetch('/plants', {
      headers: { 'plant-mock-session': 'a', authorization: 'Bearer x' },
    })
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { type: 'urn:problem-type:plant-mock:invalid-session' },
    ])
    const many = createPlantMock({ store: memoryStore })
    await many.session('a').seed([{ id: 1, name: 'Mint', tag: 'herb' }])
    expect([await many.plants.all(), await many.session('a').plants.all()]).toMatchObject([[], [{ id: 1 }]])
  })

  it('add up to the coverage of the whole', async () => {
    const mock = createPlantMock()
    await mock.session('a').fetch('/plants', as('x'))
    await mock.sessions.drop('a')
    await mock.fetch('/plants', as('x'))
    const empty = (await mock.coverage()).find(({ outcome }) => outcome === 'empty')
    expect(empty).toMatchObject({ operation: 'listPlants', count: 2 })
  })
})

describe('the bodies in the journals', () => {
  it('give way by age, not by whose they are: a busy session takes nothing from what is newer', async () => {
    const mock = createPlantMock({ sessions: 2 })
    const long = 'x'.repeat(100_000)
    const fill = async (instance: PlantMock, count: number) => {
      for (let i = 0; i < count; i++) await instance.fetch('/plants', post({ id: i, name: long, tag: 't' }))
    }
    await fill(mock, 100)
    const small = mock.session('small')
    await fill(small, 6)
    const bodies = (await small.requests.all()).map(({ request }) => request.body !== undefined)
    expect(bodies).toEqual([true, true, true, true, true, true])
    // What a session had is free again when it is dropped, and what it still does keeps nothing.
    const dropped = mock.session('dropped')
    await mock.sessions.drop('dropped')
    await fill(dropped, 100)
    expect((await mock.requests.last())?.request.body).toBeDefined()
  })

  it('give way when they would fill the memory, and the exchanges stay', async () => {
    const long = 'x'.repeat(1024 * 1024 - 100)
    const mock = createPlantMock({ sessions: 4 })
    const instances = [mock, mock.session('a'), mock.session('b')]
    for (let i = 0; i < 30; i++)
      for (const instance of instances) await instance.fetch('/plants', post({ id: i, name: long, tag: 't' }))
    const kept = await Promise.all(
      instances.map(async (instance) =>
        (await instance.requests.all()).filter(({ request }) => request.body !== undefined),
      ),
    )
    const characters = kept
      .flat()
      .reduce(
        (sum, { request, response }) => sum + (request.body?.length ?? 0) + (response.body?.length ?? 0),
        0,
      )
    expect(characters).toBeLessThanOrEqual(16 * 1024 * 1024)
    expect(characters).toBeGreaterThan(8 * 1024 * 1024)
    expect(await mock.requests.count()).toBe(30)
  })

  it('take headers and addresses with them, but not what tells whether a request violating', async () => {
    const mock = createPlantMock({ sessions: 4 })
    const instances = [mock, mock.session('a'), mock.session('b')]
    for (let i = 0; i < 100; i++)
      for (const instance of instances)
        await instance.fetch(`/plants?limit=1&${i}=${'x'.repeat(50_000)}`, {
          headers: { authorization: 'Bearer alice', trace: `${i}${'y'.repeat(50_000)}` },
        })
    const entries = (await Promise.all(instances.map((instance) => instance.requests.all()))).flat()
    const characters = entries.reduce(
      (sum, { url, request }) => sum + url.length + (request.headers.trace?.length ?? 0),
      0,
    )
    expect([entries.length, characters < 17 * 1024 * 1024]).toEqual([300, true])
    expect(entries.map(({ request }) => request.headers.authorization === 'Bearer caller-1')).not.toContain(
      false,
    )
    expect(new Set(entries.map(({ violations }) => violations.length))).toEqual(new Set([1]))
    expect(entries.at(-1)?.request.headers.trace).toHaveLength(50_002)
  })
})

describe('what gave way in a journal', () => {
  it('shows no part of a token that was longer than what is left of an address', async () => {
    const mock = createPlantMock()
    const long = `secret${'7x'.repeat(400)}`
    await mock.fetch(`/plants?jwt=${long}`, {
      headers: { ...as(long).headers, 'content-type': `text/plain; t=${long}` },
    })
    const large = 'x'.repeat(1024 * 1024 - 100)
    for (let id = 0; id < 20; id++) await mock.fetch('/plants', post({ id, name: large, tag: 't' }))
    const [first] = await mock.requests.all()
    expect(first?.url).toBe('/plants?jwt=caller-1')
    expect(JSON.stringify(first)).not.toContain('secret')
  })
})

describe('the names of callers', () => {
  it('are given while their tokens take little room; the others share one', async () => {
    const mock = createPlantMock({ journal: 100 })
    for (let i = 0; i < 60; i++) await mock.fetch('/plants', as(`${i}${'x'.repeat(100_000)}`))
    await mock.fetch('/plants', as(`0${'x'.repeat(100_000)}`))
    await mock.fetch('/plants', as('short'))
    const callers = (await mock.requests.all()).map(({ caller }) => caller)
    expect([callers[0], callers[59], callers[60], callers[61]]).toEqual([
      'caller-1',
      'caller-other',
      'caller-1',
      'caller-42',
    ])
  })
})
