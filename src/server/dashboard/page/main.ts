import type { AssumptionValue } from '../../../core/assumptions/registry.ts'
import type { ActiveFault } from '../../../core/faults/faults.ts'
import type { ChangeSubject } from '../../../core/mock/command-row.ts'
import type { Session } from '../../../core/mock/plant-mock.ts'
import { messageOf, plural } from '../../../util/words.ts'
import { ControlError, type EventListener } from '../../control/connection.ts'
import type { ChangeEvent, RequestsEvent } from '../../control/events.ts'
import { baseUrl, call, listen, select, selection } from './api.ts'
import { assumptionsView } from './assumptions.ts'
import { button, byId, div, field, form, h, options } from './dom.ts'
import { faultsView } from './faults.ts'
import { listenToKeys } from './keys.ts'
import { plantsView } from './plants.ts'
import { requestsView } from './requests.ts'
import { throttled, type View } from './view.ts'

const main = byId('main')
const live = byId('live')
const nav = document.querySelector('nav') as HTMLElement
const sessions = byId('session') as HTMLSelectElement
const banner = byId('banner')

/** The views in the order of their links. Each key is the subject of the events that update the view. */
const views: Readonly<Record<ChangeSubject, { readonly title: string; readonly create: () => View }>> = {
  requests: { title: 'Requests', create: requestsView },
  plants: { title: 'Plants', create: plantsView },
  assumptions: { title: 'Assumptions', create: assumptionsView },
  faults: { title: 'Faults', create: faultsView },
}

const createdViews = new Map<ChangeSubject, View>()
let shown: View | undefined

const subjectInHash = (): ChangeSubject => {
  const [subject = ''] = location.hash.slice(1).split('/')
  return Object.hasOwn(views, subject) ? (subject as ChangeSubject) : 'requests'
}

const show = async (): Promise<void> => {
  const subject = subjectInHash()
  const view = createdViews.get(subject) ?? views[subject].create()
  createdViews.set(subject, view)
  shown = view
  for (const link of nav.querySelectorAll('a'))
    if (link.hash === `#${subject}`) link.setAttribute('aria-current', 'page')
    else link.removeAttribute('aria-current')
  document.title = `${views[subject].title} · plant-mock`
  try {
    await view.load()
    main.replaceChildren(view.element)
  } catch (error) {
    const needsKey = error instanceof ControlError && error.status === 401
    const problem = h('p', { class: 'problem', role: 'alert' }, messageOf(error))
    main.replaceChildren(needsKey ? keyForm(error.message) : div('', problem, button('Try again', show)))
  }
}

const restart = (values: Parameters<typeof select>[0]): void => {
  select(values)
  start()
}

const keyForm = (reason: string): HTMLElement => {
  const key = h('input', { type: 'password', autocomplete: 'off' })
  return form(
    'add',
    () => restart({ key: key.value }),
    h('h2', {}, 'Control key required'),
    h('p', { class: 'quiet' }, reason),
    field('Control key', key),
    h('button', {}, 'Connect'),
  )
}

const loadSessions = async (): Promise<void> => {
  const { sessions: list } = await call<{ sessions: Session[] }>('GET', 'sessions')
  const ids = new Set([...list.map(({ id }) => id), ...(selection.session === '' ? [] : [selection.session])])
  sessions.replaceChildren(...options([['', 'Default'], ...ids], selection.session))
}

/** Errors are ignored here: the open view already shows the reason. */
const badges = throttled(() => showBadges().catch(() => undefined))

let leaving = new AbortController()

const start = (): void => {
  leaving.abort()
  leaving = new AbortController()
  createdViews.clear()
  let wasDisconnected = false
  const listener: EventListener = {
    onEvent({ name, data }) {
      if (name === 'requests') {
        shown?.onRequests?.(JSON.parse(data) as RequestsEvent)
        // The request may have used up a fault.
        if (byId('badges').querySelector('.warn')) badges()
      } else if (name === 'change') {
        const { subject } = JSON.parse(data) as ChangeEvent
        if (subject === 'faults' || subject === 'assumptions') badges()
        if (subject === 'sessions') void loadSessions()
        else if (subject === subjectInHash()) void (shown?.onChange ?? shown?.load)?.()
      }
    },
    onConnection(isConnected) {
      live.textContent = isConnected ? 'live' : 'disconnected'
      live.className = `live ${isConnected ? 'on' : 'off'}`
      banner.hidden = isConnected
      if (isConnected) badges()
      if (isConnected && wasDisconnected) void shown?.load()
      wasDisconnected = !isConnected
    },
  }
  void listen(listener, leaving.signal)
  void show()
  loadSessions().catch(() => undefined)
}

byId('where').textContent = baseUrl
nav.append(...Object.entries(views).map(([subject, { title }]) => h('a', { href: `#${subject}` }, title)))
addEventListener('hashchange', show)
listenToKeys(main)
sessions.addEventListener('change', () => restart({ session: sessions.value }))
start()

/** Shows on every view how the mock differs from its defaults: active faults and changed assumptions. */
const showBadges = async (): Promise<void> => {
  const [{ faults }, { registry }] = await Promise.all([
    call<{ faults: ActiveFault[] }>('GET', 'faults'),
    call<{ registry: { default: AssumptionValue; value: AssumptionValue }[] }>('GET', 'assumptions'),
  ])
  const active = faults.filter(({ remaining }) => remaining !== 0).length
  const changed = registry.filter((row) => row.value !== row.default).length
  byId('badges').replaceChildren(
    ...(active === 0 ? [] : [badge('faults', 'warn', plural(active, 'active fault'))]),
    ...(changed === 0 ? [] : [badge('assumptions', 'note', plural(changed, 'changed assumption'))]),
  )
}

const badge = (view: string, kind: 'warn' | 'note', text: string): HTMLElement =>
  h('a', { href: `#${view}`, class: `badge ${kind}` }, text)
