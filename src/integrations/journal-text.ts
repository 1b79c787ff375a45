import type { ActiveFault } from '../faults/faults.ts'
import type { JournalEntry } from '../journal/entry.ts'

/** How many requests a report shows: the latest. */
const most = 20
/** How many characters of a body it shows. */
const longestBody = 300

/**
 * What a test asked of the mock, for the report of its failure: empty when it asked nothing and set no fault in vain.
 * No token is in it, as none is in the journal.
 */
export const renderJournal = (entries: readonly JournalEntry[], pending: readonly ActiveFault[]): string => {
  const shown = entries.slice(-most)
  const earlier = entries.length - shown.length
  const requests = [
    `Requests to the mock in this test: ${entries.length}`,
    ...(earlier === 0 ? [] : [`  … ${earlier} earlier`]),
    ...shown.flatMap(linesOf),
  ]
  const faults = [
    'Faults that have not met all the requests they are for:',
    ...pending.map(({ name, hits }) => `  ${name} (met: ${hits})`),
  ]
  return [
    ...(entries.length === 0 ? [] : [requests.join('\n')]),
    ...(pending.length === 0 ? [] : [faults.join('\n')]),
  ].join('\n\n')
}

const linesOf = ({
  id,
  method,
  url,
  status,
  request,
  response,
  caller,
  violations,
  ...answer
}: JournalEntry): string[] => {
  const parts = [
    `${method} ${url}`,
    answer.fault === 'reset' ? 'no answer' : status,
    ...(caller === undefined ? [] : [caller]),
    sourceOf(answer),
  ]
  return [
    `  ${id}  ${plain(parts.join('  '))}`,
    ...(request.body ? [`     sent  ${bodyOf(request)}`] : []),
    ...(response.body && answer.fault !== 'reset' ? [`     got   ${bodyOf(response)}`] : []),
    ...violations.map(
      (violation) =>
        `     ${violation.in} not as the contract shows (${violation.section}): ${plain(violation.detail)}`,
    ),
  ]
}

const sourceOf = ({ source, assumptions, fault, delay }: Partial<JournalEntry>): string => {
  const late = delay === undefined ? '' : `, ${Math.round(delay)} ms late`
  if (source === 'fault') return `fault: ${fault}${late}`
  return `${source === 'assumption' ? `assumed: ${assumptions?.join(', ')}` : source}${late}`
}

const bodyOf = ({ body = '', json }: JournalEntry['request' | 'response']): string => {
  const text = plain(json === undefined ? body : JSON.stringify(json))
  return text.length > longestBody ? `${text.slice(0, longestBody)}… (${text.length} characters)` : text
}

/** On one line, and with nothing in it that a terminal obeys or that turns the direction of the text. */
const plain = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]+/gu, ' ')
