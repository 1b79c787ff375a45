import type { RequestsEvent } from '../../control/events.ts'
import type { JournalEntry, JournalLine, Message } from '../../journal/entry.ts'
import { ask } from './api.ts'
import { asCurl, asTest } from './copy-request.ts'
import { button, field, h } from './dom.ts'
import type { View } from './view.ts'

/** As many as the mock's journal keeps. */
const mostKept = 1_000
/** As many as anyone looks at; a filter finds the others. */
const mostShown = 200

/** Where the service is, as clients of this mock see it. */
const base = () => new URL('..', location.href).href.replace(/\/$/, '')

export const requestsView = (say: (text: string) => void): View => {
  let lines: JournalLine[] = []
  let paused = false
  let missed = 0
  let open: number | undefined
  let drawing = false

  const filter = h('input', { type: 'search', placeholder: 'path, status, caller…', oninput: () => draw() })
  const departing = h('input', { type: 'checkbox', onchange: () => draw() })
  const pause = button('Pause', () => setPaused(!paused), { 'aria-pressed': 'false' })
  const body = h('tbody')
  const count = h('p', { class: 'quiet', role: 'status' })
  const detail = h('section', { class: 'detail', 'aria-label': 'Request', hidden: true })
  const table = h(
    'table',
    { class: 'requests' },
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        ...['Time', 'Method', 'Path', 'Status', 'Caller', 'Source', 'ms'].map((text) =>
          h('th', { scope: 'col', class: text === 'Status' ? undefined : text.toLowerCase() }, text),
        ),
      ),
    ),
    body,
  )
  const element = h(
    'div',
    { class: 'split' },
    h(
      'div',
      {},
      h(
        'div',
        { class: 'tools' },
        field('Filter', filter),
        h('label', { class: 'check' }, departing, 'violates the contract'),
        pause,
        button('Clear', () => void clear()),
      ),
      h('div', { class: 'scroll' }, table),
      count,
    ),
    detail,
  )

  const setPaused = (value: boolean): void => {
    paused = value
    pause.textContent = paused ? 'Go on' : 'Pause'
    pause.setAttribute('aria-pressed', String(paused))
    if (!paused) void load()
  }

  const clear = async (): Promise<void> => {
    await ask('DELETE', 'requests')
    close()
    await load()
  }

  const load = async (): Promise<void> => {
    const { requests } = await ask<{ requests: JournalEntry[] }>('GET', 'requests')
    lines = requests.toReversed()
    missed = 0
    draw()
  }

  const matches = (line: JournalLine): boolean => {
    if (departing.checked && line.violations.length === 0) return false
    const wanted = filter.value.trim().toLowerCase()
    if (wanted === '') return true
    const text = `${line.method} ${line.url} ${line.status} ${line.caller ?? ''} ${sourceText(line)} ${line.problem ?? ''}`
    return wanted.split(/\s+/).every((word) => text.toLowerCase().includes(word))
  }

  /** At most once a frame, however many come. */
  const draw = (): void => {
    if (drawing) return
    drawing = true
    requestAnimationFrame(() => {
      drawing = false
      const found = lines.filter(matches)
      body.replaceChildren(...found.slice(0, mostShown).map(row))
      count.textContent = summary(found.length)
    })
  }

  const summary = (found: number): string => {
    if (lines.length === 0) return 'No requests yet. Send one, and it is here.'
    const shown = found > mostShown ? `the latest ${mostShown} of ${found}` : `${found}`
    const waiting = paused && missed > 0 ? `; ${missed} more since the pause` : ''
    return `${shown} ${found === 1 ? 'request' : 'requests'}${found === lines.length ? '' : ` of ${lines.length}`}${waiting}`
  }

  const row = (line: JournalLine): HTMLTableRowElement => {
    const show = button(line.url, () => void showEntry(line.id), { class: 'link path', title: line.url })
    return h(
      'tr',
      { class: line.id === open ? 'chosen' : undefined, onclick: () => void showEntry(line.id) },
      h('td', { class: 'time' }, line.time.slice(11, 23)),
      h('td', { class: 'method' }, line.method),
      h('td', { class: 'path' }, show, ...marks(line)),
      h(
        'td',
        { class: `status s${Math.floor(line.status / 100)}` },
        line.fault === 'reset' ? '—' : line.status,
      ),
      h('td', { class: 'caller' }, line.caller ?? '–'),
      h('td', { class: `source ${line.source}`, title: line.assumptions.join(', ') }, sourceText(line)),
      h('td', { class: 'ms' }, line.milliseconds.toFixed(1)),
    )
  }

  const close = (): void => {
    open = undefined
    detail.hidden = true
    draw()
  }

  const showEntry = async (id: number): Promise<void> => {
    open = id
    try {
      detail.replaceChildren(...entryParts(await ask<JournalEntry>('GET', `requests/${id}`), close, say))
      detail.hidden = false
    } catch (error) {
      say((error as Error).message)
    }
    draw()
  }

  return {
    element,
    load,
    requests({ lines: added, latest }: RequestsEvent) {
      const newest = lines[0]?.id ?? 0
      if (paused) {
        missed = latest - newest
        count.textContent = summary(lines.filter(matches).length)
        return
      }
      lines = [...added.filter(({ id }) => id > newest).toReversed(), ...lines].slice(0, mostKept)
      draw()
    },
    change(of) {
      if (of === 'requests' && !paused) void load()
    },
  }
}

