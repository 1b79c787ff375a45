import type { Session } from '../../mock/plant-mock.ts'
import { messageOf } from '../../util/words.ts'
import type { Say } from './actions.ts'
import { call, connection, listen, RefusedError, saveConnection } from './api.ts'
import { assumptionsView } from './assumptions.ts'
import { coverageView } from './coverage.ts'
import { button, byId, field, h, options } from './dom.ts'
import { faultsView } from './faults.ts'
import { plantsView } from './plants.ts'
import { requestsView } from './requests.ts'
import type { View } from './view.ts'

const main = byId('main')
const live = byId('live')
const nav = document.querySelector('nav') as HTMLElement
const sessions = byId('session') as HTMLSelectElement
const toast = h('p', { id: 'toast', role: 'status', 'aria-live': 'polite' })
document.body.append(toast)

const toastTimeout = 4_000
let hideTimer: ReturnType<typeof setTimeout> | undefined
const say: Say = (text) => {
  clearTimeout(hideTimer)
  toast.textContent = text
  toast.classList.add('shown')
  hideTimer = setTimeout(() => toast.classList.remove('shown'), toastTimeout)
}

const views: Readonly<Record<string, { readonly title: string; readonly create: () => View }>> = {
  requests: { title: 'Requests', create: () => requestsView(say) },
  plants: { title: 'Plants', create: () => plantsView(say) },
  assumptions: { title: 'Assumptions', create: () => assumptionsView(say) },
  faults: { title: 'Faults', create: () => faultsView(say) },
  coverage: { title: 'Coverage', create: () => coverageView(say) },
}

const createdViews = new Map<string, View>()
let shown: View | undefined

const nameInHash = (): string => (location.hash.slice(1) in views ? location.hash.slice(1) : 'requests')

const show = async (): Promise<void> => {
  const name = nameInHash()
  const view = createdViews.get(name) ?? views[name]?.create()
  if (view === undefined) return
  createdViews.set(name, view)
  shown = view
  for (const link of nav.querySelectorAll('a'))
    if (link.hash === `#${name}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  document.title = `${views[name]?.title} · plant-mock`
  try {
    await view.load()
    main.replaceChildren(view.element)
  } catch (error) {
    main.replaceChildren(
      ...(error instanceof RefusedError && error.status === 401 ? [keyForm(error.message)] : [failure(error)]),
    )
  }
}

const failure = (error: unknown): HTMLElement =>
  h(
    'div',
    {},
    h('p', { class: 'problem', role: 'alert' }, messageOf(error)),
    button('Try again', () => void show()),
  )

const keyForm = (reason: string): HTMLElement => {
  const key = h('input', { type: 'password', autocomplete: 'off' })
  return h(
    'form',
    {
      class: 'add',
      onsubmit: (event) => {
        event.preventDefault()
        saveConnection({ key: key.value })
        start()
      },
    },
    h('h2', {}, 'Control key required'),
    h('p', { class: 'quiet' }, reason),
    field('Control key', key),
    h('button', {}, 'Connect'),
  )
}

const loadSessions = async (): Promise<void> => {
  const { sessions: list } = await call<{ sessions: Session[] }>('GET', 'sessions')
  const ids = new Set([...list.map(({ id }) => id), ...(connection.session === '' ? [] : [connection.session])])
  sessions.replaceChildren(
    ...options([['', 'Default'], ...[...ids].map((id) => [id, id] as const)], connection.session),
  )
}

let stop: () => void = () => undefined

/** Connects to the selected session, and shows it. */
const start = (): void => {
  stop()
  createdViews.clear()
  let wasDisconnected = false
  stop = listen({
    onRequests: (event) => shown?.onRequests?.(event),
    onChange: (subject) => {
      if (subject === 'sessions') void loadSessions()
      else shown?.onChange?.(subject)
    },
    onConnection: (isConnected) => {
      live.textContent = isConnected ? 'live' : 'disconnected'
      live.className = isConnected ? 'on' : 'off'
      if (isConnected && wasDisconnected) void shown?.load()
      wasDisconnected = !isConnected
    },
  })
  void show()
  loadSessions().catch(() => undefined)
}

byId('where').textContent = new URL('..', location.href).href.replace(/\/$/, '')
nav.append(...Object.entries(views).map(([name, { title }]) => h('a', { href: `#${name}` }, title)))
addEventListener('hashchange', () => void show())
sessions.addEventListener('change', () => {
  saveConnection({ session: sessions.value })
  start()
})
start()
