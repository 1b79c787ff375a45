import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AssumptionId } from '../../../src/core/assumptions/registry.ts'
import { create, list, watched } from '../../core/mock/watched.ts'
import { runs } from '../../support/runs.ts'
import { request, settings } from './requests.ts'

describe('an alternative is visible', () => {
  it('in that list, whatever a test assumes in between', async () => {
    const mock = watched()
    await mock.send(create({ id: 7, name: 'Hoya', tag: 'x' }))
    await mock.root.assume({ 'json.keyOrder': 'tag-name' })
    expect((await mock.send(list)).visible).toContain('create.visibility=eventual')
  })

  it('in a body that would be refused or accepted because of its size', async () => {
    const { reply, visible } = await watched().send(create({ id: 7, name: 'x'.repeat(1_100_000), tag: 'x' }))
    expect(reply.status).toBe(413)
    expect(visible).toContain('body.maxSize=none')
  })

  it('of a size, in no request without a body', async () => {
    const { body: _, ...bodiless } = create({ id: 7, name: 'Hoya', tag: 'x' })
    const { visible } = await watched().send(bodiless)
    expect([...visible].filter((key) => key.startsWith('body.'))).toEqual([])
  })

  it('in the failure that a fault returns to the first request, if the plan serves it', async () => {
    const mock = watched({}, { served: 'error.body=json' })
    await mock.root.fail({ status: 503 })
    const { reply, visible } = await mock.send(list)
    expect(reply.body).toMatch(/^\{"error":/)
    expect(visible).toContain('error.body=json')
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

describe('evidence of a mock', () => {
  it('is not written where it says nothing', async () => {
    const mock = watched()
    await mock.root.plants.all()
    await mock.root.assume({})
    expect(mock.lines()).toEqual([])
  })

  it('holds the alternatives beside an assumption that a test sets', async () => {
    const mock = watched()
    await mock.root.assume({ 'create.status': 200 })
    const { reply, visible } = await mock.send(create({ id: 8, name: 'Hoya', tag: 'x' }))
    expect(reply.status).toBe(200)
    expect(visible).toContain('json.keyOrder=tag-name')
  })
})

describe('after a write that failed, an alternative is visible', () => {
  it.each([
    ['at once', () => expect.fail('full')],
    ['later', async () => expect.fail('full')],
  ])('as if nothing had been sent: a failure %s', async (_, fail) => {
    const hoya = create({ id: 7, name: 'Hoya', tag: 'x' })
    let isFull = true
    const mock = watched({}, { write: () => (isFull ? fail() : undefined) })
    expect((await mock.send(hoya)).reply.status).toBe(500)
    await expect(mock.root.replaceFixtures([])).rejects.toThrow('full')
    isFull = false
    const plain = watched()
    for (const sent of [list, hoya, hoya, list, list])
      expect((await mock.send(sent)).visible).toEqual((await plain.send(sent)).visible)
  })
})

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
      fc.asyncProperty(
        settings,
        fault,
        fc.array(request, { minLength: 1, maxLength: 8 }),
        async (assume, fault, sent) => {
          const mock = watched(assume)
          if (fault !== undefined) await mock.root.fail({ ...fault, times: 2 })
          const announced = new Set<string>()
          for (const one of sent) {
            const { reply, visible } = await mock.send(one)
            const unnamed = [...visible].filter(
              (key) => !announced.has(key) && !reply.meta.assumptions.includes(key.split('=')[0] as AssumptionId),
            )
            expect(unnamed).toEqual([])
            // Once the states differ, all later replies may differ.
            for (const key of visible) announced.add(key)
          }
        },
      ),
      { numRuns: runs(800) },
    )
  })
})
