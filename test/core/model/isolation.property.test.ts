import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Collection } from '@msw/data'
import fc from 'fast-check'
import {
  createPlantMock,
  type FixturePlant,
  memoryStore,
  type PlantFields,
  type PlantMatch,
  type PlantMock,
  type PlantMockOptions,
  type PlantPatch,
} from 'plant-mock'
import { collectionStore } from 'plant-mock/data'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runs } from '../../support/runs.ts'
import { useServers } from '../../support/start.ts'
import { as, plantSchema, post } from '../../support/targets.ts'

const callers = ['alice', 'bob', 'carol'] as const
const caller = fc.constantFrom(...callers)
/** A small range, so that ids collide. */
const id = fc.integer({ min: 0, max: 5 })
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).filter((value) => value.isWellFormed()),
  fc.constantFrom('a', 'b', 'x', 'y'),
)

const fixture: fc.Arbitrary<FixturePlant> = fc.record(
  { id, name: text, tag: text, access: fc.uniqueArray(caller) },
  { requiredKeys: ['name', 'tag'] },
)

/** The fields of a filter or a patch; a function is sent to the mock as the same filter. */
type Filter = { readonly fields: PlantFields; readonly isFunction: boolean }
const fields: fc.Arbitrary<PlantFields> = fc.record(
  {
    id: fc.option(id),
    name: fc.constantFrom('a', 'b'),
    tag: fc.constantFrom('x', 'y'),
    access: fc.option(fc.uniqueArray(caller)),
  },
  { requiredKeys: [] },
)
const filter: fc.Arbitrary<Filter> = fc.record({ fields, isFunction: fc.boolean() })

type Step =
  | {
      readonly do: 'create'
      readonly caller: string
      readonly id: number
      readonly name: string
      readonly tag: string
    }
  | { readonly do: 'list'; readonly caller: string; readonly limit: number | undefined }
  | { readonly do: 'update'; readonly filter: Filter; readonly patch: PlantPatch }
  | { readonly do: 'remove'; readonly filter: Filter }
  | { readonly do: 'clear' }
  | { readonly do: 'seed'; readonly plants: readonly FixturePlant[] }
  | { readonly do: 'reset' }
  | { readonly do: 'snapshot' }
  | { readonly do: 'restore' }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('create' as const), caller, id, name: text, tag: text }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('list' as const),
      caller,
      limit: fc.option(fc.nat(8), { nil: undefined }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('seed' as const), plants: fc.array(fixture, { maxLength: 4 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('update' as const), filter, patch: fields }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), filter }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Step>({ do: 'reset' }, { do: 'snapshot' }, { do: 'restore' }, { do: 'clear' }),
  },
)

type Duplicates = 'conflict' | 'conflict-everywhere' | 'accept'

const matches = (plant: FixturePlant, { id, name, tag, access }: PlantFields): boolean =>
  (id === undefined || (plant.id ?? null) === id) &&
  (name === undefined || plant.name === name) &&
  (tag === undefined || plant.tag === tag) &&
  (access === undefined ||
    (plant.access === undefined || access === null
      ? plant.access === undefined && access === null
      : sameCallers(plant.access, access)))

const sameCallers = (a: readonly string[] = [], b: readonly string[] = []): boolean =>
  a.length === b.length && a.every((caller) => b.includes(caller))

const patched = (plant: FixturePlant, patch: PlantFields): FixturePlant =>
  Object.fromEntries(
    Object.entries({ ...plant, ...patch }).filter(([, value]) => value !== null),
  ) as unknown as FixturePlant

/** Whether a caller sees both; a plant whose `access` is empty is seen by nobody. */
const meet = (a: FixturePlant, b: FixturePlant): boolean =>
  callers.some((caller) => [a, b].every(({ access }) => access === undefined || access.includes(caller)))

/** The reference model: one array, scanned for each request. */
class Reference {
  plants: FixturePlant[]
  saved: readonly FixturePlant[]
  readonly #duplicates: Duplicates
  readonly #newest: boolean

