/** @jsxImportSource preact */
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { AssumptionValue } from '../../../core/assumptions/registry.ts'
import type { ActiveFault } from '../../../core/faults/faults.ts'
import type { Session } from '../../../core/mock/plant-mock.ts'
import { messageOf, plural } from '../../../util/words.ts'
import { ControlError } from '../../control/connection.ts'
import { baseUrl, listen, select, selection } from './api.ts'
import { AssumptionsView } from './assumptions.tsx'
import { FaultsView } from './faults.tsx'
import { KeyHelp, listenToKeys } from './keys.tsx'
import { Dialogs, Form, Live, options, Text, Toast } from './parts.tsx'
import { PlantsView } from './plants.tsx'
import { RequestsView } from './requests.tsx'
import { eventListener, forgetKept, type Link, showInAddress, useData, useHash } from './state.ts'

const views = [
  ['requests', 'Requests', RequestsView],
  ['plants', 'Plants', PlantsView],
  ['assumptions', 'Assumptions', AssumptionsView],
  ['faults', 'Faults', FaultsView],
] as const

type Restart = (values: Parameters<typeof select>[0]) => void

const Page = () => {
  const [link, setLink] = useState<Link>('connecting…')
  /** Counts selections of another session or key: each shows another mock, from the start. */
  const [turn, setTurn] = useState(0)
  const restart: Restart = (values) => {
    select(values)
    forgetKept()
    showInAddress(`#${location.hash.slice(1).split('/')[0]}`)
    setTurn(turn + 1)
  }
  useEffect(() => {
    const leaving = new AbortController()
    void listen(eventListener(setLink), leaving.signal)
    return () => leaving.abort()
  }, [turn])
  useEffect(() => listenToKeys(), [])
  return (
    <Live.Provider value={link !== 'disconnected'}>
      <Frame key={turn} link={link} restart={restart} />
      <Dialogs />
      <Toast />
    </Live.Provider>
  )
}

const Frame = ({ link, restart }: { readonly link: Link; readonly restart: Restart }) => {
  const [subject] = useHash()
  const [name, title, View] = views.find(([name]) => name === subject) ?? views[0]
  const { data: { sessions = [] } = {}, error } = useData<{ sessions: Session[] }>('sessions', 'sessions')
  const ids = new Set([...sessions.map(({ id }) => id), ...(selection.session === '' ? [] : [selection.session])])
  const needsKey = error instanceof ControlError && error.status === 401
  useEffect(() => {
    document.title = `${title} · plant-mock`
  }, [title])
  return (
    <>
      <header class="bar">
        <h1>plant-mock</h1>
        <span class="where">{baseUrl}</span>
        {!needsKey && <Badges />}
        <label class="session">
          Session{' '}
          <select value={selection.session} onChange={({ currentTarget: { value } }) => restart({ session: value })}>
            {options([['', 'Default'], ...ids])}
          </select>
        </label>
        <span id="live" class={`live ${link === 'live' ? 'on' : 'off'}`} role="status">
          {link}
        </span>
      </header>
      <nav aria-label="Views">
        {views.map(([view, title]) => (
          <a key={view} href={`#${view}`} aria-current={view === name ? 'page' : undefined}>
            {title}
          </a>
        ))}
      </nav>
      {link === 'disconnected' && (
        <p id="banner" class="problem">
          The mock does not answer. This page shows what it had last, and connects again when it can.
        </p>
      )}
      <main id="main" tabIndex={-1}>
        {needsKey ? <KeyForm reason={messageOf(error)} restart={restart} /> : <View key={name} />}
      </main>
      <KeyHelp />
    </>
  )
}

const KeyForm = ({ reason, restart }: { readonly reason: string; readonly restart: Restart }) => {
  const [key, setKey] = useState('')
  return (
    <Form class="add" run={async () => restart({ key })} submit={<button type="submit">Connect</button>}>
      <h2>Control key required</h2>
      <p class="quiet">{reason}</p>
      <Text name="Control key" type="password" value={key} set={setKey} autofocus />
    </Form>
  )
}

const Badges = () => {
  type Values = { registry: { default: AssumptionValue; value: AssumptionValue }[] }
  const { data: { faults = [] } = {} } = useData<{ faults: ActiveFault[] }>('faults', 'faults', 'requests')
  const { data: { registry = [] } = {} } = useData<Values>('assumptions', 'assumptions')
  const active = faults.filter(({ remaining }) => remaining !== 0).length
  const changed = registry.filter((row) => row.value !== row.default).length
  return (
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
  )
}

render(<Page />, document.body)
