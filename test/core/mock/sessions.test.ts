import { createPlantMock, PlantMockError } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { mocksFor, useMock } from '../../support/mocks.ts'
import { aloe, fern } from '../../support/plants.ts'
import { as } from '../../support/targets.ts'

describe.each(mocksFor('sessions'))('the sessions of a mock $name', ({ open }) => {
  const start = useMock(open)

  it('have separate plants, journals, faults and assumptions with the same initial state', async () => {
    const mock = await start({ fixtures: [fern], assume: { 'list.order': 'newest' } })
    const other = mock.session('other')
    await other.seed([aloe])
    await other.assume({ 'create.status': 200 })
    await other.fail({ operation: 'listPlants', status: 503 })
    await other.fetch('/plants', as('alice'))
    expect(await other.plants.all()).toEqual([fern, aloe])
    expect(await other.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'newest' })
    expect(await mock.plants.all()).toEqual([fern])
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 201 })
    expect(await mock.faults()).toEqual([])
    expect(await mock.requests.all()).toEqual([])
    expect(await other.requests.count()).toBe(1)
  })

  it('are identified by their id, also from another session', async () => {
    const mock = await start()
    await mock.session('one').seed([fern])
    expect(await mock.session('two').session('one').plants.all()).toEqual([fern])
  })

  it('are listed, and dropped with their state', async () => {
    const mock = await start()
    await mock.session('one').seed([fern])
    await mock.session('two').fetch('/plants', as('alice'))
    expect(await mock.sessions.all()).toEqual(
      expect.arrayContaining([
        { id: 'one', requests: 0 },
        { id: 'two', requests: 1 },
      ]),
    )
    expect([await mock.sessions.drop('one'), await mock.sessions.drop('one')]).toEqual([true, false])
    expect(await mock.session('one').plants.all()).toEqual([])
  })

  it.each(['.', '..', '', ' a', 'ä', 'a\nb', 'x'.repeat(201), '\ud800'])(
    'have no id %j, which HTTP cannot carry',
    async (id) => {
      const mock = await start()
      expect(() => mock.session(id)).toThrow(PlantMockError)
      expect(() => mock.session(id)).toThrow('Invalid session id')
      expect(await mock.sessions.drop(id)).toBe(false)
    },
  )

  it('are used by commands and restored snapshots, but not by what is refused before', async () => {
    const mock = await start({ fixtures: [fern] })
    const a = mock.session('a')
    const [restore, removeFault] = [await a.snapshot(), await a.fail({ delay: 1 })]
    const calls: [name: string, call: () => Promise<unknown>, isUse: boolean][] = [
      ['restore', restore, true],
      ['the removal of a fault', removeFault, true],
      ['a read', () => a.faults(), true],
      ['a refused command', () => a.assume({ 'create.statuses': 200 } as never), false],
      ['a refused fault', () => a.fail({ status: 'no' } as never), false],
      ['a refused plant', () => a.seed([{ name: 1 } as never]), false],
      ['a bad filter of requests', () => a.requests.all({ nope: 1 } as never), false],
      ['a bad filter of plants', () => a.plants.all({ id: {} } as never), false],
    ]
    const used: unknown[] = []
    for (const [name, call] of calls) {
      await mock.session('b').plants.all()
      await call().catch(() => undefined)
      const ids = (await a.sessions.all()).map(({ id }) => id)
      used.push([name, ids.indexOf('a') > ids.indexOf('b')])
    }
    expect(used).toEqual(calls.map(([name, , isUse]) => [name, isUse]))
  })

  it('begin again under their id after they were dropped, also for whoever holds one', async () => {
    const mock = await start()
    const session = mock.session('x')
    await session.replaceFixtures([{ id: 1, name: 'Fern', tag: 't' }])
    const restore = await session.snapshot()
    await mock.sessions.drop('x')
    await session.replaceFixtures([{ id: 2, name: 'Ivy', tag: 't' }])
    expect(await mock.session('x').plants.all()).toMatchObject([{ id: 2 }])
    await expect(restore()).rejects.toThrow('This snapshot no longer exists')
    expect(await session.plants.all()).toMatchObject([{ id: 2 }])
  })
})

