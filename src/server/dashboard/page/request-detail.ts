import type { JournalEntry, JournalLine, Message } from '../../../core/journal/entry.ts'
import { plural } from '../../../util/words.ts'
import { baseUrl } from './api.ts'
import { asCurl, asTest } from './copy-request.ts'
import { button, type Child, div, h, statusText } from './dom.ts'
import { citation, say } from './view.ts'

/**
 * The cause of a response: a value such as `list.order=newest`, `fault: reset`, `upstream`; then the delay of a fault.
 */
export const sourceText = ({ source, decided, fault, delay }: JournalLine): string =>
  `${fault === undefined ? (decided ?? source) : `fault: ${fault}`}${delay === undefined ? '' : ` +${Math.round(delay)} ms`}`

type Actions = Readonly<Record<'close' | 'sendAgain' | 'edit', () => void>>

export const requestDetail = (entry: JournalEntry, { close, sendAgain, edit }: Actions): Child[] => [
  div('head', h('h2', {}, `${entry.method} ${entry.url}`), button('Close', close, { class: 'close' })),
  h(
    'p',
    { class: 'tools' },
    button('Send again', sendAgain, { class: 'small', disabled: entry.request.bodyOmitted }),
    button('Edit and send', edit, { class: 'small', disabled: entry.request.bodyOmitted, 'aria-haspopup': 'dialog' }),
    button(
      'Copy as curl',
      () => copy('curl', asCurl(entry, baseUrl), ' Set the variable TOKEN to the caller’s token.'),
      { class: 'small' },
    ),
    button('Copy as Vitest test', () => copy('Vitest test', asTest(entry)), { class: 'small' }),
  ),
  h(
    'dl',
    {},
    ...pairs([
      ['Status', statusText(entry.status)],
      ['Operation', entry.operation ?? 'not in the contract'],
      ['Caller', entry.caller ?? 'not authenticated'],
      ['Time', `${entry.time}, ${entry.milliseconds.toFixed(1)} ms`],
      ['Source', sourceText(entry)],
      ['Assumptions', assumptionLinks(entry.assumptions)],
      ...(entry.problem === undefined ? [] : ([['Problem', entry.problem]] as const)),
    ]),
  ),
  ...entry.violations.map(({ in: part, section, detail }) =>
    h('p', { class: 'violation' }, `The ${part} violates `, citation(section), `: ${detail}`),
  ),
  entry.violationsOmitted !== undefined && h('p', { class: 'violation' }, `${entry.violationsOmitted} more violations`),
  ...messageParts('Request', entry.request),
  ...messageParts('Response', entry.response),
]

const copy = (format: string, text: string, hint = ''): Promise<void> =>
  navigator.clipboard.writeText(text).then(
    () => say(`Copied as ${format}.${hint}`),
    () => say('The browser blocks access to the clipboard.'),
  )

/** Each link leads to the row of the assumption. */
const assumptionLinks = (ids: readonly string[]): HTMLElement | string =>
  ids.length === 0
    ? 'none'
    : h('span', {}, ...ids.flatMap((id, index) => [index > 0 && ', ', h('a', { href: `#assumptions/${id}` }, id)]))

const pairs = (rows: readonly (readonly [string, HTMLElement | string])[]): HTMLElement[] =>
  rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])

const messageParts = (title: string, { headers, body, bodyOmitted, json }: Message): Child[] => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  const text = json === undefined ? body : JSON.stringify(json, null, 2)
  return [
    h('h3', {}, title),
    body !== undefined && h('pre', { tabindex: 0, 'aria-label': `${title}: body` }, text),
    bodyOmitted && h('p', {}, 'The body is not kept: it is not UTF-8, too large, or was evicted.'),
    h(
      'details',
      {},
      h('summary', {}, plural(lines.length, 'header')),
      h('pre', { tabindex: 0, 'aria-label': `${title}: headers` }, lines.join('\n') || 'none'),
    ),
  ]
}
