import type { Finding, Report } from '../../util/report.ts'
import { plural } from '../../util/words.ts'
import { type Merged, placeOf, textOf } from '../sources/merge.ts'
import type { SourceNote } from '../sources/source.ts'

export const sourcesReport = (merged: Merged, files: readonly string[], next: readonly string[]): Report => {
  const { said, disagreements, open, notes, alike } = merged
  const set = [...said].filter(([, { entry }]) => 'value' in entry)
  const others = [...said].filter(([, { entry }]) => 'other' in entry)
  const verdict = `${set.length === 0 ? 'No assumption is' : plural(set.length, 'assumption') + (set.length === 1 ? ' is' : ' are')} set by ${files.join(', ')}.`
  /** Shortens a place: omits the name of a single file, which the verdict has; omits the folders of several files. */
  const shown = (place: string): string => {
    const file = files.find((one) => place.startsWith(`${one}: `))
    if (file === undefined) return place
    return place.slice(files.length === 1 ? file.length + 2 : file.lastIndexOf('/') + 1)
  }
  const those = (kind: SourceNote['kind']) => notes.filter((note) => note.kind === kind)
  const noted = (kind: SourceNote['kind']): readonly Finding[] =>
    those(kind).map(({ text, section = '', place }) => ({
      name: text,
      outcome: 'noted',
      section,
      reason: shown(place),
    }))
  return {
    command: 'learn',
    verdict,
    style: 'bold',
    facts: alike.map(({ file, exchanges, alike, valuesFrom }) => {
      const from = valuesFrom === undefined ? '' : ` The values are from its first ${plural(valuesFrom, 'exchange')}.`
      return `With these values, the mock answers ${alike} of ${plural(exchanges, 'exchange')} of ${file} alike.${from}`
    }),
    sections: [
      {
        title: 'Set',
        layout: 'rows',
        findings: set.map(([id, one]) => ({
          name: `${id}=${textOf(one)}`,
          outcome: 'passed',
          reason: shown(placeOf(one)),
        })),
      },
      {
        title: 'Seen, but the mock has no such value',
        layout: 'rows',
        findings: others.map(([id, one]) => {
          const nearest = 'nearest' in one.entry ? `; nearest: ${one.entry.nearest}` : ''
          return { name: `${id}: ${textOf(one)}${nearest}`, outcome: 'noted', reason: shown(placeOf(one)) }
        }),
      },
      {
        title: 'The sources disagree; the first line counts',
        layout: 'rows',
        findings: disagreements.flatMap(({ id, said }) =>
          said.map((one) => ({
            name: `${id}=${textOf(one)}`,
            outcome: 'noted' as const,
            reason: shown(placeOf(one)),
          })),
        ),
      },
      { title: 'Against the contract', findings: noted('contradicts') },
      { title: 'Not supported', findings: noted('unsupported') },
      {
        title: 'Outside of the contract, and not served; serve it with --handlers FILE',
        layout: 'names',
        findings: those('outside').map(({ text }) => ({ name: text, outcome: 'skipped' })),
      },
      {
        title: 'Open',
        layout: 'names',
        findings: open.map((one) => {
          const reason = reasonOf(one)
          return { name: one.id, outcome: 'skipped', ...(reason !== undefined && { reason }) }
        }),
      },
    ],
    notes: [],
    next,
    data: sourcesData(verdict, merged),
  }
}

const sourcesData = (verdict: string, { said, disagreements, notes, open, alike, basePath }: Merged) => ({
  verdict,
  assumptions: [...said].map(([id, one]) => ({ id, ...one.entry, place: placeOf(one) })),
  disagreements: disagreements.map(({ id, said }) => ({
    id,
    said: said.map((one) => ({ ...one.entry, place: placeOf(one) })),
  })),
  notes,
  open: open.map(({ id, entry }) => ({ id, ...entry })),
  ...(alike.length > 0 && { alike }),
  ...(basePath !== undefined && { basePath }),
})

const reasonOf = ({ entry }: Merged['open'][number]): string | undefined => {
  if (entry?.nearest === undefined) return entry?.unseen
  return `${entry.unseen}; the mock takes ${entry.nearest}`
}
