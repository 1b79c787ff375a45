import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import { GrowingSet } from '../../../src/core/model/growing-set.ts'
import { asFixture, type OnDuplicate, type PlantChanges, Plants } from '../../../src/core/model/plants.ts'
import { runs } from '../../support/runs.ts'

/** Versions share memory: to show interference, each property compares a whole tree of versions with plain arrays. */

const callers = ['alice', 'bob', '__proto__'] as const
const ids = [0, 1, 2 ** 32, Number.MIN_SAFE_INTEGER]
const id = fc.constantFrom(...ids, -0)
const plant: fc.Arbitrary<FixturePlant> = fc.record(
  {
    id,
    name: fc.constantFrom('a', 'b', '__proto__'),
    tag: fc.constantFrom('x', 'y'),
    access: fc.array(fc.constantFrom(...callers), { maxLength: 3 }),
  },
  { requiredKeys: ['name'] },
)

/** -1 continues the newest version, -2 the version before the newest, and 0 the first version. */
const from = fc.oneof(fc.constant(-1), fc.constant(-2), fc.constant(0), fc.nat())
const places = fc.array(fc.tuple(fc.nat(), fc.option(plant, { nil: undefined })), { maxLength: 4 })
const action = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('append' as const), from, plant }) },
  // `follow` appends the plant that another version has at the same index, which makes separate versions share rows.
  { weight: 6, arbitrary: fc.record({ do: fc.constant('follow' as const), from, leader: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('appendAll' as const), from, plants: fc.array(plant) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('change' as const), from, places }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('retag' as const),
      from,
      at: fc.nat(),
      tag: fc.option(fc.constant('z'), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rebuild' as const), from }) },
)
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never

type Version = { readonly plants: Plants; readonly array: readonly FixturePlant[] }

const normal = (plant: FixturePlant): FixturePlant =>
  asFixture({ ...plant, ...(plant.access && { access: [...new Set(plant.access)] }) })

const stored = (plant: FixturePlant) => ({ id: plant.id, access: plant.access, name: plant.name, tag: plant.tag })

const continued = ({ plants, array }: Version, action: Action, versions: readonly Version[]): Version => {
  if (action.do === 'append') return { plants: plants.append(action.plant), array: [...array, normal(action.plant)] }
  if (action.do === 'follow') {
    const next = versions[action.leader % versions.length]?.array[array.length]
    return next === undefined ? { plants, array } : { plants: plants.append(stored(next)), array: [...array, next] }
  }
  if (action.do === 'appendAll')
    return { plants: plants.appendAll(action.plants), array: [...array, ...action.plants.map(normal)] }
  if (action.do === 'retag') {
    if (array.length === 0) return { plants, array }
    const at = action.at % array.length
    const retagged = { ...plants.at(at), tag: action.tag }
    return { plants: plants.changed(new Map([[at, retagged]])), array: array.with(at, asFixture(retagged)) }
  }
  if (action.do === 'rebuild') return { plants: Plants.from(array), array }
  const changes: PlantChanges = new Map(
    array.length === 0 ? [] : action.places.map(([at, plant]) => [at % array.length, plant && stored(plant)]),
  )
  return {
    plants: plants.changed(changes),
    array: array.flatMap((plant, at) => {
      const changed = changes.has(at) ? changes.get(at) : plant
      return changed === undefined ? [] : [normal(changed as FixturePlant)]
    }),
  }
}

const sees = (caller: string) => (plant: FixturePlant) => plant.access === undefined || plant.access.includes(caller)

const readings = (plants: Plants) => ({
  length: plants.length,
  all: JSON.stringify(plants),
  at: JSON.stringify(Array.from({ length: plants.length }, (_, at) => asFixture(plants.at(at)))),
  callers: [...plants.callers].sort(),
  hasUntagged: plants.untagged !== undefined && plants.at(plants.untagged).tag === undefined,
  isTagged: plants.untagged === undefined,
  of: [...callers, 'nobody'].map((caller) => ({
    knows: plants.knows(caller),
    added: plants.visibleTo(caller),
    newest: plants.visibleTo(caller, undefined, 'newest'),
    first: [0, 1, 3].map((limit) => plants.visibleTo(caller, limit)),
    last: [0, 1, 3].map((limit) => plants.visibleTo(caller, limit, 'newest')),
    duplicates: duplicatePolicies.map((policy) =>
      [...ids, 7, undefined].map((id) => plants.findDuplicate(caller, id, policy)),
    ),
  })),
})
const duplicatePolicies: readonly OnDuplicate[] = ['conflict', 'conflict-everywhere', 'accept', 'replace', 'idempotent']

const scanned = (array: readonly FixturePlant[]): ReturnType<typeof readings> => ({
  length: array.length,
  all: JSON.stringify(array),
  at: JSON.stringify(array),
  callers: [...new Set(array.flatMap(({ access = [] }) => access))].sort(),
  hasUntagged: array.some(({ tag }) => tag === undefined),
  isTagged: array.every(({ tag }) => tag !== undefined),
  of: [...callers, 'nobody'].map((caller) => {
    const visible = array.flatMap((plant, at) => (sees(caller)(plant) ? at : []))
    const latest = (matches: (plant: FixturePlant) => boolean, id: number | undefined) => {
      const at = array.findLastIndex((plant) => plant.id === id && matches(plant))
      return at === -1 || id === undefined ? undefined : at
    }
    return {
      knows: array.some(({ access }) => access?.includes(caller)),
      added: visible,
      newest: visible.toReversed(),
      first: [0, 1, 3].map((limit) => visible.slice(0, limit)),
      last: [0, 1, 3].map((limit) => visible.toReversed().slice(0, limit)),
      duplicates: duplicatePolicies.map((policy) =>
        [...ids, 7, undefined].map((id) =>
          policy === 'accept'
            ? undefined
            : (latest(({ access }) => access?.includes(caller) === true, id) ??
              latest(({ access }) => access === undefined, id) ??
              (policy === 'conflict-everywhere' ? latest(() => true, id) : undefined)),
        ),
      ),
    }
  }),
})

const beginsWith = (longer: readonly FixturePlant[], shorter: readonly FixturePlant[]): boolean =>
  JSON.stringify(longer.slice(0, shorter.length)) === JSON.stringify(shorter)

describe('plants', () => {
  const tree = fc.tuple(fc.array(plant, { maxLength: 6 }), fc.array(action, { maxLength: 60, size: 'max' }))

  it('equal an array in every reading, whatever other versions have added, changed or removed', () => {
    fc.assert(
      fc.property(tree, fc.boolean(), ([first, actions], readsBetween) => {
        const versions: Version[] = [
          { plants: Plants.from(first), array: first.map(normal) },
          { plants: Plants.none, array: [] },
        ]
        for (const action of actions) {
          const before = versions.at(action.from < 0 ? action.from : action.from % versions.length) as Version
          const next = continued(before, action, versions)
          versions.push(next)
          // The first search builds an index: reading here tests an index that is older than later plants.
          if (readsBetween) expect(readings(before.plants)).toEqual(scanned(before.array))
        }
        for (const { plants, array } of versions) expect(readings(plants)).toEqual(scanned(array))
      }),
      { numRuns: runs(300) },
    )
  })

  it('are equal where their arrays are, and extend only what they begin with', () => {
    fc.assert(
      fc.property(tree, ([first, actions]) => {
        const versions: Version[] = [{ plants: Plants.from(first), array: first.map(normal) }]
        for (const action of actions)
          versions.push(
            continued(versions.at(action.from < 0 ? -1 : action.from % versions.length) as Version, action, versions),
          )
        for (const a of versions)
          for (const b of versions) {
            expect(a.plants.equals(b.plants)).toBe(JSON.stringify(a.array) === JSON.stringify(b.array))
            if (a.plants.extends(b.plants)) expect(beginsWith(a.array, b.array)).toBe(true)
          }
      }),
      { numRuns: runs(100) },
    )
  })

  it('have no plant beside their positions', () => {
    const shorter = Plants.from([{ name: 'a', tag: 'x' }])
    const longer = shorter.append({ name: 'b', tag: 'x' })
    for (const position of [-1, 1]) expect(() => shorter.at(position)).toThrow(RangeError)
    expect(longer.at(1).name).toBe('b')
  })

  it('share their rows with the version that they go on from, and one array for equal access lists', () => {
    const first = Plants.from([{ name: 'a', tag: 'x', access: ['alice', 'bob'] }])
    const added = { name: 'b', tag: 'x', access: ['alice', 'bob'] }
    const second = first.append(added)
    const [one, two] = [second.append(added), second.append({ ...added })]
    expect([one.extends(first), one.extends(second), one.extends(two), two.extends(one)]).toEqual(Array(4).fill(true))
    expect(one.at(2).access).toBe(one.at(1).access)
    expect(second.append({ ...added, tag: 'y' }).extends(one)).toBe(false)
  })
})

describe('a growing set', () => {
  it('equals a set, whatever other versions have added', () => {
    const text = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', '')
    fc.assert(
      fc.property(fc.array(fc.tuple(from, text), { maxLength: 40, size: 'max' }), (additions) => {
        const versions = [{ set: GrowingSet.empty, texts: [] as readonly string[] }]
        for (const [from, text] of additions) {
          const { set, texts } = versions.at(from < 0 ? -1 : from % versions.length) as (typeof versions)[number]
          versions.push({ set: set.with(text), texts: [...new Set([...texts, text])] })
        }
        for (const { set, texts } of versions) {
          expect([set.size, set.toJSON()]).toEqual([texts.length, texts])
          for (const text of ['a', 'b', 'c', 'd', '__proto__', '', 'x'])
            expect(set.has(text)).toBe(texts.includes(text))
          for (const other of versions)
            expect(set.equals(other.set)).toBe(
              texts.length === other.texts.length && texts.every((text) => other.texts.includes(text)),
            )
        }
      }),
      { numRuns: runs(200) },
    )
  })
})
