import { join } from 'node:path'
import fc from 'fast-check'
import {
  createPlantMock,
  type FixturePlant,
  type PlantFields,
  type PlantMatch,
  type PlantMock,
  type PlantMockOptions,
  type PlantPatch,
} from 'plant-mock'
import { describe, expect, it } from 'vitest'
import type { Assumptions } from '../../../src/core/assumptions/registry.ts'
import { openFolder } from '../../support/folder.ts'
import { runs } from '../../support/runs.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'

const callers = ['alice', 'bob', 'carol'] as const
const caller = fc.constantFrom(...callers)
const id = fc.integer({ min: 0, max: 5 })
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).filter((value) => value.isWellFormed()),
  fc.constantFrom('a', 'b', 'x', 'y'),
)

const fixture: fc.Arbitrary<FixturePlant> = fc.record(
  { id, name: text, tag: text, access: fc.uniqueArray(caller) },
  { requiredKeys: ['name', 'tag'] },
)

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
  | { readonly do: 'restore'; readonly which: number }

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
    weight: 2,
    arbitrary: fc.oneof(
      fc.constantFrom<Step>({ do: 'reset' }, { do: 'snapshot' }, { do: 'clear' }),
      fc.nat(5).map((which): Step => ({ do: 'restore', which })),
    ),
  },
)

type Duplicates = Assumptions['create.duplicateId']

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

class Reference {
  plants: FixturePlant[]
  readonly #duplicates: Duplicates
  readonly #newest: boolean

  constructor(fixtures: readonly FixturePlant[], duplicates: Duplicates, newest: boolean) {
    this.plants = [...fixtures]
    this.#duplicates = duplicates
    this.#newest = newest
  }

  visibleTo(caller: string): FixturePlant[] {
    return this.plants.filter(({ access }) => access === undefined || access.includes(caller))
  }

