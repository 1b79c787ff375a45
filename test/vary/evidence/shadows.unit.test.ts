import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Assume, type AssumptionId, assumptionRegistry, valuesOf } from '../../../src/core/assumptions/registry.ts'
import type { Reply } from '../../../src/core/http/reply.ts'
import type { MockInstance } from '../../../src/core/mock/instance.ts'
import { createMockInstances } from '../../../src/core/mock/instances.ts'
import type { PlantFields } from '../../../src/core/mock/plant-filter.ts'
import { alternatives, create, fixtures, handle, list, type Sent, watched } from '../../core/mock/watched.ts'
import { runs } from '../../support/runs.ts'

describe('an alternative is visible', () => {
  it('in a reply with another status', async () => {
    const { visible } = await watched().send(create({ id: 7, name: 'Hoya', tag: 'x' }))
    expect(visible).toContain('create.status=200')
    expect(visible).not.toContain('list.order=newest')
  })

  it('in a list in another order, but not in one that is too short for it', async () => {
    expect((await watched().send(list)).visible).toContain('list.order=newest')
    const { visible } = await watched().send({ ...list, headers: { authorization: 'Bearer carol' } })
    expect(visible).not.toContain('list.order=newest')
  })

  it('in the list that would leave out the created plant', async () => {
    const mock = watched()
    expect((await mock.send(create({ id: 7, name: 'Hoya', tag: 'x' }))).visible).not.toContain(
      'create.visibility=eventual',
    )
    expect((await mock.send(list)).visible).toContain('create.visibility=eventual')
    const { visible } = await mock.send(list)
    expect(visible).not.toContain('create.visibility=eventual')
    expect(visible).toContain('create.visibility=after-lists:3')
  })

  it('in that list, whatever a test assumes in between', async () => {
    const mock = watched()
    await mock.send(create({ id: 7, name: 'Hoya', tag: 'x' }))
    await mock.root.assume({ 'json.keyOrder': 'tag-name' })
    expect((await mock.send(list)).visible).toContain('create.visibility=eventual')
  })

  it('in the first request that would be over a limit', async () => {
    const mock = watched()
    for (const _ of [1, 2]) expect((await mock.send(list)).visible).not.toContain('rate.limit=every:3')
    expect((await mock.send(list)).visible).toContain('rate.limit=every:3')
  })

  it('in every later call once the state would be another, until a reset', async () => {
    const mock = watched()
    expect((await mock.send(create({ id: 2, name: 'Hoya', tag: 'x' }))).visible).toContain('create.duplicateId=accept')
    const head = { ...list, path: '/plants?limit=0' }
    expect((await mock.send(head)).visible).toContain('create.duplicateId=accept')
    await mock.root.plants.all()
    expect(mock.visible()).toContain('create.duplicateId=accept')
    await mock.root.reset()
    expect((await mock.send(head)).visible).not.toContain('create.duplicateId=accept')
  })

  it('after a snapshot is restored, if it was when the snapshot was made', async () => {
    const mock = watched()
    const restoreEqual = await mock.root.snapshot()
    await mock.send(create({ id: 2, name: 'Hoya', tag: 'x' }))
    const restoreOther = await mock.root.snapshot()
    const empty = { ...list, path: '/plants?limit=0' }
    await restoreEqual()
    expect((await mock.send(empty)).visible).not.toContain('create.duplicateId=accept')
    await restoreOther()
    expect((await mock.send(empty)).visible).toContain('create.duplicateId=accept')
  })

  it('after plants were changed, removed or cleared, if it was before', async () => {
    const mock = watched()
    const { plants } = mock.root
    await mock.send(create({ id: 2, name: 'Hoya', tag: 'x' }))
    const empty = { ...list, path: '/plants?limit=0' }
    for (const change of [() => plants.update({ id: 2 }, { tag: 'y' }), () => plants.remove({ id: 2 }), plants.clear]) {
      await change()
      expect((await mock.send(empty)).visible).toContain('create.duplicateId=accept')
    }
  })

  it('in the number of plants that a change matches', async () => {
    const mock = watched()
    await mock.send(create({ id: 2, name: 'Hoya', tag: 'x' }))
    await mock.send({ ...list, path: '/other' })
    await mock.root.plants.remove({ id: 2 })
    expect(mock.visible()).toContain('create.duplicateId=accept')
  })

  it('in the list that would leave out the created plant, which was changed meanwhile', async () => {
    const mock = watched()
    await mock.send(create({ id: 7, name: 'Hoya', tag: 'x' }))
    await mock.root.plants.update({ id: 7 }, { name: 'Ivy' })
    expect((await mock.send(list)).visible).toContain('create.visibility=eventual')
  })

  it('no more when the created plant was removed before the list', async () => {
    const mock = watched()
    await mock.send(create({ id: 7, name: 'Hoya', tag: 'x' }))
    await mock.root.plants.remove({ id: 7 })
    expect((await mock.send(list)).visible).not.toContain('create.visibility=eventual')
  })

  it('in a body that would be too large', async () => {
    const { visible } = await watched().send(create({ id: 7, name: 'é'.repeat(9_000), tag: 'x' }))
    expect(visible).toContain('body.maxSize=16KiB')
  })

  it('in a body that is too large with its byte order mark, which decoding removes', async () => {
    const limit = 16 * 1024
    const plant = { id: 7, name: '', tag: 'x' }
    const sent = (size: number) => create({ ...plant, name: 'x'.repeat(size - JSON.stringify(plant).length) })
    expect((await watched().send(sent(limit - 3))).visible).not.toContain('body.maxSize=16KiB')
    expect((await watched().send(sent(limit - 2))).visible).toContain('body.maxSize=16KiB')
  })

  it('in the failure that a fault returns', async () => {
    const mock = watched()
    await mock.root.fail({ status: 503 })
    expect((await mock.send(list)).visible).toContain('error.body=json')
  })

  it('not where a test sets the assumption, until a reset', async () => {
    const mock = watched()
    await mock.root.assume({ 'list.order': 'added' })
    expect(mock.fixed()).toEqual(['list.order'])
    expect((await mock.send(list)).visible).not.toContain('list.order=newest')
    await mock.root.reset()
    expect((await mock.send(list)).visible).toContain('list.order=newest')
  })
})

