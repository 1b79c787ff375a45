import { useCallback, useEffect, useState } from 'preact/hooks'
import type { EventListener } from '../../control/connection.ts'
import type { ChangeEvent, RequestsEvent } from '../../control/events.ts'
import { call } from './api.ts'

/** What the mock says while the page is open: new requests, or the name of what has changed. */
export type MockEvent = RequestsEvent | { readonly subject: ChangeEvent['subject'] | 'all' }

const listeners = new Set<(event: MockEvent) => void>()

const emit = (event: MockEvent): void => {
  for (const listener of listeners) listener(event)
}

export type Link = 'connecting…' | 'live' | 'disconnected'

/** How often the page has connected: after another time, the mock may have been started again. */
export let connections = 0

export const eventListener = (onLink: (link: Link) => void): EventListener => ({
  onEvent({ name, data }) {
    if (name === 'requests' || name === 'change') emit(JSON.parse(data) as MockEvent)
  },
  onConnection(isConnected) {
    onLink(isConnected ? 'live' : 'disconnected')
    if (!isConnected) return
    connections++
    emit({ subject: 'all' })
  },
})

export const useEvents = (onEvent: (event: MockEvent) => void): void => {
  useEffect(() => {
    listeners.add(onEvent)
    return () => void listeners.delete(onEvent)
  }, [onEvent])
}

/** In milliseconds: a burst of requests loads once. */
const throttleInterval = 300

/** The data of a control path, loaded again after events about the subjects; kept while the mock is unreachable. */
export const useData = <T>(path: string, ...subjects: readonly string[]) => {
  const [data, setData] = useKept<T | undefined>(path, undefined)
  const [error, setError] = useState<unknown>()
  const load = useCallback(
    () =>
      call<T>('GET', path).then(
        (next) => {
          setData(next)
          setError(undefined)
        },
        (reason: unknown) => setError(reason),
      ),
    [path],
  )
  useEffect(() => void load(), [load])
  const wanted = ['all', ...subjects].join()
  const [schedule] = useState(() => throttled())
  useEvents(
    useCallback(
      (event: MockEvent) => {
        const subject = 'subject' in event ? event.subject : 'requests'
        if (!wanted.split(',').includes(subject)) return
        if ('subject' in event) void load()
        else schedule(load)
      },
      [load, wanted],
    ),
  )
  return { data, error, load }
}

const throttled = () => {
  let isScheduled = false
  return (run: () => unknown): void => {
    if (isScheduled) return
    isScheduled = true
    setTimeout(() => {
      isScheduled = false
      run()
    }, throttleInterval)
  }
}

const kept = new Map<string, unknown>()

export const forgetKept = (): void => kept.clear()

export const useKept = <T>(name: string, initial: T) => {
  const [value, setValue] = useState<T>(() => (kept.has(name) ? (kept.get(name) as T) : initial))
  const set = useCallback(
    (next: T): void => {
      kept.set(name, next)
      setValue(() => next)
    },
    [name],
  )
  return [value, set] as const
}

export const useTexts = <Name extends string>(initial: Readonly<Record<Name, string>>) => {
  const [texts, setTexts] = useState(initial)
  const change = (some: Partial<Record<Name, string>>): void => setTexts((before) => ({ ...before, ...some }))
  const bind = (name: Name) => ({
    value: texts[name],
    set: (value: string) => change({ [name]: value } as Partial<Record<Name, string>>),
  })
  return { texts, change, bind }
}

/** The part of the address behind `#`: a view, and what it shows, such as `requests/7`. */
export const useHash = (): readonly [view: string, item: string | undefined] => {
  const read = () => location.hash.slice(1)
  const [hash, setHash] = useState(read)
  useEffect(() => {
    const update = (): void => setHash(read())
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  const [view = '', item] = hash.split('/')
  return [view, item === undefined ? undefined : decodeURIComponent(item)]
}

export const showInAddress = (hash: string): void => {
  if (location.hash === hash) return
  history.replaceState(null, '', hash)
  dispatchEvent(new Event('hashchange'))
}
