import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import type { JournalLine } from '../../../core/journal/entry.ts'
import { messageOf } from '../../../util/words.ts'
import { ControlError, followEvents } from '../../control/connection.ts'
import type { ChangeEvent, RequestsEvent } from '../../control/events.ts'
import { call, connection } from './api.ts'

type Undoable = { readonly done: string; readonly undo: () => Promise<unknown> }

const parseHash = () => {
  const [view = '', item] = location.hash.slice(1).split('/')
  // Unlike `decodeURIComponent`, `URLSearchParams` accepts a lone `%`.
  const parameters = new URLSearchParams(`item=${item?.replaceAll('+', '%2B')}`)
  return { view, item: item === undefined ? undefined : (parameters.get('item') ?? '') }
}

export const state = {
  ...parseHash(),
  link: 'connecting…' as 'connecting…' | 'live' | 'disconnected',
  isKeyRefused: false,
  areLinesLoaded: false,
  lines: [] as readonly JournalLine[],
  earlier: [] as readonly JournalLine[],
  message: undefined as { readonly text: string; readonly isUndoable: boolean } | undefined,
  undoable: [] as readonly Undoable[],
  dialog: undefined as { readonly title: string; readonly content: () => ComponentChildren } | undefined,
}

export const update = (changes: Partial<typeof state>): void => {
  Object.assign(state, changes)
  dispatchEvent(new Event('update'))
}

export const isLive = (): boolean => state.link !== 'disconnected' || state.isKeyRefused

export const showInAddress = (hash: string): void => {
  history.replaceState(null, '', hash)
  update(parseHash())
}

export const openRequest = (id: number): void => showInAddress(`#requests/${id}`)

export const rowButton = (id: number | string | undefined) =>
  document.querySelector<HTMLElement>(`.requests [data-key="${id}"]`)

export const closeRequest = (): void => {
  const { item } = state
  showInAddress('#requests')
  rowButton(item)?.focus()
}

const modal = () => document.querySelector<HTMLDialogElement>('dialog.modal')

export const openDialog = (title: string, content: () => ComponentChildren): void => {
  update({ dialog: { title, content } })
  modal()?.showModal()
}

export const closeDialog = (): void => modal()?.close()

let messageTimer: ReturnType<typeof setTimeout> | undefined

export const say = (text: string, isUndoable = false): void => {
  clearTimeout(messageTimer)
  messageTimer = setTimeout(() => update({ message: undefined }), isUndoable ? 10_000 : 4_000)
  update({ message: { text, isUndoable } })
}

export const act = async <T>(done: string, action: () => Promise<T>, undo?: (result: T) => Promise<unknown>) => {
  try {
    const result = await action()
    await reload()
    if (undo !== undefined) update({ undoable: [...state.undoable, { done, undo: () => undo(result) }] })
    say(done, state.undoable.length > 0)
  } catch (error) {
    say(messageOf(error))
  }
}

export const undoLatest = async (): Promise<void> => {
  const latest = state.undoable.at(-1)
  if (latest === undefined) return
  update({ undoable: state.undoable.slice(0, -1) })
  const keepOnFailure = (error: unknown) => {
    update({ undoable: [...state.undoable, latest] })
    throw error
  }
  await act('Undone.', () => latest.undo().catch(keepOnFailure))
}

const kept = new Map<string, unknown>()

const keep = (name: string, value: unknown): void => {
  kept.set(name, value)
  update({})
}

/** Like `useState`, but keeps the value while another view is shown. */
export const useKept = <T>(name: string, initial: T) =>
  [(kept.get(name) ?? initial) as T, (value: T) => keep(name, value)] as const

export const useFilter = <T extends object>(name: string, none: T) => {
  const [filter, setFilter] = useKept(name, none)
  const bind = <Key extends keyof T>(key: Key) => ({
    value: filter[key],
    set: (value: T[Key]) => setFilter({ ...filter, [key]: value }),
  })
  return { filter, bind, clear: () => setFilter(none) }
}

const loads = new Set<{ readonly subjects: readonly string[]; readonly run: () => Promise<void> }>()

export const reload = (subject?: string): Promise<unknown> =>
  Promise.all(
    [...loads].map(({ subjects, run }) => (subject === undefined || subjects.includes(subject) ? run() : undefined)),
  )

/** Reloads the data after events about the subjects. While the mock is unreachable, the data stays. */
export const useData = <T extends object>(path: string, ...subjects: readonly string[]): Partial<T> => {
  useEffect(() => {
    const run = () =>
      call('GET', path).then(
        (data) => keep(path, data),
        (error: unknown) => {
          if (!(error instanceof ControlError)) return
          if (error.status === 401) update({ isKeyRefused: true })
          keep(path, undefined)
        },
      )
    const load = { subjects, run }
    loads.add(load)
    void run()
    return () => void loads.delete(load)
  }, [path])
  return (kept.get(path) ?? {}) as Partial<T>
}

const maxKept = 1_000

const loadLines = async (isReconnected = false): Promise<void> => {
  const { requests } = await call<{ requests: JournalLine[] }>('GET', 'requests')
  const { lines, earlier } = state
  const [newest] = lines
  // A journal that lacks the newest request of the page belongs to a restarted mock.
  const isKnown = newest !== undefined && requests.some(({ id, time }) => id === newest.id && time === newest.time)
  if (isReconnected && !isKnown) update({ earlier: [...lines, ...earlier], undoable: [] })
  update({ areLinesLoaded: true, lines: requests.toReversed() })
}

const reloadInterval = 300
let isReloadScheduled = false

const addLines = (lines: readonly JournalLine[]): void => {
  const newest = state.lines[0]?.id ?? 0
  const added = lines.filter(({ id }) => id > newest).toReversed()
  update({ lines: [...added, ...state.lines].slice(0, maxKept) })
  if (isReloadScheduled) return
  isReloadScheduled = true
  setTimeout(() => {
    isReloadScheduled = false
    void reload('requests')
  }, reloadInterval)
}

export const connect = (): void => {
  addEventListener('hashchange', () => update(parseHash()))
  const onConnection = (isConnected: boolean): void => {
    update({ link: isConnected ? 'live' : 'disconnected', ...(isConnected && { isKeyRefused: false }) })
    if (!isConnected) return
    void loadLines(true).catch(() => undefined)
    void reload()
  }
  const onEvent = ({ name, data }: { readonly name: string; readonly data: string }): void => {
    if (name === 'requests') addLines((JSON.parse(data) as RequestsEvent).lines)
    if (name !== 'change') return
    const { subject } = JSON.parse(data) as ChangeEvent
    if (subject === 'requests') void loadLines().catch(() => undefined)
    void reload(subject)
  }
  void followEvents(connection, { onConnection, onEvent }, new AbortController().signal)
}
