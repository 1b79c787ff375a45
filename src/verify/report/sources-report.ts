import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { Outcome, Report, Section } from '../../util/report.ts'
import { plural } from '../../util/words.ts'
import { textOf } from '../read/finding.ts'
import { type Merged, placeOf, type Said, type SourceNote } from '../sources/source.ts'

type Point = readonly [AssumptionId, Said]

const valueText = ([id, one]: Point): string => `${id}=${textOf(one.entry)}`

const otherText = ([id, one]: Point): string =>
  `${id}: ${textOf(one.entry)}${one.entry.nearest !== undefined ? `; nearest: ${one.entry.nearest}` : ''}`

export const sourcesReport = (merged: Merged, files: readonly string[], next: readonly string[]): Report => {
  const { said, disagreements, open, notes, alike } = merged
  const set = [...said].filter(([, { entry }]) => entry.value !== undefined)
  const others = [...said].filter(([, { entry }]) => entry.other !== undefined)
  const verdict = `${set.length === 0 ? 'No assumption is' : plural(set.length, 'assumption') + (set.length === 1 ? ' is' : ' are')} set by ${files.join(', ')}.`
  const shown = (place: string): string => {
    const file = files.find((one) => place.startsWith(`${one}: `))
    if (file === undefined) return place
    return place.slice(files.length === 1 ? file.length + 2 : file.lastIndexOf('/') + 1)
  }
  const noted = (title: string, kind: SourceNote['kind']): Section => ({
    title,
    findings: notes
      .filter((note) => note.kind === kind)
      .map(({ text, section = '', place }) => ({ name: text, outcome: 'noted', section, reason: shown(place) })),
  })
  const rows = (title: string, points: readonly Point[], outcome: Outcome, nameOf = valueText): Section => ({
    title,
    layout: 'rows',
    findings: points.map(([id, one]) => ({ name: nameOf([id, one]), outcome, reason: shown(placeOf(one)) })),
  })
  return {
    command: 'learn',
    verdict,
    style: 'bold',
    facts: alike.map(({ file, exchanges, alike, valuesFrom }) => {
      const from = valuesFrom === undefined ? '' : ` The values are from its first ${plural(valuesFrom, 'exchange')}.`
      return `With these values, the mock answers ${alike} of ${plural(exchanges, 'exchange')} of ${file} alike.${from}`
    }),
    sections: [
      rows('Set', set, 'passed'),
      rows('Seen, but the mock has no such value', others, 'noted', otherText),
      rows(
        'The sources disagree; the first value wins',
        disagreements.flatMap(({ id, said }) => said.map((one) => [id, one] as const)),
        'noted',
      ),
      noted('Contradicts the contract', 'contradicts'),
      noted('Not supported', 'unsupported'),
      {
        title: 'Outside of the contract: not served without --handlers FILE',
        layout: 'names',
        findings: notes
          .filter(({ kind }) => kind === 'outside')
          .map(({ text }) => ({ name: text, outcome: 'skipped' as const })),
      },
      {
        title: 'Open',
        layout: 'names',
        findings: open.map(({ id, entry }) => ({ name: id, outcome: 'skipped', ...reasonIn(entry) })),
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

const reasonIn = (entry: Merged['open'][number]['entry']): { readonly reason?: string } => {
  if (entry === undefined) return {}
  return { reason: `${entry.unseen}${entry.nearest === undefined ? '' : `; the mock takes ${entry.nearest}`}` }
}
