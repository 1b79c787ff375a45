import { lineWidth, type Paint, plain, printable, printableJson, wrap } from '../../util/terminal.ts'
import { shorten } from '../../util/text.ts'
import { plural } from '../../util/words.ts'
import { type Merged, placeOf, textOf } from '../sources/merge.ts'
import type { SourceNote } from '../sources/source.ts'

/** What sources say about the service, on one screen: values with places, notes by kind, what stays open. */
export const renderSources = (
  merged: Merged,
  {
    format,
    paint = plain,
    files,
  }: { readonly format: 'text' | 'json'; readonly paint?: Paint; readonly files: readonly string[] },
): string => {
  const { said, disagreements, open, notes, alike, basePath } = merged
  if (format === 'json')
    return `${printableJson(
      {
        assumptions: [...said].map(([id, one]) => ({ id, ...one.entry, place: placeOf(one) })),
        disagreements: disagreements.map(({ id, said }) => ({
          id,
          said: said.map((one) => ({ ...one.entry, place: placeOf(one) })),
        })),
        notes,
        open: open.map(({ id, entry }) => ({ id, ...entry })),
        ...(alike.length > 0 && { alike }),
        ...(basePath !== undefined && { basePath }),
      },
      2,
    )}\n`
  /** The heading names an only file; of several, the last parts of their paths tell which. */
  const shown = (place: string): string => {
    const file = files.find((one) => place.startsWith(`${one}: `))
    if (file === undefined) return place
    return place.slice(files.length === 1 ? file.length + 2 : file.lastIndexOf('/') + 1)
  }
  const set = [...said].filter(([, { entry }]) => 'value' in entry)
  const others = [...said].filter(([, { entry }]) => 'other' in entry)
  const names = printable(files.join(', '))
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [paint('bold', title), ...lines.map((line) => `  ${line}`), '']
  const those = (kind: SourceNote['kind']) => notes.filter((note) => note.kind === kind)
  return [
    `${set.length === 0 ? 'No assumption is' : plural(set.length, 'assumption') + (set.length === 1 ? ' is' : ' are')} set by ${names}.`,
    '',
    ...section('Set', aligned(set.map(([id, one]) => [`${id}=${textOf(one)}`, shown(placeOf(one))]))),
    ...section(
      'Seen, but not a value that the mock has',
      aligned(
        others.map(([id, one]) => {
          const nearest = 'nearest' in one.entry ? `; nearest: ${one.entry.nearest}` : ''
          return [`${id}: ${textOf(one)}${nearest}`, shown(placeOf(one))]
        }),
      ),
    ),
    ...section(
      'The sources disagree; the first counts',
      disagreements.flatMap(({ id, said }) =>
        aligned(said.map((one) => [`${id}=${textOf(one)}`, shown(placeOf(one))])),
      ),
    ),
    ...section(
      'Against the contract',
      those('contradicts').flatMap((note) => noteLines(note, shown(note.place))),
    ),
    ...section(
      'The mock does not do',
      those('unsupported').flatMap((note) => noteLines(note, shown(note.place))),
    ),
    ...section(
      'Outside of the contract',
      wrap(
        those('outside')
          .map(({ text }) => printable(text))
          .join('; '),
        lineWidth - 2,
      ),
    ),
    ...section(
      'Open',
      [...new Set(open.map(reasonOf))].flatMap((reason) => {
        const ids = open.filter((one) => reasonOf(one) === reason).map(({ id }) => id)
        return wrap(`${ids.join(', ')}${reason === undefined ? '' : `: ${printable(reason)}`}`, lineWidth - 2)
      }),
    ),
    ...alike.flatMap(({ file, exchanges, alike, valuesFrom }) => [
      `With these values, the mock answers ${alike} of ${plural(exchanges, 'exchange')} of ${printable(file)} alike.`,
      ...(valuesFrom === undefined ? [] : [`The values are from its first ${plural(valuesFrom, 'exchange')}.`]),
      '',
    ]),
  ].join('\n')
}

const reasonOf = ({ entry }: Merged['open'][number]): string | undefined => {
  if (entry?.nearest === undefined) return entry?.unseen
  return `${entry.unseen}; the mock takes ${entry.nearest}`
}

/** Wide enough for most values; the place of a longer one is on the next line. */
const maxLeft = 32

const aligned = (pairs: readonly (readonly [string, string])[]): readonly string[] => {
  const width = Math.max(0, ...pairs.map(([left]) => left.length).filter((length) => length <= maxLeft))
  return pairs.flatMap(([left, right]) => {
    const place = shorten(printable(right), lineWidth - width - 4)
    if (left.length <= width) return [`${left.padEnd(width)}  ${place}`]
    return [...wrap(printable(left), lineWidth - 2), `${' '.repeat(width)}  ${place}`]
  })
}

const noteLines = ({ text, section }: SourceNote, place: string): readonly string[] => [
  ...wrap(`${printable(text)}${section === undefined ? '' : ` (contract ${section})`}`, lineWidth - 2),
  `  ${shorten(printable(place), lineWidth - 4)}`,
]
