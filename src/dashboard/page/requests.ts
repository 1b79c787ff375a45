import type { RequestsEvent } from '../../control/events.ts'
import type { JournalEntry, JournalLine } from '../../journal/entry.ts'
import { messageOf, plural } from '../../util/words.ts'
import { actionRunner, type Say } from './actions.ts'
import { call } from './api.ts'
import { button, field, h } from './dom.ts'
import { requestDetail, sourceText } from './request-detail.ts'
import type { View } from './view.ts'

/** The default size of the mock's journal. */
const maxKept = 1_000
/** A longer table slows down the page; the filter finds the other requests. */
const maxShown = 200

export const requestsView = (say: Say): View => {
  let lines: JournalLine[] = []
  let isPaused = false
  let missed = 0
  let openId: number | undefined
  let isDrawScheduled = false

  const filter = h('input', { type: 'search', placeholder: 'path, status, caller…', oninput: () => draw() })
  const violating = h('input', { type: 'checkbox', onchange: () => draw() })
  const pause = button('Pause', () => setPaused(!isPaused), { 'aria-pressed': 'false' })
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
        h('label', { class: 'check' }, violating, 'Violations only'),
        pause,
        button('Clear', () => void run('Requests cleared.', clear)),
      ),
      h('div', { class: 'scroll' }, table),
      count,
    ),
    detail,
  )

  const setPaused = (value: boolean): void => {
    isPaused = value
    pause.textContent = isPaused ? 'Resume' : 'Pause'
    pause.setAttribute('aria-pressed', String(isPaused))
    if (!isPaused) void load()
  }

  const load = async (): Promise<void> => {
    const { requests } = await call<{ requests: JournalEntry[] }>('GET', 'requests')
    lines = requests.toReversed()
    missed = 0
    draw()
  }

  const run = actionRunner(say, load)
  const clear = async (): Promise<void> => {
    await call('DELETE', 'requests')
    close()
  }

  const matches = (line: JournalLine): boolean => {
    if (violating.checked && line.violations.length === 0) return false
    const wanted = filter.value.trim().toLowerCase()
    if (wanted === '') return true
    const text = `${line.method} ${line.url} ${line.status} ${line.caller ?? ''} ${sourceText(line)} ${line.problem ?? ''}`
    return wanted.split(/\s+/).every((word) => text.toLowerCase().includes(word))
  }

  /** Redraws at most once a frame during a burst of requests. */
  const draw = (): void => {
    if (isDrawScheduled) return
    isDrawScheduled = true
    requestAnimationFrame(() => {
      isDrawScheduled = false
      const found = lines.filter(matches)
      body.replaceChildren(...found.slice(0, maxShown).map(row))
      count.textContent = summary(found.length)
    })
  }

  const summary = (found: number): string => {
    if (lines.length === 0) return 'No requests yet. They appear here as they arrive.'
    const all = plural(lines.length, 'request')
    return [
      found === lines.length ? all : `${found} of ${all}`,
      ...(found > maxShown ? [`showing the latest ${maxShown}`] : []),
      ...(isPaused && missed > 0 ? [`${missed} more since the pause`] : []),
    ].join(', ')
  }

  const row = (line: JournalLine): HTMLTableRowElement => {
    const show = button(line.url, () => void showEntry(line.id), { class: 'link path', title: line.url })
    return h(
      'tr',
      { class: line.id === openId ? 'chosen' : undefined, onclick: () => void showEntry(line.id) },
      h('td', { class: 'time' }, line.time.slice(11, 23)),
      h('td', { class: 'method' }, line.method),
      h('td', { class: 'path' }, show, ...marks(line)),
      h('td', { class: `status s${Math.floor(line.status / 100)}` }, line.fault === 'reset' ? '—' : line.status),
      h('td', { class: 'caller' }, line.caller ?? '–'),
      h('td', { class: `source ${line.source}`, title: line.assumptions.join(', ') }, sourceText(line)),
      h('td', { class: 'ms' }, line.milliseconds.toFixed(1)),
    )
  }

  const close = (): void => {
    openId = undefined
    detail.hidden = true
    draw()
  }

  const showEntry = async (id: number): Promise<void> => {
    openId = id
    try {
      detail.replaceChildren(...requestDetail(await call<JournalEntry>('GET', `requests/${id}`), close, say))
      detail.hidden = false
    } catch (error) {
      say(messageOf(error))
    }
    draw()
  }

  return {
    element,
    load,
    onRequests({ lines: added, latest }: RequestsEvent) {
      const newest = lines[0]?.id ?? 0
      if (isPaused) {
        missed = latest - newest
        count.textContent = summary(lines.filter(matches).length)
        return
      }
      lines = [...added.filter(({ id }) => id > newest).toReversed(), ...lines].slice(0, maxKept)
      draw()
    },
    onChange(subject) {
      if (subject === 'requests' && !isPaused) void load()
    },
  }
}

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
          `violates contract ${violations[0]?.section}`,
        ),
      ]
