import type { Caller, FixturePlant } from '../contract/schemas.ts'
import { movesOf, type RowChange } from './moves.ts'
import type { CreateResult, ListOptions, OnDuplicate, PlantChanges, PlantStore, StoredPlant } from './plant-store.ts'
import { PlantTable, plantTable } from './plant-table.ts'
import { type TableRow, toRow } from './row.ts'
import { VisibleRows } from './visible-rows.ts'

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
  /** The plant that a create of this caller with this id would duplicate. */
  findDuplicate(caller: Caller, id: number | undefined, onDuplicate: OnDuplicate): TableRow | undefined
  /** The result that a create would have, without any change. */
  preview(...args: Parameters<PlantStore['create']>): CreateResult
}

/**
 * Makes the default store. It shares the rows of an immutable table, and holds the rows that were added or replaced
 * since. A create takes O(1) and a list O(limit) time, independent of the number of plants.
 */
export const memoryStore = (): MemoryStore => {
  let table = emptyTable
  /** The rows after those of the table; `undefined` for one that was removed. */
  let added: (TableRow | undefined)[] = []
  /** Rows of the table that were replaced, by sequence number; `undefined` for one that was removed. */
  let replaced = new Map<number, TableRow | undefined>()
  /** The number of rows in both that were removed. */
  let removed = 0
  let shared = new VisibleRows(table)
  let byCaller = new Map<Caller, VisibleRows>()
  /** Sequence numbers by id, of every caller; made when `conflict-everywhere` first needs it. */
  let everyId: Map<number, number> | undefined
  /** perf: clients often request an unchanged list again (`npm run bench`, GET). */
  let lastList: (ListOptions & { readonly caller: Caller; readonly rows: readonly TableRow[] }) | undefined

  const rowAt = (seq: number): TableRow =>
    (seq >= table.length ? added[seq - table.length] : replaced.size > 0 ? replaced.get(seq) : undefined) ??
    table.row(seq)

  const visibleTo = (caller: Caller): VisibleRows => {
    let rows = byCaller.get(caller)
    if (rows === undefined) {
      rows = new VisibleRows(table, caller)
      byCaller.set(caller, rows)
    }
    return rows
  }

  const add = (row: TableRow): TableRow => {
    lastList = undefined
    added.push(row)
    if (row.id !== undefined) everyId?.set(row.id, row.seq)
    if (row.access === undefined) shared.add(row.seq, row.id)
    else for (const caller of row.access) visibleTo(caller).add(row.seq, row.id)
    return row
  }

  const nextSeq = (): number => table.length + added.length
  const count = (): number => nextSeq() - removed

  const put = (seq: number, row: TableRow | undefined): void => {
    if (seq < table.length) replaced.set(seq, row)
    else added[seq - table.length] = row
  }

  const replace = (row: TableRow): TableRow => {
    lastList = undefined
    put(row.seq, row)
    return row
  }

  // perf: reads no texts (large stores in `npm run bench`).
  const idOf = (seq: number): number | undefined =>
    seq < table.length && !replaced.has(seq) ? table.id(seq) : rowAt(seq).id

  const reindex = (changes: Iterable<RowChange>): void => {
    everyId = undefined
    lastList = undefined
    for (const [caller, { gone, come }] of movesOf(changes))
      (caller === undefined ? shared : visibleTo(caller)).change(gone, come, idOf)
  }

  const apply = (changes: ReadonlyMap<TableRow, TableRow | undefined>): void => {
    for (const [{ seq }, next] of changes) {
      put(seq, next)
      if (next === undefined) removed++
    }
    // A plant that is created and removed again and again must not use more and more memory.
    while (added.length > 0 && added.at(-1) === undefined) {
      added.pop()
      removed--
    }
    if (count() === 0) begin(emptyTable)
    else reindex(changes)
  }

  /** The plant of any caller with this id. */
  const findAnywhere = (id: number): TableRow | undefined => {
    everyId ??= new Map([...rows()].flatMap((row) => (row.id === undefined ? [] : [[row.id, row.seq]])))
    const seq = everyId.get(id)
    return seq === undefined ? undefined : rowAt(seq)
  }

  /** The rows of now. Rows are immutable. */
  const capture = () => ({ table, added: [...added], replaced: new Map(replaced), removed })

  /** The plants of now, even if others take their place while they are read. */
  function* rows(): Generator<TableRow> {
    const saved = capture()
    for (const row of saved.table.rows()) {
      const current = saved.replaced.has(row.seq) ? saved.replaced.get(row.seq) : row
      if (current !== undefined) yield current
    }
    for (const row of saved.added) if (row !== undefined) yield row
  }

  /** The rows as they will be after changes. */
  function* rowsAfter(changes: ReadonlyMap<TableRow, TableRow | undefined>): Generator<TableRow> {
    const bySeq = new Map([...changes].map(([{ seq }, next]) => [seq, next]))
    for (const row of rows()) {
      const current = bySeq.has(row.seq) ? bySeq.get(row.seq) : row
      if (current !== undefined) yield current
    }
  }

  const begin = (base: PlantTable): void => {
    table = base
    added = []
    replaced = new Map()
    removed = 0
    shared = new VisibleRows(table)
    byCaller = new Map()
    everyId = undefined
    lastList = undefined
  }

  const knows = (caller: Caller): boolean => {
    const rows = byCaller.get(caller)
    return rows === undefined ? table.index.has(caller) : rows.length > 0
  }

  /** The last of a caller's own plants with this id, or of those that every caller may see. */
  const findIn = (rows: VisibleRows | undefined, caller: Caller | undefined, id: number): number | undefined =>
    rows?.find(id) ?? (rows?.isChanged === true ? undefined : table.index.find(caller, id))

  const find = (caller: Caller, id: number): TableRow | undefined => {
    const seq = findIn(byCaller.get(caller), caller, id) ?? findIn(shared, undefined, id)
    return seq === undefined ? undefined : rowAt(seq)
  }

  const findDuplicate: MemoryStore['findDuplicate'] = (caller, id, onDuplicate) => {
    if (id === undefined || onDuplicate === 'accept') return undefined
    const visible = find(caller, id)
    return visible === undefined && onDuplicate === 'conflict-everywhere' ? findAnywhere(id) : visible
  }

  return {
    preview(caller, plant, onDuplicate) {
      const existing = findDuplicate(caller, plant.id, onDuplicate)
      if (existing === undefined) return { outcome: 'created', plant: toRow(nextSeq(), plant, [caller]) }
      if (onDuplicate === 'replace') return { outcome: 'replaced', plant: toRow(existing.seq, plant, existing.access) }
      return { outcome: onDuplicate === 'idempotent' ? 'existing' : 'conflict', plant: existing }
    },

    create(caller, plant, onDuplicate) {
      const existing = findDuplicate(caller, plant.id, onDuplicate)
      if (existing === undefined)
        return { outcome: 'created', plant: add(toRow(nextSeq(), plant, visibleTo(caller).access)) }
      if (onDuplicate === 'replace')
        return { outcome: 'replaced', plant: replace(toRow(existing.seq, plant, existing.access)) }
      return { outcome: onDuplicate === 'idempotent' ? 'existing' : 'conflict', plant: existing }
    },

    list(caller, { limit, order }) {
      if (lastList?.caller === caller && lastList.limit === limit && lastList.order === order) return lastList.rows
      // A caller without plants gets no entry: clients can make up any number of tokens.
      const rows = merge(knows(caller) ? visibleTo(caller) : none, shared, { limit, order }).map(rowAt)
      lastList = rows.length > maxRepeatedRows ? undefined : { caller, limit, order, rows }
      return rows
    },

    knows,

    seed(plants) {
      const rows = tableOf(plants)
      if (count() === 0) begin(rows)
      else for (const row of rows.rows()) add(toRow(nextSeq(), row, row.access))
    },

    all: () => [...rows()],

    rows,

    count,

    replaceAll: (plants) => begin(tableOf(plants)),

    findDuplicate,

    change(decide, commit) {
      const changes = new Map<TableRow, TableRow | undefined>()
      for (const [plant, next] of decide(rows())) {
        const row = plant as TableRow
        changes.set(row, next && toRow(row.seq, next, next.access))
      }
      if (changes.size === 0) return changes
      commit?.(rowsAfter(changes))
      apply(changes)
      return changes
    },

    snapshot() {
      const saved = capture()
      return () => {
        begin(saved.table)
        for (const row of saved.added)
          if (row === undefined) added.push(undefined)
          else add(row)
        replaced = new Map(saved.replaced)
        removed = saved.removed
        reindex([...replaced].map(([seq, row]) => [table.row(seq), row]))
      }
    },
  }
}