const body = fc.oneof(
  fc
    .record(
      {
        id: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom<unknown>(-1, 2 ** 53, 1.5, '3', null)),
        name: fc.constantFrom<unknown>('', 'Hoya', 'é'.repeat(9_000), 'A\u0000', 3, null),
        tag: fc.constantFrom<unknown>('', 'x', 1),
        more: fc.constantFrom<unknown>(1, {}),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value)),
  fc
    .record({
      id: fc.integer({ min: 1, max: 3 }),
      name: fc.constantFrom('Fern', 'Aloe'),
      tag: fc.constantFrom('x', ''),
    })
    .map((value) => JSON.stringify(value)),
  fc.constantFrom('', '{', '[]', 'null', '"x"', '{"__proto__":1}'),
  fc.constantFrom(`{"id":7,"name":"${'x'.repeat(17_000)}","tag":"y"}`, 'x'.repeat(1_100_000)),
)
const headers = fc.record({
  authorization: fc.constantFrom(
    ...['Bearer alice', 'Bearer bob', 'bearer alice', 'Bearer mallory', 'Basic x', 'Bearer', 'Bearer a b', ''],
  ),
  'content-type': fc.constantFrom(
    ...['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/vnd.x+json', ''],
  ),
  'content-encoding': fc.constantFrom('', '', '', 'gzip', 'identity'),
  prefer: fc.constantFrom('', '', '', '', 'code=503', 'code=401, delay=1', 'delay=1', 'code=200'),
})
const query = fc.constantFrom(
  ...['', 'limit=1', 'limit=2', 'limit=0', 'limit=101', 'limit=-1', 'limit=1.0', 'limit=1e1', 'limit=3x', 'limit='],
  ...['limit=%201', 'limit=1&limit=2', 'limit=x&limit=1', 'limit=1&limit=x', 'page=2', `limit=${'9'.repeat(20)}`],
)
const exchange: fc.Arbitrary<Sent> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ method: fc.constant('POST'), path: fc.constant('/plants'), headers, body }) },
  {
    weight: 4,
    arbitrary: fc.record({
      method: fc.constantFrom('GET', 'HEAD'),
      path: query.map((text) => `/plants?${text}`),
      headers,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      method: fc.constantFrom('PUT', 'OPTIONS', 'DELETE', 'GET'),
      path: fc.constantFrom('/plants', '/plants/', '/plants/1', '/other', '/'),
      headers,
    }),
  },
)
const setting = fc.constantFrom(...assumptionRegistry.flatMap((row) => valuesOf(row).map((value) => [row.id, value])))
const base = fc.array(setting, { maxLength: 2 }).map((settings) => Object.fromEntries(settings) as Assume)
const fault = fc.constantFrom(
  undefined,
  undefined,
  { status: 503 },
  { malformed: true as const },
  { status: 500, body: 'x' },
)

