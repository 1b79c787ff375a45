import type { JournalEntry, JournalLine, Message } from '../../journal/entry.ts'
import { baseUrl } from './api.ts'
import { asCurl, asTest } from './copy-request.ts'
import { button, div, h } from './dom.ts'
import { citation } from './sections.ts'
import { say } from './view.ts'

/** The source of a response with fault and delay, such as `fault: status +120 ms`. */
export const sourceText = ({ source, fault, delay }: JournalLine): string =>
  `${source}${fault === undefined ? '' : `: ${fault}`}${delay === undefined ? '' : ` +${Math.round(delay)} ms`}`

/** The elements that show one request with its response. */
export const requestDetail = (entry: JournalEntry, close: () => void): HTMLElement[] => [
  div('head', h('h2', {}, `${entry.method} ${entry.url}`), button('Close', close, { class: 'close' })),
  h(
    'p',
    { class: 'tools' },
    button('Copy as curl', () =>
      copy('curl', asCurl(entry, baseUrl), ' Set the variable TOKEN to the token of the caller.'),
    ),
    button('Copy as Vitest test', () => copy('Vitest test', asTest(entry))),
  ),
  h(
    'dl',
    {},
    ...pairs([
      ['Status', entry.fault === 'reset' ? 'none (connection reset)' : String(entry.status)],
      ['Operation', entry.operation ?? 'not in the contract'],
      ['Caller', entry.caller ?? 'not authenticated'],
      ['Time', `${entry.time}, ${entry.milliseconds.toFixed(1)} ms`],
      ['Source', sourceText(entry)],
      ['Assumptions', entry.assumptions.join(', ') || 'none'],
      ...(entry.problem === undefined ? [] : ([['Problem', entry.problem]] as const)),
    ]),
  ),
  ...entry.violations.map(({ in: part, section, detail }) =>
    h('p', { class: 'violation' }, `The ${part} violates `, citation(section), `: ${detail}`),
  ),
  ...(entry.violationsOmitted === undefined
    ? []
    : [h('p', { class: 'violation' }, `${entry.violationsOmitted} more violations`)]),
  ...messageParts('Request', entry.request),
  ...messageParts('Response', entry.response),
]

const copy = (format: string, text: string, hint = ''): Promise<void> =>
  navigator.clipboard.writeText(text).then(
    () => say(`Copied as ${format}.${hint}`),
    () => say('The browser blocks access to the clipboard.'),
  )

const pairs = (rows: readonly (readonly [string, string])[]): HTMLElement[] =>
  rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])

const messageParts = (title: string, { headers, body, bodyOmitted, json }: Message): HTMLElement[] => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = json === undefined ? body : JSON.stringify(json, null, 2)
  return [
    h('h3', {}, title),
    h('pre', { tabindex: 0, 'aria-label': `${title}: headers` }, lines.join('\n') || 'no headers'),
    ...(body === undefined ? [] : [h('pre', { tabindex: 0, 'aria-label': `${title}: body` }, text)]),
    ...(bodyOmitted
      ? [h('p', {}, 'The body is not kept: it is not UTF-8, too large, or older than 32 MB of others.')]
      : []),
  ]
}
