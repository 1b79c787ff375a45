import type { Assumptions, AssumptionValue } from '../../../core/assumptions/registry.ts'
import { shownStatus } from '../../../core/http/status.ts'
import { type JournalEntry, type JournalLine, journalSources } from '../../../core/journal/entry.ts'
import { messageOf, plural } from '../../../util/words.ts'
import { firstCommand } from '../../control/paths.ts'
import { requestOfEntry, type SentRequest } from '../../control/send.ts'
import { baseUrl, call } from './api.ts'
import { button, checkbox, div, field, h, nodesOf, options, replaceChildren, statusText, table } from './dom.ts'
import { requestDetail, sourceText } from './request-detail.ts'
import { composeRequest } from './send-request.ts'
import { actionRunner, attempt, citation, say, type View } from './view.ts'

/** The default size of the mock's journal. */
const maxKept = 1_000
/** How many rows the table has at first; a longer table would slow down the page. */
const pageSize = 200
/** On a narrow page, the detail of a request overlays the list. */
const overlay = matchMedia('(max-width: 900px)')

export const requestsView = (): View => {
  let lines: JournalLine[] = []
  let isPaused = false
  let missed = 0
  let openId: number | undefined
  let isDrawScheduled = false
  let maxShown = pageSize
  let defaults: ReadonlySet<string> = new Set()

  const filter = h('input', { type: 'search', placeholder: 'path, status, caller…', oninput: () => draw() })
  const status = h('select', { onchange: () => draw() }, ...options(statusFilters))
  const caller = h('select', { onchange: () => draw() })
  const source = h('select', { onchange: () => draw() }, ...options([['', 'all'], ...journalSources]))
  const violating = h('input', { type: 'checkbox', onchange: () => draw() })
  const pause = button('Pause', () => setPaused(!isPaused), { 'aria-pressed': 'false' })
  const body = h('tbody')
  const count = h('p', { class: 'quiet', role: 'status' })
  const hint = div('panel hint')
  const more = button('Show more', () => {
    maxShown += pageSize
    draw()
  })
  const clearFilters = button('Clear the filters', () => {
    filter.value = status.value = caller.value = source.value = ''
    violating.checked = false
    draw()
  })
  const detail = h('dialog', { class: 'detail', 'aria-label': 'Request', oncancel: () => close() })
  const callers = (): string[] => [...new Set(lines.flatMap(({ caller = [] }) => caller))].sort()

  const setPaused = (value: boolean): void => {
    isPaused = value
    pause.textContent = isPaused ? 'Resume' : 'Pause'
    pause.setAttribute('aria-pressed', String(isPaused))
    if (!isPaused) void load()
  }

  const load = async (): Promise<void> => {
    const { requests } = await call<{ requests: JournalEntry[] }>('GET', 'requests')
    lines = requests.toReversed()
    const { registry } = await call<{ registry: { id: string; default: AssumptionValue }[] }>('GET', 'assumptions')
    defaults = new Set(registry.map((row) => `${row.id}=${row.default}`))
    if (lines.length === 0) await showHint()
    missed = 0
    draw()
    const [view, id] = location.hash.slice(1).split('/')
    if (view === 'requests' && id !== undefined && Number(id) !== openId) await showEntry(Number(id))
  }

  const showHint = async (): Promise<void> => {
    const { values } = await call<{ values: Assumptions }>('GET', 'assumptions')
    hint.replaceChildren(
      h('h2', {}, 'Nothing has happened yet'),
      h('p', {}, 'Point your client at this address, or send the first request from a terminal:'),
      h('pre', { tabindex: 0, 'aria-label': 'First request' }, firstCommand(baseUrl, values)),
      h(
        'p',
        {},
        'or ',
        button('send one from here', () => compose(), { class: 'link', 'aria-haspopup': 'dialog' }),
        '.',
      ),
    )
  }

  const run = actionRunner(load)
  const clear = async (): Promise<void> => {
    await call('DELETE', 'requests')
    close()
  }

  const matches = (line: JournalLine): boolean => {
    if (violating.checked && line.violations.length === 0) return false
    if (status.value !== '' && Math.floor(line.status / 100) !== Number(status.value)) return false
    if (caller.value !== '' && line.caller !== caller.value) return false
    if (source.value !== '' && line.source !== source.value) return false
    const { method, url, problem = '' } = line
    const parts = [method, url, shownStatus(line.status), line.caller ?? '', sourceText(line), problem]
    const text = parts.join(' ').toLowerCase()
    const words = filter.value.trim().toLowerCase().split(/\s+/)
    return words.every((word) => text.includes(word))
  }

  /** Redraws at most once a frame during a burst of requests. */
  const draw = (): void => {
    if (isDrawScheduled) return
    isDrawScheduled = true
    requestAnimationFrame(() => {
      isDrawScheduled = false
      const found = lines.filter(matches)
      const shown = found.slice(0, maxShown)
      replaceChildren(body, shown.map(row))
      const stop = shown.find(({ id }) => id === (openId ?? focusedId())) ?? shown[0]
      if (stop !== undefined) linkOf(stop.id)?.setAttribute('tabindex', '0')
      caller.replaceChildren(...options([['', 'all'], ...callers()], caller.value))
      count.textContent = summary(found.length)
      hint.hidden = lines.length > 0
      more.hidden = found.length <= maxShown
      clearFilters.hidden = lines.length === 0 || found.length > 0
    })
  }

  const summary = (found: number): string => {
    if (lines.length === 0) return 'No requests yet. They appear here as they arrive.'
    const all = plural(lines.length, 'request')
    return [
      found === lines.length ? all : `${found === 0 ? 'none' : found} of ${all}`,
      ...(found > maxShown ? [`showing the latest ${maxShown}`] : []),
      ...(isPaused && missed > 0 ? [`${missed} more since the pause`] : []),
    ].join(', ')
  }

  const row = (line: JournalLine): HTMLTableRowElement => {
    const show = () => showEntry(line.id)
    // The list is one tab stop: the arrow keys move from row to row.
    const link = button(line.url, show, { class: 'link path', title: line.url, 'data-key': line.id, tabindex: -1 })
    const status = { class: `status s${Math.floor(line.status / 100)}`, title: statusText(line.status) }
    return h(
      'tr',
      { class: line.id === openId ? 'chosen' : undefined, onclick: show },
      h('td', { class: 'time' }, line.time.slice(11, 23)),
      h('td', { class: 'method' }, line.method),
      h('td', { class: 'path' }, link, markOf(line)),
      h('td', status, shownStatus(line.status)),
      h('td', { class: 'caller' }, line.caller ?? '–'),
      h('td', { class: `source ${line.source}`, title: sourceTitle(line) }, shownSource(line)),
      h('td', { class: 'ms' }, line.milliseconds.toFixed(1)),
    )
  }

  const linkOf = (id: number) => body.querySelector<HTMLElement>(`[data-key="${id}"]`)
  const focusedId = () => Number((document.activeElement as HTMLElement | null)?.dataset.key)

  /** A default behaviour is shown in the tooltip only. */
  const shownSource = (line: JournalLine): string => (defaults.has(sourceText(line)) ? '–' : sourceText(line))

  const moveIn = (event: Event): void => {
    const { key } = event as KeyboardEvent
    if (key !== 'ArrowDown' && key !== 'ArrowUp') return
    event.preventDefault()
    const links = [...body.querySelectorAll<HTMLElement>('[data-key]')]
    const at = links.indexOf(document.activeElement as HTMLElement)
    const next = links[at + (key === 'ArrowDown' ? 1 : -1)]
    if (at < 0 || next === undefined) return
    links[at]?.setAttribute('tabindex', '-1')
    next.setAttribute('tabindex', '0')
    next.focus()
  }
  body.addEventListener('keydown', moveIn)

  const close = (): void => {
    detail.close()
    if (openId !== undefined) linkOf(openId)?.focus()
    openId = undefined
    history.replaceState(null, '', '#requests')
    draw()
  }
  addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && detail.open && detail.isConnected && document.querySelector('dialog:modal') === null)
      close()
  })

  /** Next to the list, the detail takes no focus, so that the keyboard stays in the list. */
  const openDetail = (): void => {
    detail.close()
    if (overlay.matches) detail.showModal()
    else detail.open = true
  }
  overlay.addEventListener('change', () => {
    if (openId !== undefined && detail.isConnected) openDetail()
  })

  const showSent = async (id: number): Promise<void> => {
    await load()
    await showEntry(id)
    say('Sent.')
  }
  const sendAgain = (id: number) =>
    attempt(async () => showSent((await call<{ id: number }>('POST', `requests/${id}/replay`)).id))
  const compose = (given?: SentRequest) => composeRequest(given, callers(), (id) => void attempt(() => showSent(id)))

  const showEntry = async (id: number): Promise<void> => {
    openId = id
    try {
      const entry = await call<JournalEntry>('GET', `requests/${id}`)
      const actions = { close, sendAgain: () => sendAgain(id), edit: () => compose(editable(entry)) }
      detail.replaceChildren(...nodesOf(requestDetail(entry, actions)))
      openDetail()
      detail.scrollTop = 0
      history.replaceState(null, '', `#requests/${id}`)
    } catch (error) {
      openId = undefined
      say(messageOf(error))
    }
    draw()
  }

  const tools = div(
    'tools',
    field('Filter', filter),
    field('Status', status),
    field('Caller', caller),
    field('Source', source),
    checkbox('Violations only', violating),
    pause,
    button('Clear', () => run('Requests cleared.', clear), { class: 'danger' }),
    button('Send a request…', () => compose(), { class: 'primary', 'aria-haspopup': 'dialog' }),
  )
  const shown = table('requests', ['Time', 'Method', 'Path', 'Status', 'Caller', 'Source', 'ms'], body)
  return {
    element: div('split', div('', tools, div('scroll', shown), count, more, clearFilters, hint), detail),
    load,
    onRequests({ lines: added, latest }) {
      const newest = lines[0]?.id ?? 0
      if (isPaused) {
        missed = latest - newest
        count.textContent = summary(lines.filter(matches).length)
        return
      }
      lines = [...added.filter(({ id }) => id > newest).toReversed(), ...lines].slice(0, maxKept)
      draw()
    },
    onChange() {
      if (!isPaused) void load()
    },
  }
}

const statusFilters = [
  ['', 'all'],
  ['2', '2xx'],
  ['4', '4xx'],
  ['5', '5xx'],
  ['0', 'reset'],
] as const

const sourceTitle = ({ source, assumptions }: JournalLine): string =>
  assumptions.length === 0 ? source : `${source}: ${assumptions.join(', ')}`

const editable = (entry: JournalEntry): SentRequest =>
  requestOfEntry(entry, (name) => ['accept', 'content-type'].includes(name))

/** A click on the section opens its text instead of the request. */
const markOf = ({ violations }: JournalLine): HTMLElement | undefined => {
  const [first] = violations
  if (first === undefined) return undefined
  const title = violations.map(({ section, detail }) => `${section}: ${detail}`).join('\n')
  const stop = (event: Event): void => event.stopPropagation()
  return h('span', { class: 'mark', title, onclick: stop }, 'violates ', citation(first.section))
}
