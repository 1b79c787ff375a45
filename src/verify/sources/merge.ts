import type { Entry, Observed } from '../../core/assumptions/file.ts'
import { type AssumptionId, allValuesOf, assumptionRegistry } from '../../core/assumptions/registry.ts'
import { textOf } from '../read/finding.ts'
import type { RecordedAlikeness, Source, SourceNote } from './source.ts'

export type Said = { readonly file: string; readonly entry: Observed }

export type Merged = {
  readonly said: ReadonlyMap<AssumptionId, Said>
  readonly broken: readonly string[]
  readonly notes: readonly SourceNote[]
  /** The first value in `said` counts. */
  readonly disagreements: readonly { readonly id: AssumptionId; readonly said: readonly Said[] }[]
  /** `entry` has the reason that a recording gives. */
  readonly open: readonly { readonly id: AssumptionId; readonly entry?: Entry }[]
  readonly alike: readonly (RecordedAlikeness & { readonly file: string })[]
  readonly basePath: string | undefined
}

/** Observed values, and values set on purpose, outrank a document. */
const ranks = { document: 0, recording: 1, learned: 2 } as const

/** A later source outranks an earlier source of the same kind. */
export const mergeSources = (sources: readonly Source[]): Merged => {
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
    said: new Map(points.flatMap(({ id, said: [first] }) => (first === undefined ? [] : [[id, first]]))),
    broken: [...new Set(sources.flatMap((source) => source.broken))],
    notes: sources.flatMap(({ notes }) => notes),
    disagreements: points.filter(({ said }) => new Set(said.map(({ entry }) => textOf(entry))).size > 1),
    open: points
      .filter(({ isOpen }) => isOpen)
      .map(({ id, unseen }) => ({ id, ...(unseen !== undefined && { entry: unseen }) })),
    alike: sources.flatMap(({ file, alike }) => (alike === undefined ? [] : { file, ...alike })),
    basePath: ranked.find(({ basePath }) => basePath !== undefined)?.basePath,
  }
}

export const placeOf = ({ file, entry }: Said): string => entry.place ?? file
