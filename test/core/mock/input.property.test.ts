import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { createPlantMock, type PlantMock, PlantMockError } from 'plant-mock'
import { loadAssumptions, loadFixtures } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { edit, edited } from '../../support/edits.ts'
import { openFolder } from '../../support/folder.ts'
import { runs } from '../../support/runs.ts'
import { as } from '../../support/targets.ts'

const folder = await openFolder()

const outcomeOf = async (promise: Promise<unknown>): Promise<'accepted' | 'refused'> => {
  const error: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error === undefined) return 'accepted'
  expect(error).toBeInstanceOf(PlantMockError)
  expect((error as PlantMockError).message).toMatch(/\S.*[.?]$/s)
  return 'refused'
}

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withNullPrototype: true,
  withSparseArray: true,
})
const nearlyValid = (...valid: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...valid), fc.array(edit, { maxLength: 3 }))
        .map(([value, edits]) => edits.reduce(edited, value)),
    },
    anything,
  )

const plant = { id: 1, name: 'a', tag: 'b', access: ['alice', 'bob'] }

describe('a mock', () => {
  const state = async (mock: PlantMock) =>
    JSON.stringify([await mock.plants.all(), await mock.assumptions(), await mock.faults()])
  const faults = nearlyValid(
    { operation: 'listPlants', status: 503, body: { a: [1] }, headers: { 'Retry-After': '1' }, times: 1 },
    { operation: 'createPlant', caller: 'alice', reset: true, probability: 0.5 },
    { truncate: true, delay: [0, 0] },
    { malformed: true, times: 3 },
  )

  it.each<[input: string, values: fc.Arbitrary<unknown>, send: (mock: PlantMock, value: never) => Promise<unknown>]>([
    ['faults', faults, (mock, fault) => mock.fail(fault)],
    [
      'assumptions',
      nearlyValid({ 'create.status': 200, 'list.order': 'newest' }),
      (mock, values) => mock.assume(values),
    ],
    ['more plants', nearlyValid([plant, { name: 'x', tag: '' }]), (mock, plants) => mock.seed(plants)],
    ['other plants', nearlyValid([plant, { name: 'x', tag: '' }]), (mock, plants) => mock.replaceFixtures(plants)],
    [
      'filters of plants',
      nearlyValid(plant, { id: null, access: null }, {}),
      (mock, filter) => mock.plants.remove(filter),
    ],
    [
      'changes of plants',
      nearlyValid(plant, { id: null, access: null }, {}),
      (mock, patch) => mock.plants.update({}, patch),
    ],
  ])('accepts %s, or refuses them with a reason and keeps its state', async (_, values, send) => {
    const outcomes = new Set<string>()
    const property = fc.asyncProperty(values, async (value) => {
      const mock = createPlantMock({ fixtures: [plant] })
      const before = await state(mock)
      const outcome = await outcomeOf(send(mock, value as never))
      outcomes.add(outcome)
      if (outcome === 'refused') expect(await state(mock)).toBe(before)
      if ((await mock.faults()).some(({ name }) => /delay [1-9]|to [1-9]/.test(name))) return
      const response = await mock.fetch('/plants', as('alice')).catch((error: unknown) => error)
      if (!(response instanceof Response)) expect(response).toEqual(new TypeError('fetch failed'))
      await mock.requests.all()
    })
    await fc.assert(property, { numRuns: runs(200) })
    expect([...outcomes].sort()).toEqual(['accepted', 'refused'])
  })

  it('accepts any session id that a header can carry, and no other', async () => {
    const id = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom('__proto__', 'a b', ' a', 'é', ''))
    const property = fc.asyncProperty(id, async (id) => {
      const mock = createPlantMock()
      const outcome = await outcomeOf((async () => mock.session(id))())
      expect(outcome).toBe(/^(?! )[\x20-\x7E]{1,200}(?<! )$/.test(id) ? 'accepted' : 'refused')
      if (outcome === 'refused') return
      await mock.fetch('/plants', { headers: { authorization: 'Bearer alice', 'plant-mock-session': id } })
      expect(await mock.sessions.all()).toEqual([{ id, requests: 1 }])
    })
    await fc.assert(property, { numRuns: runs(200) })
  })

  it('never lists more than limit plants, whatever else the query contains', async () => {
    const mock = createPlantMock({ fixtures: Array.from({ length: 5 }, (_, id) => ({ ...plant, id })) })
    const piece = fc.oneof(
      fc.constantFrom('limit', '=', '&', '%', '%3D', '+', '0', '2', '-', '.', 'e', '٣', '?', '#', '[]', '\u0000'),
      fc.string(),
    )
    const query = fc.oneof(
      fc.tuple(fc.string(), fc.nat(9)).map(([rest, limit]) => `limit=${limit}&x=${rest}`),
      fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
    )
    const property = fc.asyncProperty(query, async (query) => {
      const url = new URL(`http://x/plants?${query}`)
      const response = await mock.fetch(url, as('alice'))
      const limits = url.searchParams.getAll('limit')
      const isValid = limits.length === 0 || (limits.length === 1 && /^\d+$/.test(limits[0] ?? ''))
      expect(response.status).toBe(isValid ? 200 : 400)
      if (isValid) expect(await response.json()).toHaveLength(Math.min(5, Number(limits[0] ?? 5)))
    })
    await fc.assert(property, { numRuns: runs(200) })
  })
})

describe('a hand-written file', () => {
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, text)
    return path
  }
  const typo = fc.tuple(fc.nat(300), fc.nat(8), fc.constantFrom('', '', '}', ',', '\uFEFF', '\n', '[', '\0'))
  const applyTypo = (text: string, [at, length, replacement]: [number, number, string]) =>
    `${text.slice(0, at)}${replacement}${text.slice(at + length)}`
  const edits = fc.array(edit, { maxLength: 2 })
  const typos = fc.oneof(fc.constant([]), fc.array(typo, { minLength: 1, maxLength: 2 }))

  const observed = { host: 'staging.example', date: '2026-11-20' }
  const assumptions = { assumptions: { 'create.status': 200, 'list.order': { value: 'name', observed } } }

  it.each<
    [
      content: string,
      write: (edits: readonly Parameters<typeof edited>[1][]) => string,
      load: (text: string) => Promise<unknown>,
    ]
  >([
    [
      'plants',
      (edits) => JSON.stringify(edits.reduce(edited, { plants: [plant, plant] })),
      async (text) => loadFixtures(await file('a.json', text)),
    ],
    [
      'one plant a line',
      (edits) => [plant, edits.reduce(edited, plant as unknown)].map((plant) => JSON.stringify(plant)).join('\n'),
      async (text) => loadFixtures(await file('a.ndjson', text)),
    ],
    [
      'assumptions',
      (edits) => JSON.stringify(edits.reduce(edited, assumptions as unknown)),
      async (text) => loadAssumptions(await file('b.json', text)),
    ],
  ])('of %s is loaded, or refused with its name and a reason', async (_, write, load) => {
    const outcomes = new Set<string>()
    const property = fc.asyncProperty(edits, typos, async (edits, typos) => {
      const text = typos.reduce<string>(applyTypo, write(edits) ?? '')
      const outcome = await outcomeOf(load(text))
      if (outcome === 'refused') await expect(load(text)).rejects.toThrow(/[ab]\.(?:nd)?json/)
      outcomes.add(outcome)
    })
    await fc.assert(property, { numRuns: runs(200) })
    expect([...outcomes].sort()).toEqual(['accepted', 'refused'])
  })
})
