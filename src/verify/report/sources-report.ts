import { renderReport, type Screen } from '../../util/report.ts'
import { printableJson } from '../../util/terminal.ts'
import { plural } from '../../util/words.ts'
import { type Merged, placeOf, textOf } from '../sources/merge.ts'
import type { SourceNote } from '../sources/source.ts'

type RenderOptions = {
  readonly format: 'text' | 'json'
  readonly screen: Screen
  readonly files: readonly string[]
  /** The commands to run next. */
  readonly next: readonly string[]
}

/** Renders on one screen what sources say about the service: values with places, notes by kind, and open points. */
export const renderSources = (merged: Merged, { format, screen, files, next }: RenderOptions): string => {
  const { said, disagreements, open, notes, alike } = merged
  const set = [...said].filter(([, { entry }]) => 'value' in entry)
  const others = [...said].filter(([, { entry }]) => 'other' in entry)
  const verdict = `${set.length === 0 ? 'No assumption is' : plural(set.length, 'assumption') + (set.length === 1 ? ' is' : ' are')} set by ${files.join(', ')}.`
  if (format === 'json') return `${printableJson(sourcesJson(verdict, merged), 2)}\n`
  /** Shortens a place: omits the name of a single file, which the verdict has; omits the folders of several files. */
  const shown = (place: string): string => {
    const file = files.find((one) => place.startsWith(`${one}: `))
    if (file === undefined) return place
    return place.slice(files.length === 1 ? file.length + 2 : file.lastIndexOf('/') + 1)
  }
  const those = (kind: SourceNote['kind']) => notes.filter((note) => note.kind === kind)
  const noted = (kind: SourceNote['kind']) =>
    those(kind).map(({ text, section = '', place }) => ({ name: text, section, reasons: [shown(place)] }))
  const outside = those('outside').map(({ text }) => text)
  return renderReport(
    {
      verdict,
      style: 'bold',
      facts: alike.map(({ file, exchanges, alike, valuesFrom }) => {
        const from = valuesFrom === undefined ? '' : ` The values are from its first ${plural(valuesFrom, 'exchange')}.`
        return `With these values, the mock answers ${alike} of ${plural(exchanges, 'exchange')} of ${file} alike.${from}`
      }),
      sections: [
        { title: 'Set', rows: set.map(([id, one]) => [`${id}=${textOf(one)}`, shown(placeOf(one))]) },
        {
          title: 'Seen, but the mock has no such value',
          rows: others.map(([id, one]) => {
            const nearest = 'nearest' in one.entry ? `; nearest: ${one.entry.nearest}` : ''
            return [`${id}: ${textOf(one)}${nearest}`, shown(placeOf(one))]
          }),
        },
        {
          title: 'The sources disagree; the first line counts',
          rows: disagreements.flatMap(({ id, said }) =>
            said.map((one) => [`${id}=${textOf(one)}`, shown(placeOf(one))] as const),
          ),
        },
        { title: 'Against the contract', findings: noted('contradicts') },
        { title: 'Not supported', findings: noted('unsupported') },
        { title: 'Outside of the contract', sentences: outside.length === 0 ? [] : [outside.join('; ')] },
        {
          title: 'Open',
          sentences: [...new Set(open.map(reasonOf))].map((reason) => {
            const ids = open.filter((one) => reasonOf(one) === reason).map(({ id }) => id)
            return `${ids.join(', ')}${reason === undefined ? '' : `: ${reason}`}`
          }),
        },
      ],
      notes: [],
      next,
    },
    screen,
  )
}

const sourcesJson = (verdict: string, { said, disagreements, notes, open, alike, basePath }: Merged) => ({
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
