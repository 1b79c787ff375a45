/** @jsxImportSource preact */
import { render } from 'preact'
import type { ActiveFault } from '../../../core/faults/faults.ts'
import type { Session } from '../../../core/mock/plant-mock.ts'
import { plural } from '../../../util/words.ts'
import { baseUrl, key, select, session } from './api.ts'
import { AssumptionsView, isChanged, type Row } from './assumptions.tsx'
import { FaultsView } from './faults.tsx'
import { Button, Form, options, short, Text, Undo } from './parts.tsx'
import { PlantsView } from './plants.tsx'
import { RequestsView } from './requests.tsx'
import { closeDialog, closeRequest, connect, state, undoLatest, update, useData } from './state.ts'

const views = [
  ['requests', 'Requests', RequestsView],
  ['plants', 'Plants', PlantsView],
  ['assumptions', 'Assumptions', AssumptionsView],
  ['faults', 'Faults', FaultsView],
] as const

const Page = () => {
  const { link, isKeyRefused, message, dialog } = state
  const [name, title, View] = views.find(([name]) => name === state.view) ?? views[0]
  const { sessions = [] } = useData<{ sessions: Session[] }>('sessions', 'sessions')
  const { faults = [] } = useData<{ faults: ActiveFault[] }>('faults', 'faults', 'requests')
  const { registry = [] } = useData<{ registry: Row[] }>('assumptions', 'assumptions')
  const active = faults.filter(({ remaining }) => remaining !== 0).length
  const changed = registry.filter(isChanged).length
  const ids = new Set([...sessions.map(({ id }) => id), ...(session === '' ? [] : [session])])
  document.title = `${title} · plant-mock`
  return (
    <>
      <header class="bar">
        <h1>plant-mock</h1>
        <span class="where">{baseUrl}</span>
        <span id="badges">
          {active > 0 && (
            <a href="#faults" class="badge warn">
              {plural(active, 'active fault')}
            </a>
          )}
          {changed > 0 && (
            <a href="#assumptions" class="badge note">
              {plural(changed, 'changed assumption')}
            </a>
          )}
        </span>
        {message?.isUndoable !== true && <Undo />}
        <label class="session">
          Session{' '}
          <select value={session} onChange={({ currentTarget: { value } }) => select('session', value)}>
            {options([['', 'Default'], ...ids])}
          </select>
        </label>
        <span id="live" class={`live ${link === 'live' ? 'on' : 'off'}`} role="status">
          {isKeyRefused ? 'locked' : link}
        </span>
      </header>
      <nav aria-label="Views">
        {views.map(([view, title]) => (
          <a key={view} href={`#${view}`} aria-current={view === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {link === 'disconnected' && !isKeyRefused && (
        <p id="banner" class="problem">
          The mock does not answer. Start the mock again to reconnect this page, which shows the last known state.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        {isKeyRefused ? (
          <Form run={async ({ key = '' }) => select('key', key)} submit="Connect">
            <h2>Control key required</h2>
            <p class="quiet">{`${key === '' ? '' : 'The mock refuses this key. '}Enter the key of the mock.`}</p>
            <Text label="Control key" name="key" type="password" autofocus />
          </Form>
        ) : (
          <View key={name} />
        )}
      </main>
      <footer class="keys quiet">
        {keysIn(name).map(([key, meaning, isUseful]) => (
          <span key={key} hidden={!isUseful || isKeyRefused}>
            <kbd>{key}</kbd> {meaning}
          </span>
        ))}
      </footer>
      <dialog class="modal" aria-labelledby="dialog-title" onClose={() => update({ dialog: undefined })}>
        <div class="head">
          <h2 id="dialog-title">{dialog?.title}</h2>
        </div>
        {dialog?.content()}
        <Button name="Close" class="close" run={closeDialog} />
      </dialog>
      <p id="toast" role="status" aria-live="polite" class={message === undefined ? '' : 'shown'}>
        {message && short(message.text)} {message?.isUndoable && <Undo />}
      </p>
    </>
  )
}

const keysIn = (view: (typeof views)[number][0]) => {
  const { lines, item, undoable } = state
  const isList = view === 'requests' && lines.length > 0
  return [
    ['/', 'Filter or search the view', view !== 'faults'],
    ['↑ ↓', 'Move in the list of requests', isList],
    ['Enter', 'Open the request', isList],
    ['Escape', 'Close the request', view === 'requests' && item !== undefined],
    ['u', 'Undo the latest change', undoable.length > 0],
  ] as const
}

addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  if (ctrlKey || metaKey || altKey || document.querySelector('dialog:modal')) return
  if (key === 'Escape' && state.view === 'requests' && state.item !== undefined) closeRequest()
  if (target instanceof HTMLElement && target.matches('input:not([type=checkbox]), select, textarea')) return
  if (key === 'u') void undoLatest()
  if (key !== '/') return
  const search = document.querySelector<HTMLElement>('main input[type=search]')
  if (search === null) return
  search.focus()
  event.preventDefault()
})

const focusable = ':is(a, button, input, select, textarea, [tabindex]):not(:disabled, [tabindex="-1"])'

let focused: Node | null = null

addEventListener('focusin', ({ target }) => {
  focused = target as Node
})
// Moves the focus to a neighbour of a removed element, because browsers then focus nothing.
new MutationObserver((records) => {
  if (document.activeElement !== document.body) return
  const removed = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(focused)))
  if (removed === undefined) return
  const { nextSibling, previousSibling, target } = removed
  const main = document.querySelector('main')
  const near = target === main ? [] : [nextSibling, previousSibling, target]
  const next = near
    .filter((node) => node instanceof HTMLElement)
    .map((element) => (element.matches(focusable) ? element : element.querySelector<HTMLElement>(focusable)))
    .find((element) => element !== null)
  ;(next ?? main)?.focus({ preventScroll: true })
}).observe(document.body, { childList: true, subtree: true })

const paint = (): void => render(<Page />, document.body)
addEventListener('update', paint)
paint()
connect()