  create(caller: string, plant: { id: number; name: string; tag: string }): number {
    const at = this.#duplicateOf(caller, plant.id)
    if (at === -1) this.plants.push({ ...plant, access: [caller] })
    else if (this.#duplicates === 'replace') this.plants[at] = { ...this.plants[at], ...plant }
    return at === -1 || /^(?:replace|idempotent)$/.test(this.#duplicates) ? 201 : 409
  }

  #duplicateOf(caller: string, id: number): number {
    const latest = (matches: (plant: FixturePlant) => boolean) =>
      this.plants.findLastIndex((plant) => plant.id === id && matches(plant))
    if (this.#duplicates === 'accept') return -1
    const visible = [
      latest(({ access }) => access?.includes(caller) === true),
      latest(({ access }) => access === undefined),
      ...(this.#duplicates === 'conflict-everywhere' ? [latest(() => true)] : []),
    ]
    return visible.find((at) => at !== -1) ?? -1
  }

  update(filter: PlantFields, patch: PlantFields): number {
    const before = this.plants
    this.plants = before.map((plant) => (matches(plant, filter) ? patched(plant, patch) : plant))
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

const folder = await openFolder()

const { start } = useServers()
let files = 0

const mocks: Readonly<Record<string, (options: PlantMockOptions) => Promise<PlantMock>>> = {
  memory: async (options) => createPlantMock(options),
  'a file': async (options) => (await start({ ...options, persist: join(folder, `${files++}.ndjson`) })).mock,
}

const matchOf = ({ fields, isFunction }: Filter): PlantMatch =>
  isFunction ? (plant) => matches(plant, fields) : fields

const inOrder = (plants: readonly FixturePlant[]): readonly FixturePlant[] =>
  plants.map((plant) => (plant.access === undefined ? plant : { ...plant, access: [...plant.access].sort() }))

const list = async (mock: PlantMock, caller: string, limit?: number) =>
  (await mock.fetch(`/plants${limit === undefined ? '' : `?limit=${limit}`}`, as(caller))).json()

const create = async (mock: PlantMock, caller: string, plant: object) =>
  (await mock.fetch('/plants', post(plant, { authorization: `Bearer ${caller}` }))).status

class Compared {
  readonly mock: PlantMock
  readonly reference: Reference
  readonly fixtures: readonly FixturePlant[]
  readonly snapshots: { readonly restore: () => Promise<void>; readonly plants: readonly FixturePlant[] }[] = []

  constructor(mock: PlantMock, fixtures: readonly FixturePlant[], duplicates: Duplicates, isNewestFirst: boolean) {
    this.mock = mock
    this.fixtures = fixtures
    this.reference = new Reference(fixtures, duplicates, isNewestFirst)
  }

  async perform(step: Step): Promise<void> {
    const { mock, reference } = this
    if (step.do === 'create') {
      const { caller, id, name, tag } = step
      expect(await create(mock, caller, { id, name, tag })).toBe(reference.create(caller, { id, name, tag }))
    } else if (step.do === 'list') {
      expect(await list(mock, step.caller, step.limit)).toEqual(reference.list(step.caller, step.limit))
    } else if (step.do === 'seed') {
      await mock.seed(step.plants)
      reference.plants.push(...step.plants)
    } else if (step.do === 'update') {
      expect(await mock.plants.update(matchOf(step.filter), step.patch)).toBe(
        reference.update(step.filter.fields, step.patch),
      )
    } else if (step.do === 'remove') {
      expect(await mock.plants.remove(matchOf(step.filter))).toBe(reference.remove(step.filter.fields))
    } else if (step.do === 'clear') {
      await mock.plants.clear()
      reference.plants = []
    } else if (step.do === 'reset') {
      await mock.reset()
      reference.plants = [...this.fixtures]
    } else if (step.do === 'snapshot') {
      this.snapshots.push({ restore: await mock.snapshot(), plants: [...reference.plants] })
    } else if (this.snapshots.length > 0) {
      const { restore, plants } = this.snapshots[step.which % this.snapshots.length] as (typeof this.snapshots)[number]
      await restore()
      reference.plants = [...plants]
    }
  }

  async compare(): Promise<void> {
    for (const caller of callers) expect(await list(this.mock, caller)).toEqual(this.reference.list(caller))
    expect(inOrder(await this.mock.plants.all())).toEqual(inOrder(this.reference.plants))
  }
}

describe.each(Object.entries(mocks))('with plants in %s', (_, openMock) => {
  it.each([
    ['conflict', 'added'],
    ['conflict', 'newest'],
    ['accept', 'added'],
    ['replace', 'newest'],
    ['idempotent', 'added'],
    ['conflict-everywhere', 'added'],
  ] as const)(
    'a mock and its sessions equal the reference model after any steps (%s, %s)',
    async (duplicates, order) => {
      const property = fc.asyncProperty(
        fc.array(fixture, { maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(2), step), { maxLength: 50, size: 'max' }),
        async (fixtures, steps) => {
          const mock = await openMock({ fixtures, assume: { 'create.duplicateId': duplicates, 'list.order': order } })
          const compared = [mock, mock.session('a'), mock.session('b')].map(
            (mock) => new Compared(mock, fixtures, duplicates, order === 'newest'),
          )
          for (const [which, step] of steps) await compared[which]?.perform(step)
          for (const each of compared) await each.compare()
        },
      )
      await fc.assert(property, { numRuns: runs(80) })
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
    const creates = fc.array(fc.record({ caller, id }), { maxLength: 20, size: 'max' })
    const property = fc.asyncProperty(assume, creates, async (assume, creates) => {
      const mock = await openMock({ assume, tokens: callers })
      await Promise.all(creates.map(({ caller, id }) => create(mock, caller, { id, name: caller, tag: 't' })))
      for (const caller of [...callers, ...callers]) {
        const plants = (await list(mock, caller)) as { name: string }[]
        expect(plants.filter(({ name }) => name !== caller)).toEqual([])
      }
    })
    await fc.assert(property, { numRuns: runs(100) })
  })
})
