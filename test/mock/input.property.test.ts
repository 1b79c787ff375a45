import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createPlantMock, type PlantMock, PlantMockError } from 'plant-mock'
import { loadAssumptions, loadFixtures } from 'plant-mock/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { edit, edited } from '../support/edits.ts'
import { as } from '../support/targets.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterAll(() => rm(folder, { recursive: true }))

/** What a promise comes to; a refusal must be one that says what is wrong. */
const outcomeOf = async (promise: Promise<unknown>): Promise<'done' | 'refused'> => {
  const error: unknown = await promise.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (error === undefined) return 'done'
  expect(error).toBeInstanceOf(PlantMockError)
  expect((error as PlantMockError).message).toMatch(/\S.*\.$/s)
  return 'refused'
}

const anything = fc.anything({
  withBigInt: true,
  withDate: true,
  withNullPrototype: true,
  withSparseArray: true,
})
/** Something right, after some changes; or anything at all. */
const near = (...right: readonly unknown[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...right), fc.array(edit, { maxLength: 3 }))
        .map(([value, edits]) => edits.reduce(edited, value)),
    },
    anything,
  )

const plant = { id: 1, name: 'a', tag: 'b', access: ['alice', 'bob'] }

describe('whatever a mock is given', () => {
  const state = async (mock: PlantMock) =>
    JSON.stringify([await mock.plants.all(), await mock.assumptions(), await mock.faults()])
  const faults = near(
    { operation: 'listPlants', status: 503, body: { a: [1] }, headers: { 'Retry-After': '1' }, times: 1 },
    { operation: 'createPlant', caller: 'alice', reset: true, probability: 0.5 },
    { truncate: true, delay: [0, 0] },
    { malformed: true, times: 3 },
  )

  it.each<
    [what: string, values: fc.Arbitrary<unknown>, give: (mock: PlantMock, value: never) => Promise<unknown>]
  >([
    ['a fault', faults, (mock, fault) => mock.fail(fault)],
    [
      'assumptions',
      near({ 'create.status': 200, 'list.order': 'newest' }),
      (mock, values) => mock.assume(values),
    ],
    ['more plants', near([plant, { name: 'x', tag: '' }]), (mock, plants) => mock.seed(plants)],
    ['other plants', near([plant, { name: 'x', tag: '' }]), (mock, plants) => mock.load(plants)],
  ])('it takes %s, or refuses with a reason and is as before', async (_, values, give) => {
    const seen = new Set<string>()
    const property = fc.asyncProperty(values, async (value) => {
      const mock = createPlantMock({ fixtures: [plant] })
      const before = await state(mock)
      const outcome = await outcomeOf(give(mock, value as never))
      seen.add(outcome)
      if (outcome === 'refused') expect(await state(mock)).toBe(before)
      if ((await mock.faults()).some(({ name }) => /delay [1-9]|to [1-9]/.test(name))) return
      // It goes on, as it is told.
      const response = await mock.fetch('/plants', as('alice')).catch((error: unknown) => error)
      if (!(response instanceof Response)) expect(response).toEqual(new TypeError('fetch failed'))
      await mock.requests.all()
    })
    await fc.assert(property, { numRuns: 200 })
    expect([...seen].sort()).toEqual(['done', 'refused'])
  })

  it('has a session of any id that can be sent, and of no other', async () => {
    const id = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('__proto__', 'a b', ' a', 'é', ''),
    )
    const property = fc.asyncProperty(id, async (id) => {
      const mock = createPlantMock()
      const outcome = await outcomeOf((async () => mock.session(id))())
      expect(outcome).toBe(/^(?! )[\x20-\x7E]{1,200}(?<! )$/.test(id) ? 'done' : 'refused')
      if (outcome === 'refused') return
      await mock.fetch('/plants', { headers: { authorization: 'Bearer alice', 'plant-mock-session': id } })
      expect(await mock.sessions.all()).toEqual([{ id, requests: 1 }])
    })
    await fc.assert(property, { numRuns: 200 })
  })

  it('never lists more than limit says, whatever else a query has', async () => {
    const mock = createPlantMock({ fixtures: Array.from({ length: 5 }, (_, id) => ({ ...plant, id })) })
    const piece = fc.oneof(
      fc.constantFrom(
        'limit',
        '=',
        '&',
        '%',
        '%3D',
        '+',
        '0',
        '2',
        '-',
        '.',
        'e',
        '٣',
        '?',
        '#',
        '[]',
        '\u0000',
      ),
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
      const right = limits.length === 0 || (limits.length === 1 && /^\d+$/.test(limits[0] ?? ''))
      expect(response.status).toBe(right ? 200 : 400)
      if (right) expect(await response.json()).toHaveLength(Math.min(5, Number(limits[0] ?? 5)))
    })
    await fc.assert(property, { numRuns: 200 })
  })
})

describe('a file that was written by hand', () => {
  const file = async (name: string, text: string): Promise<string> => {
    const path = join(folder, name)
    await writeFile(path, text)
    return path
  }
  /** Some of the text is lost, or comes twice, or is followed by something else. */
  const slip = fc.tuple(fc.nat(300), fc.nat(8), fc.constantFrom('', '', '}', ',', '\uFEFF', '\n', '[', '\0'))
  const slipped = (text: string, [at, length, by]: [number, number, string]) =>
    `${text.slice(0, at)}${by}${text.slice(at + length)}`
  const edits = fc.array(edit, { maxLength: 2 })
  const slips = fc.oneof(fc.constant([]), fc.array(slip, { minLength: 1, maxLength: 2 }))

  const observed = { host: 'staging.example', date: '2026-11-20' }
  const assumptions = { assumptions: { 'create.status': 200, 'list.order': { value: 'name', observed } } }

  it.each<
    [
      what: string,
      write: (edits: readonly Parameters<typeof edited>[1][]) => string,
      load: (text: string) => Promise<unknown>,
    ]
  >([
    [
      'of plants',
      (edits) => JSON.stringify(edits.reduce(edited, { plants: [plant, plant] })),
      async (text) => loadFixtures(await file('a.json', text)),
    ],
    [
      'of plants by the line',
      (edits) =>
        [plant, edits.reduce(edited, plant as unknown)].map((plant) => JSON.stringify(plant)).join('\n'),
      async (text) => loadFixtures(await file('a.ndjson', text)),
    ],
    [
      'of assumptions',
      (edits) => JSON.stringify(edits.reduce(edited, assumptions as unknown)),
      async (text) => loadAssumptions(await file('b.json', text)),
    ],
  ])('is loaded, or refused with its name and a reason: %s', async (_, write, load) => {
    const seen = new Set<string>()
    const property = fc.asyncProperty(edits, slips, async (edits, slips) => {
      const text = slips.reduce<string>(slipped, write(edits) ?? '')
      const outcome = await outcomeOf(load(text))
      if (outcome === 'refused') await expect(load(text)).rejects.toThrow(/[ab]\.(?:nd)?json/)
      seen.add(outcome)
    })
    await fc.assert(property, { numRuns: 200 })
    expect([...seen].sort()).toEqual(['done', 'refused'])
  })
})
