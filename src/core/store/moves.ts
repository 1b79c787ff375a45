import type { Caller } from '../contract/schemas.ts'
import type { TableRow } from './row.ts'

/** A row that changes, with its new form; `undefined` when it is removed. */
export type RowChange = readonly [row: TableRow, next: TableRow | undefined]

/** The sequence numbers of the plants that a caller does not see any more, and of those that it sees in addition. */
export type Moves = { readonly gone: Set<number>; readonly come: number[] }

/**
 * How changes affect the list and the ids of each caller; `undefined` stands for the plants that every caller may see.
 * A caller whose plants keep their ids and access is left out.
 */
export const movesOf = (changes: Iterable<RowChange>): ReadonlyMap<Caller | undefined, Moves> => {
  const moves = new Map<Caller | undefined, Moves>()
  const movesFor = (caller: Caller | undefined): Moves => {
    const known = moves.get(caller)
    if (known !== undefined) return known
    const added: Moves = { gone: new Set(), come: [] }
    moves.set(caller, added)
    return added
  }
  for (const [row, next] of changes) {
    if (next !== undefined && next.id === row.id && next.access === row.access) continue
    const [before, after] = [callersOf(row), callersOf(next)]
    for (const caller of before) {
      // Also where it stays: its id may be another.
      const { gone } = movesFor(caller)
      if (!after.includes(caller)) gone.add(row.seq)
    }
    for (const caller of after) if (!before.includes(caller)) movesFor(caller).come.push(row.seq)
  }
  return moves
}

const callersOf = (row: TableRow | undefined): readonly (Caller | undefined)[] =>
  row === undefined ? [] : (row.access ?? everyCaller)

const everyCaller = [undefined]
