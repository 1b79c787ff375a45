import type { Entry } from '../../core/assumptions/file.ts'
import { type AssumptionId, allValuesOf, assumptionRegistry } from '../../core/assumptions/registry.ts'
import type { Source } from './load.ts'
import type { RecordingReading, SourceNote } from './source.ts'

type Unseen = Extract<Entry, { readonly unseen: string }>

type Said = { readonly file: string; readonly entry: Exclude<Entry, Unseen> }

export type Merged = {
  readonly said: ReadonlyMap<AssumptionId, Said>
  readonly broken: readonly string[]
  readonly notes: readonly SourceNote[]
  /** Points where sources differ. The first value in `said` counts. */
  readonly disagreements: readonly { readonly id: AssumptionId; readonly said: readonly Said[] }[]
  readonly open: readonly { readonly id: AssumptionId; readonly entry?: Unseen }[]
  readonly alike: readonly (RecordingReading['alike'] & { readonly file: string })[]
  readonly basePath: string | undefined
}

/** Observed values, and values set on purpose, outrank a document. */
const ranks = { document: 0, recording: 1, learned: 2 } as const

export const mergeSources = (sources: readonly Source[]): Merged => {
  const ranked = [...sources].reverse().sort((a, b) => ranks[b.kind] - ranks[a.kind])
  const saidAt = (id: AssumptionId): readonly Said[] =>
    ranked.flatMap(({ file, entries }) => {
      const entry = entries.get(id)
      return entry === undefined || 'unseen' in entry ? [] : [{ file, entry }]
    })
  const all = assumptionRegistry.map((row) => ({
    id: row.id,
    isVaried: allValuesOf(row).length > 1,
    said: saidAt(row.id),
  }))
  return {
    said: new Map(all.flatMap(({ id, said: [first] }) => (first === undefined ? [] : [[id, first]]))),
    broken: [...new Set(sources.flatMap((source) => (source.kind === 'learned' ? source.broken : [])))],
    notes: sources.flatMap(({ notes }) => notes),
    disagreements: all.filter(({ said }) => new Set(said.map(textOf)).size > 1),
    open: all
      .filter(({ said, isVaried }) => said.length === 0 && isVaried)
      .map(({ id }) => {
        const [entry] = ranked.flatMap(({ entries }) => {
          const found = entries.get(id)
          return found !== undefined && 'unseen' in found ? [found] : []
        })
        return { id, ...(entry !== undefined && { entry }) }
      }),
    alike: sources.flatMap((source) => ('alike' in source ? { file: source.file, ...source.alike } : [])),
    basePath: ranked.find(({ basePath }) => basePath !== undefined)?.basePath,
  }
}

export const textOf = ({ entry }: Said): string => ('value' in entry ? String(entry.value) : entry.other)

export const placeOf = ({ file, entry }: Said): string => entry.place ?? file
