import type { JournalLine } from '../mock/journal.ts'

/** A journal in words, one line an exchange: method, address, status, caller, source, and where it departs. */
export const journalText = (entries: readonly JournalLine[]): string =>
  entries.length === 0 ? 'No request came to the mock.\n' : `${entries.map(lineOf).join('\n')}\n`

const lineOf = (entry: JournalLine): string =>
  [
    `${entry.method} ${entry.url}`,
    String(entry.status),
    entry.caller ?? '-',
    sourceOf(entry),
    ...entry.departures.map(({ section, detail }) => `departs from contract.md ${section}: ${detail}`),
  ].join('  ')

const sourceOf = ({ source, assumptions, fault, delay }: JournalLine): string =>
  [
    source,
    ...(source === 'assumption' ? assumptions : []),
    ...(fault === undefined ? [] : [fault]),
    ...(delay === undefined ? [] : [`${Math.round(delay)} ms late`]),
  ].join(' ')
