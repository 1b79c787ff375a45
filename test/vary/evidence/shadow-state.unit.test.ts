import { describe, expect, it } from 'vitest'
import { createMockInstances } from '../../../src/core/mock/instances.ts'
import { create, fixtures, handle, list, type Sent, watched } from '../../core/mock/watched.ts'

const plants = Array.from({ length: 5 }, (_, index) => ({ id: index + 1, name: `n${index}`, tag: 't' }))
const hoya = { id: 7, name: 'Hoya', tag: 'x' }
/** Has the id of a fixture that the caller may access. */
const duplicate = { ...hoya, id: 2 }
const nothingListed: Sent = { ...list, path: '/plants?limit=0' }

describe('a shuffled list', () => {
  const shuffled = { 'list.order': 'shuffled' } as const
  const few: Sent = { ...list, path: '/plants?limit=3' }
  const unshadowed = () => createMockInstances({ assume: shuffled, fixtures: plants, onNotice() {} }).root

  it('is the same in a mock with shadows as in one without, each time, also after a reset', async () => {
    const [mock, other] = [watched(shuffled, { fixtures: plants }), unshadowed()]
    for (const _ of [1, 2, 3]) expect((await mock.send(few)).reply.body).toBe((await handle(other, few)).body)
    await mock.root.reset()
    await other.reset()
    for (const _ of [1, 2]) expect((await mock.send(few)).reply.body).toBe((await handle(other, few)).body)
  })

  it('shows no alternative that does not concern it, because shadows draw the same random numbers', async () => {
    const mock = watched(shuffled, { fixtures: plants })
    for (const _ of [1, 2, 3]) {
      const { visible } = await mock.send(few)
      expect([...visible].filter((key) => /^list\.(?:maxLimit|zeroLimit|order=shuffled)/.test(key))).toEqual([])
      expect(visible).toContain('list.order=added')
    }
  })

  it('does not repeat numbers after a reset that only shadows had drawn before it', async () => {
    const [mock, other] = [watched(shuffled, { fixtures: plants }), unshadowed()]
    const { reply } = await mock.send({ ...list, path: '/plants?limit=x' })
    expect(reply.status).toBe(400)
    await mock.root.reset()
    for (const _ of [1, 2]) expect((await mock.send(list)).reply.body).toBe((await handle(other, list)).body)
  })

  it('is no alternative to itself after its plants were loaded again', async () => {
    const mock = watched(shuffled, { fixtures: plants })
    await mock.send(list)
    await mock.root.load(plants)
    expect((await mock.send(list)).visible).not.toContain('list.order=shuffled')
  })

  it('goes on with its random numbers after plants were loaded', async () => {
    const three = plants.slice(0, 3)
    const mock = watched({ 'list.order': 'newest' }, { fixtures: three, seed: 24 })
    await mock.send(list)
    await mock.root.load(three)
    // As proven by a mock whose lists are shuffled: its second list differs from the newest first.
    expect((await mock.send(list)).visible).toContain('list.order=shuffled')
  })

  it('becomes visible in a later list, when the first one happens to look as assumed', async () => {
    const three = plants.slice(0, 3)
    const bodies = async (seed: number, order: 'newest' | 'shuffled') => {
      const { root } = createMockInstances({ assume: { 'list.order': order }, fixtures: three, seed, onNotice() {} })
      return [(await handle(root, list)).body, (await handle(root, list)).body]
    }
    const [newest] = await bodies(1, 'newest')
    let seed = 1
    for (let isFound = false; !isFound; ) {
      const [first, second] = await bodies(++seed, 'shuffled')
      isFound = first === newest && second !== newest
    }
    const mock = watched({ 'list.order': 'newest' }, { fixtures: three, seed })
    expect((await mock.send(list)).visible).not.toContain('list.order=shuffled')
    expect((await mock.send(list)).visible).toContain('list.order=shuffled')
  })
})

describe('a create that is refused because of its id', () => {
  it('shows in later calls the alternatives that would have stored the plant, and no others', async () => {
    const mock = watched()
    const refused = await mock.send(create(duplicate))
    for (const value of ['accept', 'replace', 'idempotent'])
      expect(refused.visible).toContain(`create.duplicateId=${value}`)
    const { visible } = await mock.send(nothingListed)
    expect([...visible].filter((key) => key.startsWith('create.duplicate'))).toEqual([
      'create.duplicateId=accept',
      'create.duplicateId=replace',
    ])
  })
})