const sourceText = ({ source, fault, delay }: JournalLine): string =>
  `${source}${fault === undefined ? '' : `: ${fault}`}${delay === undefined ? '' : ` +${Math.round(delay)} ms`}`

const marks = ({ violations }: JournalLine): HTMLElement[] =>
  violations.length === 0
    ? []
    : [
        h(
          'span',
          {
            class: 'mark',
            title: violations.map(({ section, detail }) => `${section}: ${detail}`).join('\n'),
          },
          `violating §${violations[0]?.section}`,
        ),
      ]

const entryParts = (entry: JournalEntry, close: () => void, say: (text: string) => void): HTMLElement[] => {
  const copy = (what: string, text: string) =>
    void navigator.clipboard.writeText(text).then(
      () => say(`Copied as ${what}. Put the token where ${what === 'curl' ? '$TOKEN' : 'TOKEN'} stands.`),
      () => say('The browser does not let this page copy.'),
    )
  return [
    h(
      'div',
      { class: 'head' },
      h('h2', {}, `${entry.method} ${entry.url}`),
      button('Close', close, { class: 'close' }),
    ),
    h(
      'p',
      { class: 'tools' },
      button('Copy as curl', () => copy('curl', asCurl(entry, base()))),
      button('Copy as vitest test', () => copy('vitest test', asTest(entry, base()))),
    ),
    h(
      'dl',
      {},
      ...pairs([
        ['Status', entry.fault === 'reset' ? 'none: the connection was reset' : String(entry.status)],
        ['Operation', entry.operation ?? 'none of the contract'],
        ['Caller', entry.caller ?? 'none'],
        ['Time', `${entry.time}, ${entry.milliseconds.toFixed(1)} ms`],
        ['Source', sourceText(entry)],
        ['Assumptions', entry.assumptions.join(', ') || 'none'],
        ...(entry.problem === undefined ? [] : ([['Problem', entry.problem]] as const)),
      ]),
    ),
    ...entry.violations.map((violation) =>
      h(
        'p',
        { class: 'violation' },
        `The ${violation.in} violates contract.md ${violation.section}: ${violation.detail}`,
      ),
    ),
    ...message('Request', entry.request),
    ...message('Answer', entry.response),
  ]
}

const pairs = (rows: readonly (readonly [string, string])[]): HTMLElement[] =>
  rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])

const message = (title: string, { headers, body, json }: Message): HTMLElement[] => [
  h('h3', {}, title),
  h(
    'pre',
    { tabindex: 0, 'aria-label': `${title}: headers` },
    Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n') || 'no headers',
  ),
  ...(body === undefined
    ? []
    : [
        h(
          'pre',
          { tabindex: 0, 'aria-label': `${title}: body` },
          json === undefined ? body : JSON.stringify(json, null, 2),
        ),
      ]),
]