describe('a mock with sessions', () => {
  it('drops the least recently used one beyond the limit, with one notice', async () => {
    const notices: string[] = []
    const mock = createPlantMock({ sessions: 2, onNotice: (text) => notices.push(text) })
    mock.session('a')
    mock.session('b')
    await mock.fetch('/plants', { headers: { 'plant-mock-session': 'a', authorization: 'Bearer x' } })
    mock.session('c')
    mock.session('a')
    mock.session('d')
    expect((await mock.sessions.all()).map(({ id }) => id)).toEqual(['a', 'd'])
    expect(notices).toEqual(['dropped session b, the least recently used of 2 sessions; later drops print no notice'])
  })

  it('counts methods and exchanges as a use, also of a session that was looked up before', async () => {
    const mock = createPlantMock({ sessions: 2, onNotice: () => undefined })
    const ids = async () => (await mock.sessions.all()).map(({ id }) => id)
    const { plants } = mock.session('a')
    mock.session('b')
    await plants.all()
    expect(await ids()).toEqual(['b', 'a'])
    await mock.session('b').fail({ delay: 1 })
    const responded = mock.fetch('/plants', { headers: { 'plant-mock-session': 'b' } })
    mock.session('a')
    await responded
    expect(await ids()).toEqual(['a', 'b'])
  })

  describe('and an open event stream', () => {
    const open = async (sessions: number) => {
      const started = await startPlantMock({ sessions, onNotice: () => undefined })
      const remote = connectPlantMock(started.url)
      const ids = async () => (await remote.sessions.all()).map(({ id }) => id)
      const listen = async (session: string) => {
        const leaving = new AbortController()
        const { body } = await fetch(`${started.url}/__plant-mock/events?session=${session}`, {
          signal: leaving.signal,
        })
        await body?.getReader().read()
        return () => leaving.abort()
      }
      return { ...started, ids, listen }
    }

    it('drops others first, and counts the end of the stream as a use', async () => {
      const { mock, close, ids, listen } = await open(2)
      const leave = await listen('a')
      mock.session('b')
      mock.session('c')
      expect(await ids()).toEqual(['a', 'c'])
      leave()
      while ((await ids())[1] !== 'a');
      mock.session('d')
      expect(await ids()).toEqual(['a', 'd'])
      await close()
    })

    it('drops the least recently used one when all have an open stream', async () => {
      const { mock, close, ids, listen } = await open(2)
      const [leaveA, leaveB] = [await listen('a'), await listen('b')]
      mock.session('a')
      mock.session('c')
      expect(await ids()).toEqual(['a', 'c'])
      leaveA()
      leaveB()
      await close()
    })
  })

  describe('and listeners to their events', () => {
    const open = () => {
      const mock = createPlantMock({ sessions: 2, onNotice: () => undefined })
      return { ...mock, ids: async () => (await mock.sessions.all()).map(({ id }) => id) }
    }

    it('counts as a use when the last listener leaves, not when another does', async () => {
      const { instances, ids } = open()
      const stop = instances.session('a').events.listen(() => undefined)
      instances.session('a').events.listen(() => undefined)
      instances.session('b').events.listen(() => undefined)
      stop()
      expect(await ids()).toEqual(['a', 'b'])
    })

    it('does not count as a use of a session that has the id of a dropped one', async () => {
      const { instances, sessions, ids } = open()
      const stop = instances.session('a').events.listen(() => undefined)
      await sessions.drop('a')
      instances.session('a')
      instances.session('b')
      stop()
      expect(await ids()).toEqual(['a', 'b'])
    })

    it('tells a listener of new and dropped sessions until it leaves', async () => {
      const { instances, sessions } = open()
      let calls = 0
      const stop = instances.listen(() => calls++)
      instances.session('a')
      await sessions.drop('a')
      expect(calls).toBe(2)
      stop()
      instances.session('b')
      expect(calls).toBe(2)
    })
  })

  it('of which none is to be kept has one, and drops none before the first', async () => {
    const notices: string[] = []
    const mock = createPlantMock({ sessions: 0, onNotice: (text) => notices.push(text) })
    mock.session('a')
    expect((await mock.sessions.all()).map(({ id }) => id)).toEqual(['a'])
    expect(notices).toEqual([])
  })

  it('starts a new one with the fixtures that were loaded last', async () => {
    const mock = createPlantMock()
    await mock.replaceFixtures([{ id: 1, name: 'Mint', tag: 'herb' }])
    expect(await mock.session('new').plants.all()).toHaveLength(1)
  })

  it('starts a new one with its own fixtures, whatever was loaded into another session', async () => {
    const mock = createPlantMock({ fixtures: [fern] })
    await mock.session('one').replaceFixtures([aloe])
    expect(await mock.session('two').plants.all()).toEqual([fern])
  })
})
