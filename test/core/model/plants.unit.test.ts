import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import { memoryStore } from '../../../src/core/store/memory-store.ts'
import { plantTable } from '../../../src/core/store/plant-table.ts'
import { runs } from '../../support/runs.ts'

const callers = ['alice', 'bob', 'carol', 'dave']
const id = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom(-0, 2 ** 32, 3 * 2 ** 40), fc.maxSafeInteger())
const plant: fc.Arbitrary<FixturePlant> = fc.record(
  {
    id,
    name: fc.string(),
    tag: fc.constantFrom('fern', 'climber'),
    access: fc.array(fc.constantFrom(...callers.slice(0, 3)), { maxLength: 4 }),
  },
  { requiredKeys: ['name', 'tag'] },
)

const belongsTo = ({ access }: FixturePlant, caller: string | undefined): boolean =>
  caller === undefined ? access === undefined : access?.includes(caller) === true

describe('a table of plants', () => {
  it('finds the plants of each caller, and the last one with an id, as a scan does', () => {
    fc.assert(
      fc.property(fc.array(plant, { maxLength: 200 }), fc.array(id), (plants, others) => {
        const table = plantTable(plants)
        const ids = [...plants.flatMap(({ id = [] }) => id), ...others]
        for (const caller of [...callers, undefined]) {
          expect(table.of(caller).map(({ seq }) => seq)).toEqual(
            plants.flatMap((plant, position) => (belongsTo(plant, caller) ? position : [])),
          )
          for (const id of ids) {
            const position = plants.findLastIndex((plant) => plant.id === id && belongsTo(plant, caller))
            expect(table.find(caller, id)?.seq).toBe(position === -1 ? undefined : position)
          }
        }
        expect(callers.map((caller) => table.knows(caller))).toEqual(
          callers.map((caller) => plants.some((plant) => belongsTo(plant, caller))),
        )
      }),
      { numRuns: runs(200) },
    )
  })

  it('returns the plants as they were, without repeated callers', () => {
    fc.assert(
      fc.property(fc.array(plant, { maxLength: 50 }), (plants) => {
        expect([...plantTable(plants)]).toEqual(
          plants.map(({ access, ...rest }) => ({ ...rest, ...(access && { access: [...new Set(access)] }) })),
        )
      }),
      { numRuns: runs(200) },
    )
  })

  it('keeps one array for all equal access lists', () => {
    const table = plantTable(['a', 'b'].map((name) => ({ name, tag: 'fern', access: ['alice', 'bob'] })))
    expect(table.rows[1]?.access).toBe(table.rows[0]?.access)
  })
})

describe('stores over one table', () => {
  const list = { limit: Number.POSITIVE_INFINITY, order: 'added' } as const
  const table = plantTable([
    { id: 1, name: 'Fern', tag: 'fern' },
    { id: 2, name: 'Ivy', tag: 'climber', access: ['alice'] },
  ])
  const storeOver = () => {
    const store = memoryStore()
    store.seed(table)
    return store
  }

  it('share its rows', () => {
    const [first, second] = [storeOver(), storeOver()]
    const rows = second.list('alice', list)
    expect(first.list('alice', list).map((row, i) => row === rows[i])).toEqual([true, true])
  })

  it('do not see what another one adds or replaces', () => {
    const [first, second] = [storeOver(), storeOver()]
    first.create('alice', { id: 2, name: 'Oak', tag: 'tree' }, 'replace')
    first.create('alice', { id: 3, name: 'Yew', tag: 'tree' }, 'conflict')
    expect(first.list('alice', list).map(({ name }) => name)).toEqual(['Fern', 'Oak', 'Yew'])
    expect(second.list('alice', list).map(({ name }) => name)).toEqual(['Fern', 'Ivy'])
  })

  it('read the plants of one moment, whatever is replaced and added meanwhile', () => {
    const store = storeOver()
    store.create('alice', { id: 3, name: 'Yew', tag: 'tree' }, 'conflict')
    const rows = store.rows()
    const first = rows.next().value?.name
    for (const id of [2, 3, 4]) store.create('alice', { id, name: 'Elm', tag: 'tree' }, 'replace')
    expect([first, ...Array.from(rows, ({ name }) => name)]).toEqual(['Fern', 'Ivy', 'Yew'])
  })

  it('restore replaced plants of the table from a snapshot, any number of times', () => {
    const store = storeOver()
    store.create('alice', { id: 1, name: 'Oak', tag: 'tree' }, 'replace')
    const restore = store.snapshot()
    for (const name of ['Elm', 'Ash']) {
      store.create('alice', { id: 1, name, tag: 'tree' }, 'replace')
      restore()
      expect(store.all().map((row) => row.name)).toEqual(['Oak', 'Ivy'])
    }
  })
})