const tableOf = (plants: Iterable<FixturePlant>): PlantTable =>
  plants instanceof PlantTable ? plants : plantTable(plants)

/** Merges two ascending lists of sequence numbers, from the start or from the end, up to `limit` of them. */
const merge = (a: Sequences, b: Sequences, { limit, order }: ListOptions): number[] => {
  const isOldestFirst = order === 'added'
  const step = isOldestFirst ? 1 : -1
  const last = isOldestFirst ? maxSequence : -1
  // perf: allocated once, and each list is read once for each element (`npm run bench`, GET).
  const result = new Array<number>(Math.min(limit, a.length + b.length))
  let i = isOldestFirst ? 0 : a.length - 1
  let j = isOldestFirst ? 0 : b.length - 1
  let left = a.at(i) ?? last
  let right = b.at(j) ?? last
  for (let count = 0; count < result.length; count++)
    if (left < right === isOldestFirst) {
      result[count] = left
      i += step
      left = a.at(i) ?? last
    } else {
      result[count] = right
      j += step
      right = b.at(j) ?? last
    }
  return result
}

/** A longer list is not kept, because its rows may take much memory. */
const maxRepeatedRows = 1_000

/** Beyond every sequence number. */
const maxSequence = 2 ** 31 - 1

type Sequences = Pick<VisibleRows, 'length' | 'at'>

const emptyTable = plantTable([])
const none = new VisibleRows(emptyTable)
