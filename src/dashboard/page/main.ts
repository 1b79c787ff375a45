import type { Session } from '../../mock/plant-mock.ts'
import { ask, connection, listen, Refused, remember } from './api.ts'
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

let hiding: ReturnType<typeof setTimeout> | undefined
const say = (text: string): void => {
  clearTimeout(hiding)
  toast.textContent = text
  toast.classList.add('shown')
  hiding = setTimeout(() => toast.classList.remove('shown'), 4_000)
}

const views: Readonly<Record<string, { readonly title: string; readonly make: () => View }>> = {
  requests: { title: 'Requests', make: () => requestsView(say) },
  plants: { title: 'Plants', make: () => plantsView(say) },
  assumptions: { title: 'Assumptions', make: () => assumptionsView(say) },
  faults: { title: 'Faults', make: () => faultsView(say) },
  coverage: { title: 'Coverage', make: coverageView },
}

const made = new Map<string, View>()
let shown: View | undefined

const nameInHash = (): string => (location.hash.slice(1) in views ? location.hash.slice(1) : 'requests')

const show = async (): Promise<void> => {
  const name = nameInHash()
  const view = made.get(name) ?? views[name]?.make()
  if (view === undefined) return
  made.set(name, view)
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
      ...(error instanceof Refused && error.status === 401 ? [keyForm(error.message)] : [failure(error)]),
    )
  }
}

const failure = (error: unknown): HTMLElement =>
  h(
    'div',
    {},
    h('p', { class: 'problem', role: 'alert' }, (error as Error).message),
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
        remember({ key: key.value })
        start()
      },
    },
    h('h2', {}, 'This mock has a control key'),
    h('p', { class: 'quiet' }, reason),
    field('Key', key),
    h('button', {}, 'Open'),
  )
}

const loadSessions = async (): Promise<void> => {
  const { sessions: list } = await ask<{ sessions: Session[] }>('GET', 'sessions')
  const ids = new Set([
    ...list.map(({ id }) => id),
    ...(connection.session === '' ? [] : [connection.session]),
  ])
  sessions.replaceChildren(
    ...options(
      [['', 'none: the mock’s own'], ...[...ids].map((id) => [id, id] as const)],
      connection.session,
    ),
  )
}

let stop: () => void = () => undefined

/** Connects to the instance that is chosen, and shows it. */
const start = (): void => {
  stop()
  made.clear()
  stop = listen({
    requests: (event) => shown?.requests?.(event),
    change: (of) => {
      if (of === 'sessions') void loadSessions()
      else shown?.change?.(of)
    },
    live: (isLive) => {
      const was = live.textContent
      live.textContent = isLive ? 'live' : 'not connected'
      live.className = isLive ? 'on' : 'off'
      if (isLive && was === 'not connected') void shown?.load()
    },
  })
  void show()
  loadSessions().catch(() => undefined)
}

byId('where').textContent = new URL('..', location.href).href.replace(/\/$/, '')
nav.append(...Object.entries(views).map(([name, { title }]) => h('a', { href: `#${name}` }, title)))
addEventListener('hashchange', () => void show())
sessions.addEventListener('change', () => {
  remember({ session: sessions.value })
  start()
})
start()