describe('a create that replaces a plant', () => {
  it.each([
    ['of the caller', 2],
    ['of all callers', 1],
  ])('%s shows in later calls the alternatives that would not have, and no others', async (_, id) => {
    const mock = watched({ 'create.duplicateId': 'replace' })
    expect((await mock.send(create({ ...hoya, id }))).reply.status).toBe(201)
    const { visible } = await mock.send(nothingListed)
    expect([...visible].filter((key) => key.startsWith('create.')).toSorted()).toEqual([
      'create.duplicateId=accept',
      'create.duplicateId=conflict',
      'create.duplicateId=conflict-everywhere',
      'create.duplicateId=idempotent',
    ])
  })
})

describe('a body whose size is not certain', () => {
  const limit = 16 * 1024
  const ofSize = (size: number, plant: typeof hoya) =>
    create({ ...plant, name: 'x'.repeat(size - JSON.stringify({ ...plant, name: '' }).length) })
  /** Failures without text, so that only their status can differ. */
  const silent = { 'error.body': 'empty' } as const

  it('shows a limit that it may exceed with its byte order mark, in a refusal too', async () => {
    const { reply, visible } = await watched().send(ofSize(limit - 2, duplicate))
    expect(reply.status).toBe(409)
    expect(visible).toContain('body.maxSize=16KiB')
  })

  it('shows that limit in later calls, because the plant may be missing under it', async () => {
    const mock = watched()
    await mock.send(ofSize(limit - 2, hoya))
    expect((await mock.send(nothingListed)).visible).toContain('body.maxSize=16KiB')
    const other = watched()
    await other.send(ofSize(limit - 3, hoya))
    expect((await other.send(nothingListed)).visible).not.toContain('body.maxSize=16KiB')
  })

  it('shows no limit when there is no body', async () => {
    const { body: _, ...bodiless } = create(hoya)
    const { reply, visible } = await watched().send(bodiless)
    expect(reply.status).toBe(400)
    expect([...visible].filter((key) => key.startsWith('body.'))).toEqual([])
  })

  it('shows larger limits when it is too large, and smaller ones only where the refusal names the limit', async () => {
    const tooLarge = ofSize(1_100_000, hoya)
    const mute = await watched(silent).send(tooLarge)
    expect(mute.reply.status).toBe(413)
    expect(mute.visible).toContain('body.maxSize=none')
    expect(mute.visible).not.toContain('body.maxSize=16KiB')
    const { visible } = await watched().send(tooLarge)
    expect(visible).toContain('body.maxSize=none')
    expect(visible).toContain('body.maxSize=16KiB')
  })

  it('shows smaller limits when it is not UTF-8, because it is not kept', async () => {
    const body = new Uint8Array([0xff, 0xfe])
    const { reply, visible } = await watched(silent).send({ ...create(hoya), body })
    expect(reply.status).toBe(400)
    expect(visible).toContain('body.maxSize=16KiB')
  })
})

describe('an assumption that a test sets', () => {
  it('is in force, and under each alternative too', async () => {
    const mock = watched()
    await mock.send(create(hoya))
    await mock.root.assume({ 'create.status': 200 })
    const { reply, visible } = await mock.send(create({ ...hoya, id: 8 }))
    expect(reply.status).toBe(200)
    expect(visible).not.toContain('create.duplicateId=accept')
    expect(visible).toContain('json.keyOrder=tag-name')
  })
})

describe('evidence of a mock', () => {
  it('is not written where it says nothing', async () => {
    const mock = watched()
    await mock.root.plants.all()
    await mock.root.assume({})
    expect(mock.lines()).toEqual([])
  })

  it('is written when plants are read whose state would be another', async () => {
    const mock = watched()
    await mock.send(create(duplicate))
    for (const read of [mock.root.plants.all, () => mock.root.plants.visibleTo('alice'), mock.root.plants.find]) {
      mock.forget()
      await read({ id: 2 })
      expect(mock.visible()).toContain('create.duplicateId=accept')
    }
  })

  it('starts again with plants that are loaded', async () => {
    const mock = watched()
    await mock.send(create(duplicate))
    await mock.send(create(hoya))
    await mock.root.load(fixtures)
    const { visible } = await mock.send(list)
    expect(visible).not.toContain('create.duplicateId=accept')
    expect(visible).not.toContain('create.visibility=after-lists:3')
  })

  it('counts requests for a limit from the start again after a reset', async () => {
    const mock = watched()
    for (const _ of [1, 2]) await mock.send(list)
    await mock.root.reset()
    expect((await mock.send(list)).visible).not.toContain('rate.limit=every:3')
  })
})