describe('the names in Plant-Mock-Source', () => {
  it('include every assumption under which the reply would be another', async () => {
    await fc.assert(
      fc.asyncProperty(base, fault, fc.array(exchange, { minLength: 1, maxLength: 8 }), async (assume, fault, sent) => {
        const mock = watched(assume)
        if (fault !== undefined) await mock.root.fail({ ...fault, times: 2 })
        const announced = new Set<string>()
        for (const one of sent) {
          const { reply, visible } = await mock.send(one)
          const unnamed = [...visible].filter(
            (key) => !announced.has(key) && !reply.meta.assumptions.includes(key.split('=')[0] as AssumptionId),
          )
          expect(unnamed).toEqual([])
          // Once the state is another, all later replies may be.
          for (const key of visible) announced.add(key)
        }
      }),
      { numRuns: runs(800) },
    )
  })
})

type PlantEdit = { readonly remove: boolean; readonly filter: PlantFields; readonly patch: PlantFields }
const edit: fc.Arbitrary<PlantEdit> = fc.record({
  remove: fc.boolean(),
  filter: fc.record({ id: fc.nat(4) }, { requiredKeys: [] }),
  patch: fc.record({ id: fc.nat(4), name: fc.constantFrom('a', 'B') }, { requiredKeys: [] }),
})
const change = async ({ plants }: MockInstance, given: PlantEdit | null | undefined): Promise<unknown> => {
  if (!given) return undefined
  const { remove, filter, patch } = given
  // A change that is refused changes nothing.
  return remove ? plants.remove(filter) : plants.update(filter, patch).catch(() => undefined)
}

describe('an alternative that was not visible', () => {
  it('changes no reply of the sequence', async () => {
    const alternative = fc.constantFrom(...alternatives.filter(({ value }) => !`${value}`.startsWith('after-ms')))
    const sequence = fc.array(exchange, { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(
        base,
        sequence,
        fc.uniqueArray(alternative, { minLength: 4, maxLength: 8 }),
        // Changes by somebody else before an exchange.
        fc.array(fc.option(edit), { minLength: 8, maxLength: 8 }),
        async (assume, sent, others, edits) => {
          const mock = watched(assume)
          const steps: { readonly reply: Reply; readonly visible: ReadonlySet<string> }[] = []
          for (const [index, one] of sent.entries()) {
            await change(mock.root, edits[index])
            steps.push(await mock.send(one))
          }
          for (const { id, value } of others) {
            const { root } = createMockInstances({ assume: { ...assume, [id]: value }, fixtures, onNotice() {} })
            for (const [index, one] of sent.entries()) {
              const { reply, visible } = steps[index] as (typeof steps)[number]
              await change(root, edits[index])
              if (visible.has(`${id}=${value}`)) break
              const { status, headers, body } = reply
              expect(await handle(root, one), `${id}=${value}`).toMatchObject({ status, headers, body })
            }
          }
        },
      ),
      { numRuns: runs(800) },
    )
  })
})

describe('an alternative that was visible', () => {
  it('changes the reply of the first exchange that showed it, unless that is a create, whose plant may differ instead', async () => {
    const alternative = fc.constantFrom(...alternatives.filter(({ value }) => !`${value}`.startsWith('after-ms')))
    const sequence = fc.array(exchange, { minLength: 1, maxLength: 8 })
    const others = fc.uniqueArray(alternative, { minLength: 4, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(base, sequence, others, async (assume, sent, others) => {
        const mock = watched(assume)
        const steps: { readonly reply: Reply; readonly visible: ReadonlySet<string> }[] = []
        for (const one of sent) steps.push(await mock.send(one))
        for (const { id, value } of others) {
          const first = steps.findIndex(({ visible }) => visible.has(`${id}=${value}`))
          const shown = steps[first]
          if (shown === undefined || sent[first]?.method === 'POST') continue
          const { root } = createMockInstances({ assume: { ...assume, [id]: value }, fixtures, onNotice() {} })
          const replies: Reply[] = []
          for (const one of sent.slice(0, first + 1)) replies.push(await handle(root, one))
          const { status, headers, body } = shown.reply
          expect(replies.at(-1), `${id}=${value}`).not.toMatchObject({ status, headers, body })
        }
      }),
      { numRuns: runs(800) },
    )
  })
})
