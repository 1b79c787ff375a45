import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Assume } from '../../../src/core/assumptions/registry.ts'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import type { LocalInstance } from '../../../src/core/mock/instance.ts'
import { createMockInstances } from '../../../src/core/mock/instances.ts'
import { runs } from '../../support/runs.ts'
import { request } from '../../vary/evidence/requests.ts'
import { alternatives, create, fixtures, handle, list, type Sent } from './watched.ts'

const instanceOf = (assume: Assume = {}, plants: readonly FixturePlant[] = fixtures): LocalInstance => {
  let time = 0
  return createMockInstances(
    { assume, fixtures: plants, seed: 7, prefer: false, onNotice() {} },
    { fixed: [], now: () => ++time },
  ).root
}

const send = async (instance: LocalInstance, sent: Sent): Promise<string> => {
  const { status, headers, body } = await handle(instance, sent)
  const shown = sent.method === 'HEAD' ? new TextEncoder().encode(body).length : body
  return JSON.stringify([status, headers, shown])
}

const plant = (id: number) => create({ id, name: `Plant ${id}`, tag: 'x' })

describe('the preview of an assumption', () => {
  it('counts the replies that differ from a mock started with it', async () => {
    const small = request.filter(({ body = '' }) => body.length < 5_000)
    await fc.assert(
      fc.asyncProperty(
        fc.array(small, { minLength: 1, maxLength: 20 }),
        fc.constantFrom(...alternatives),
        async (requests, { id, value }) => {
          const [instance, other] = [instanceOf(), instanceOf({ [id]: value })]
          const differing: number[] = []
          for (const [i, one] of requests.entries())
            if ((await send(instance, one)) !== (await send(other, one))) differing.push(i + 1)
          const { state } = instance.memory
          const expected = { differing: differing.length, total: requests.length, requests: differing }
          expect(instance.preview({ [id]: value })).toEqual(expected)
          expect(instance.memory.state).toBe(state)
        },
      ),
      { numRuns: runs(2_000) },
    )
  })

  it('starts again from the plants that a command has set', async () => {
    const instance = instanceOf({}, [])
    await send(instance, plant(1))
    await instance.run('clearPlants', undefined)
    await send(instance, list)
    expect(instance.preview({ 'create.status': 200 })).toMatchObject({ differing: 1, total: 2 })
  })

  it('counts the latest 20 requests since the journal was cleared', async () => {
    const instance = instanceOf({}, [])
    for (let id = 1; id <= 23; id++) await send(instance, plant(id))
    expect(instance.preview({ 'create.status': 200 })).toMatchObject({ differing: 20, total: 20 })
    await instance.run('clearRequests', undefined)
    expect(instance.preview({ 'create.status': 200 })).toMatchObject({ differing: 0, total: 0 })
  })

  const sized = (id: number, length: number) => create({ id, name: 'x'.repeat(length), tag: 'x' })

  it('counts a create with a large body, which a smaller limit would refuse', async () => {
    const instance = instanceOf({}, [])
    await send(instance, sized(1, 20_000))
    expect(instance.preview({ 'body.maxSize': '16KiB' })).toMatchObject({ differing: 1, total: 1 })
  })

  it('forgets the oldest requests if the bodies are large together', async () => {
    const instance = instanceOf({}, [])
    for (let id = 1; id <= 4; id++) await send(instance, sized(id, 100_000))
    expect(instance.preview({ 'create.status': 200 })).toMatchObject({ differing: 3, total: 3 })
  })

  it('starts after a body that was not read, if it might be read then', async () => {
    const instance = instanceOf({ 'body.maxSize': 100 }, [])
    await send(instance, sized(1, 200))
    await send(instance, plant(1))
    expect(instance.preview({ 'body.maxSize': '1MiB' })).toMatchObject({ differing: 0, total: 1 })
    expect(instance.preview({ 'error.syntaxBody': 'text' })).toMatchObject({ differing: 1, total: 2 })
  })

  it('compares responses to HEAD without their bodies', async () => {
    const instance = instanceOf()
    await send(instance, { ...list, method: 'HEAD' })
    expect(instance.preview({ 'json.keyOrder': 'tag-name' })).toMatchObject({ differing: 0, total: 1 })
    expect(instance.preview({ 'list.defaultLimit': 1 })).toMatchObject({ differing: 1, total: 1 })
  })

  it('does not count a create that could not be written', async () => {
    const { root } = createMockInstances(
      { fixtures: [], onNotice() {} },
      {
        fixed: [],
        write() {
          throw new Error('disk full')
        },
      },
    )
    await send(root, plant(1))
    expect(root.preview({ 'create.status': 200 })).toMatchObject({ differing: 0, total: 0 })
  })
})
