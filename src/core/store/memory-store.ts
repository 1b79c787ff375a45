import type { PlantDraft } from '../contract/schemas.ts'
import type { CreateResult, ListOptions, OnDuplicate, PlantChanges, PlantStore, StoredPlant } from './plant-store.ts'
import { PlantTable, plantTable, type TableRow, tableOfRows, toRow } from './plant-table.ts'

/** A store whose methods are synchronous. */
export type MemoryStore = {
  [Name in Exclude<keyof PlantStore, 'callerKey' | 'count' | 'rows' | 'change'>]: (
    ...args: Parameters<PlantStore[Name]>
  ) => Awaited<ReturnType<PlantStore[Name]>>
} & {
  count(): number
  rows(): Generator<TableRow>
  /** @param commit Receives all plants after the change, before it is made; if it throws, nothing changes. */
  change(
    decide: (plants: Iterable<StoredPlant>) => PlantChanges,
    commit?: (plants: Iterable<TableRow>) => void,
  ): ReadonlyMap<TableRow, TableRow | undefined>
  findDuplicate(caller: string, id: number | undefined, onDuplicate: OnDuplicate): TableRow | undefined
  /** The result that a create would have, without any change. */
  preview(...args: Parameters<PlantStore['create']>): CreateResult
}

/**
 * Makes the default store: a table of fixtures, which sessions and snapshots share, and a table of its own for the plants
 * after these. A create takes O(1) and a list O(limit) time, independent of the number of plants.
 */
export const memoryStore = (): MemoryStore => {
  let base = noPlants
  let own = new PlantTable()

  const begin = (table: PlantTable, added = new PlantTable(table.nextSeq)): void => {
    base = table
    own = added
  }

  const replace = (row: TableRow): void => {
    // Rows of the shared table cannot be replaced there.
    if (row.seq < (own.rows[0]?.seq ?? Number.POSITIVE_INFINITY)) begin(noPlants, tableOfRows(rows()))
    own.replace(row)
  }

  const count = (): number => base.length + own.length

  /** The plants of now, even if others take their place while they are read. */
  function* rows(): Generator<TableRow> {
    const added = [...own.rows]
    yield* base.rows
    yield* added
  }

  const findDuplicate: MemoryStore['findDuplicate'] = (caller, id, onDuplicate) => {
    if (id === undefined || onDuplicate === 'accept') return undefined
    return (
      own.find(caller, id) ??
      base.find(caller, id) ??
      own.find(undefined, id) ??
      base.find(undefined, id) ??
      (onDuplicate === 'conflict-everywhere' ? (own.findAnywhere(id) ?? base.findAnywhere(id)) : undefined)
    )
  }

  const preview = (caller: string, plant: PlantDraft, onDuplicate: OnDuplicate) => {
    const existing = findDuplicate(caller, plant.id, onDuplicate)
    if (existing === undefined)
      return { outcome: 'created', plant: toRow(own.nextSeq, plant, own.sharedAccess([caller])) } as const
    if (onDuplicate === 'replace')
      return { outcome: 'replaced', plant: toRow(existing.seq, plant, existing.access) } as const
    return { outcome: onDuplicate === 'idempotent' ? 'existing' : 'conflict', plant: existing } as const
  }

  return {
    preview,

    create(caller, plant, onDuplicate) {
      const result = preview(caller, plant, onDuplicate)
      if (result.outcome === 'created') own.add(result.plant)
      if (result.outcome === 'replaced') replace(result.plant)
      return result
    },

    list(caller, { limit, order }) {
      const rows: TableRow[] = []
      for (const table of order === 'added' ? [base, own] : [own, base])
        merge(table.of(caller), table.of(undefined), { limit, order }, rows)
      return rows
    },

    knows: (caller) => own.knows(caller) || base.knows(caller),

    seed(plants) {
      const table = plantTable(plants)
      if (count() === 0) begin(table)
      else for (const row of table.rows) own.add(toRow(own.nextSeq, row, row.access))
    },

    all: () => [...rows()],

    rows,

    count,

    replaceAll: (plants) => begin(plantTable(plants)),

    findDuplicate,

    change(decide, commit) {
      const changes = new Map<TableRow, TableRow | undefined>()
      for (const [plant, next] of decide(rows())) {
        const row = plant as TableRow
        changes.set(row, next && toRow(row.seq, next, next.access))
      }
      if (changes.size === 0) return changes
      const changed = [...rows()].flatMap((row) => (changes.has(row) ? (changes.get(row) ?? []) : row))
      commit?.(changed)
      begin(noPlants, tableOfRows(changed))
      return changes
    },

    snapshot() {
      const table = base
      const added = [...own.rows]
      return () => begin(table, tableOfRows(added, table.nextSeq))
    },
  }
}

/** Merges two lists of rows, from the start or from the end, until there are `limit` in `result`. */
const merge = (a: readonly TableRow[], b: readonly TableRow[], { limit, order }: ListOptions, result: TableRow[]) => {
  const isOldestFirst = order === 'added'
  const step = isOldestFirst ? 1 : -1
  let i = isOldestFirst ? 0 : a.length - 1
  let j = isOldestFirst ? 0 : b.length - 1
  while (result.length < limit) {
    const left = a[i]
    const right = b[j]
    if (left !== undefined && (right === undefined || left.seq < right.seq === isOldestFirst)) {
      result.push(left)
      i += step
    } else if (right !== undefined) {
      result.push(right)
      j += step
    } else return
  }
}

const noPlants = new PlantTable()
