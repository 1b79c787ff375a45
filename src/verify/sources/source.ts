import type { Learned, Observed } from '../../core/assumptions/file.ts'
import { allValuesOf, assumptionRegistry } from '../../core/assumptions/registry.ts'
import { textOf } from '../read/finding.ts'

export type Source = Learned & {
  readonly file: string
  readonly kind: 'document' | 'recording' | 'learned'
  readonly notes: readonly SourceNote[]
  readonly basePath?: string
  readonly alike?: RecordedAlikeness
}

export type RecordedAlikeness = {
  readonly exchanges: number
  readonly alike: number
  /** The number of exchanges that decided the values. `undefined` if the whole recording was read. */
  readonly valuesFrom?: number
}

export type SourceNote = {
  /**
   * - `unsupported`: behaviour that the contract allows, but the mock cannot imitate.
   * - `contradicts`: behaviour that breaks a rule of the contract.
   * - `outside`: operations that the contract does not define.
   */
  readonly kind: 'unsupported' | 'contradicts' | 'outside'
  readonly place: string
  readonly text: string
  readonly section?: string
  /** If `text` names several things: a sentence about each of them, which `plant-mock diff` compares. */
  readonly statements?: readonly string[]
}

export type Said = { readonly file: string; readonly entry: Observed }

export type Merged = ReturnType<typeof mergeSources>

/** A document ranks last, because observed behaviour and values from an assumptions file are more reliable. */
const ranks = { document: 0, recording: 1, learned: 2 } as const

/** A later source outranks an earlier source of the same kind. */
export const mergeSources = (sources: readonly Source[]) => {
  const ranked = [...sources].reverse().sort((a, b) => ranks[b.kind] - ranks[a.kind])
  const points = assumptionRegistry.map((row) => {
    const all = ranked.flatMap(({ file, entries }) => {
      const entry = entries.get(row.id)
      return entry === undefined ? [] : [{ file, entry }]
    })
    const said = all.flatMap(({ file, entry }): readonly Said[] =>
      entry.unseen === undefined ? [{ file, entry }] : [],
    )
    const [unseen] = all.flatMap(({ entry }) => (entry.unseen === undefined ? [] : [entry]))
    return { id: row.id, said, isOpen: said.length === 0 && allValuesOf(row).length > 1, unseen }
  })
  return {
    said: new Map(points.flatMap(({ id, said: [first] }) => (first === undefined ? [] : [[id, first] as const]))),
    broken: [...new Set(sources.flatMap((source) => source.broken))],
    notes: sources.flatMap(({ notes }) => notes),
    disagreements: points.filter(({ said }) => new Set(said.map(({ entry }) => textOf(entry))).size > 1),
    open: points.filter(({ isOpen }) => isOpen).map(({ id, unseen: entry }) => ({ id, ...(entry && { entry }) })),
    alike: sources.flatMap(({ file, alike }) => (alike === undefined ? [] : { file, ...alike })),
    basePath: ranked.find(({ basePath }) => basePath !== undefined)?.basePath,
  }
}

export const placeOf = ({ file, entry }: Said): string => entry.place ?? file