  constructor(fixtures: readonly FixturePlant[], duplicates: Duplicates, newest: boolean) {
    this.plants = [...fixtures]
    this.saved = fixtures
    this.#duplicates = duplicates
    this.#newest = newest
  }

  visibleTo(caller: string): FixturePlant[] {
    return this.plants.filter(({ access }) => access === undefined || access.includes(caller))
  }

  create(caller: string, plant: { id: number; name: string; tag: string }): number {
    const existing = this.visibleTo(caller).some(({ id }) => id === plant.id)
    const isTaken = existing || this.plants.some(({ id }) => id === plant.id)
    if (this.#duplicates === 'conflict-everywhere' && isTaken) return 409
    if (existing && this.#duplicates === 'conflict') return 409
    this.plants.push({ ...plant, access: [caller] })
    return 201
  }

  /** The number of changed plants, or that the change is refused. */
  update(filter: PlantFields, patch: PlantFields): number | 'refused' {
    const before = this.plants
    const after = before.map((plant) => (matches(plant, filter) ? patched(plant, patch) : plant))
    const moved = after.map(({ id, access }, at) => {
      const { id: oldId, access: old } = before[at] as FixturePlant
      const isSameAccess = access === undefined || old === undefined ? access === old : sameCallers(access, old)
      return id !== oldId || !isSameAccess
    })
    const isTaken = after.some((plant, a) =>
      after.some(
        (other, b) =>
          a < b && plant.id !== undefined && plant.id === other.id && (moved[a] || moved[b]) && meet(plant, other),
      ),
    )
    if (isTaken) return 'refused'
    this.plants = after
    return before.filter((plant) => matches(plant, filter)).length
  }

  remove(filter: PlantFields): number {
    const before = this.plants.length
    this.plants = this.plants.filter((plant) => !matches(plant, filter))
    return before - this.plants.length
  }

  list(caller: string, limit = Number.POSITIVE_INFINITY) {
    const plants = this.visibleTo(caller).map(({ name, tag }) => ({ name, tag }))
    return (this.#newest ? plants.reverse() : plants).slice(0, limit)
  }
}

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterAll(() => rm(folder, { recursive: true }))

const { start } = useServers()
let files = 0

/** Makes a mock with each kind of store. */
const stores: Readonly<Record<string, (options: PlantMockOptions) => Promise<PlantMock>>> = {
  'the memory store': async (options) => createPlantMock({ store: memoryStore(), ...options }),
  'a collection store': async (options) =>
    createPlantMock({ store: collectionStore(new Collection({ schema: plantSchema })), ...options }),
  'a persistent store': async (options) =>
    (await start({ ...options, persist: join(folder, `${files++}.ndjson`) })).mock,
}

const matchOf = ({ fields, isFunction }: Filter): PlantMatch =>
  isFunction ? (plant) => matches(plant, fields) : fields

/** The order of callers in `access` has no meaning. */
const inOrder = (plants: readonly FixturePlant[]): readonly FixturePlant[] =>
  plants.map((plant) => (plant.access === undefined ? plant : { ...plant, access: [...plant.access].sort() }))

const list = async (mock: PlantMock, caller: string, limit?: number) =>
  (await mock.fetch(`/plants${limit === undefined ? '' : `?limit=${limit}`}`, as(caller))).json()

const create = async (mock: PlantMock, caller: string, plant: object) =>
  (await mock.fetch('/plants', post(plant, { authorization: `Bearer ${caller}` }))).status

describe.each(Object.entries(stores))('with %s', (_, openMock) => {
  it.each([
    ['conflict', 'added'],
    ['conflict', 'newest'],
    ['accept', 'added'],
    ['accept', 'newest'],
    ['conflict-everywhere', 'added'],
  ] as const)(
    'lists equal those of the reference model for any sequence of steps (%s, %s)',
    async (duplicates, order) => {
      const property = fc.asyncProperty(
        fc.array(fixture, { maxLength: 6 }),
        fc.array(step, { maxLength: 30 }),
        async (fixtures, steps) => {
          const assume = { 'create.duplicateId': duplicates, 'list.order': order }
          const mock = await openMock({ fixtures, assume })
          const reference = new Reference(fixtures, duplicates, order === 'newest')
          let restore = () => mock.reset()
          for (const step of steps) {
            if (step.do === 'create') {
              const { caller, id, name, tag } = step
              expect(await create(mock, caller, { id, name, tag })).toBe(reference.create(caller, { id, name, tag }))
            } else if (step.do === 'list') {
              expect(await list(mock, step.caller, step.limit)).toEqual(reference.list(step.caller, step.limit))
            } else if (step.do === 'seed') {
              await mock.seed(step.plants)
              reference.plants.push(...step.plants)
            } else if (step.do === 'update') {
              const changed = await mock.plants
                .update(matchOf(step.filter), step.patch)
                .catch(({ message }: Error) => (message.includes('would give id') ? 'refused' : message))
              expect(changed).toBe(reference.update(step.filter.fields, step.patch))
            } else if (step.do === 'remove') {
              expect(await mock.plants.remove(matchOf(step.filter))).toBe(reference.remove(step.filter.fields))
            } else if (step.do === 'clear') {
              await mock.plants.clear()
              reference.plants = []
            } else if (step.do === 'reset') {
              await mock.reset()
              reference.plants = [...fixtures]
            } else if (step.do === 'snapshot') {
              restore = await mock.snapshot()
              reference.saved = [...reference.plants]
            } else {
              await restore()
              reference.plants = [...reference.saved]
            }
          }
          for (const caller of callers) expect(await list(mock, caller)).toEqual(reference.list(caller))
          expect(inOrder(await mock.plants.all())).toEqual(inOrder(reference.plants))
        },
      )
      await fc.assert(property, { numRuns: runs(150) })
    },
  )

  it('shows no caller a plant of another caller, for any creates and assumptions', async () => {
    const assume = fc.record({
      'create.duplicateId': fc.constantFrom('conflict', 'accept', 'replace'),
      'create.visibility': fc.constantFrom('immediate', 'eventual'),
      'list.order': fc.constantFrom('added', 'newest', 'name', 'shuffled'),
      'list.defaultLimit': fc.constantFrom<'none' | 10>('none', 10),
      'auth.tokens': fc.constantFrom('any', 'listed'),
    })
    const creates = fc.array(fc.record({ caller, id }), { maxLength: 20 })
    const property = fc.asyncProperty(assume, creates, async (assume, creates) => {
      const mock = await openMock({ assume, tokens: callers })
      // Concurrent creates; the name of each plant is its caller.
      await Promise.all(creates.map(({ caller, id }) => create(mock, caller, { id, name: caller, tag: 't' })))
      for (const caller of [...callers, ...callers]) {
        const plants = (await list(mock, caller)) as { name: string }[]
        expect(plants.filter(({ name }) => name !== caller)).toEqual([])
      }
    })
    await fc.assert(property, { numRuns: runs(100) })
  })

  it('keeps the position of a replaced plant, and replaces it for its caller alone', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.record({ caller, id, name: text }), { maxLength: 25 }),
      async (creates) => {
        const mock = await openMock({ assume: { 'create.duplicateId': 'replace' } })
        const expected = new Map(callers.map((caller) => [caller as string, new Map<number, string>()]))
        for (const { caller, id, name } of creates) {
          await create(mock, caller, { id, name, tag: 't' })
          expected.get(caller)?.set(id, name)
        }
        for (const [caller, plants] of expected)
          expect(await list(mock, caller)).toEqual([...plants.values()].map((name) => ({ name, tag: 't' })))
      },
    )
    await fc.assert(property, { numRuns: runs(100) })
  })
})
