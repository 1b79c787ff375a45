import type { Secrets } from '../../core/http/redact.ts'
import { type CallerRegistry, sharedPseudonym } from '../../core/journal/callers.ts'
import { failureReporter } from '../../core/journal/redact.ts'
import type { CallerKeys } from '../../core/mock/command-row.ts'
import { handlerOf, type MockInstances } from '../../core/mock/instances.ts'
import type { MockEvent } from '../../core/mock/observer.ts'
import { checkSessionId } from '../../core/mock/sessions.ts'
import { type ReplicaLink, type SharedInstance, sharedInstance } from './shared-instance.ts'

const maxIdleSessions = 1_000

export type SharedInstances = ReturnType<typeof sharedInstances>

export const sharedInstances = (link: ReplicaLink) => {
  const root = sharedInstance(undefined, link)
  const sessions = new Map<string, SharedInstance>()
  const listeners = new Set<() => void>()
  const { callers } = link

  const session = (id: string): SharedInstance => {
    const known = sessions.get(id)
    if (known !== undefined) return known
    checkSessionId(id)
    if (sessions.size >= maxIdleSessions)
      for (const [other, { events }] of sessions) if (!events.hasListeners) sessions.delete(other)
    const made = sharedInstance(id, link)
    sessions.set(id, made)
    return made
  }

  return {
    refresh: async (id) => {
      if (id === undefined) await link.refresh()
      else await link.submit({ type: 'use', session: id })
    },
    root,
    session,
    handlerFor: (id) => handlerOf(id, { root, session }),
    sessions: {
      async all() {
        await link.refresh()
        return link.machine().instances.sessions.all()
      },
      drop: (id) => link.submit({ type: 'drop', id }) as Promise<boolean>,
    },
    listen(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    callers,
    get startedWith() {
      return link.machine().instances.startedWith
    },
    reportFailure: failureReporter(callers, link.onNotice),
    get overrides() {
      return { ...link.machine().instances.overrides, report: link.onNotice }
    },
    async nameCallers(callers) {
      const { findPseudonym } = link.machine().instances.callers
      const unnamed = [...new Set(callers)].filter((caller) => findPseudonym(caller) === undefined)
      if (unnamed.length > 0) await link.submit({ type: 'name', callers: unnamed.map(link.keyOf) })
    },
    listeningSessions: () => [...sessions].flatMap(([id, { events }]) => (events.hasListeners ? [id] : [])),
    observe: (id: string | undefined, event: MockEvent): void =>
      (id === undefined ? root : sessions.get(id))?.events.emit(event),
    sessionsChanged() {
      for (const listener of listeners) listener()
    },
    replaced() {
      for (const { events } of [root, ...sessions.values()])
        events.changed('plants', 'assumptions', 'faults', 'requests')
      for (const listener of listeners) listener()
    },
    get hasListeners() {
      return listeners.size > 0 || [root, ...sessions.values()].some(({ events }) => events.hasListeners)
    },
  } satisfies MockInstances & Readonly<Record<string, unknown>>
}

/** Looks up pseudonyms, but never assigns one: all replicas assign the same pseudonyms when they execute the log. */
export const sharedCallers = (
  registry: () => CallerRegistry,
  keyOf: CallerKeys['keyOf'],
  tokens: Secrets,
): CallerRegistry => {
  const own: Partial<CallerRegistry> = {
    pseudonymOf: (caller) => registry().findPseudonym(keyOf(caller)) ?? sharedPseudonym,
    learn: tokens.add,
  }
  return new Proxy({} as CallerRegistry, {
    get: (_, name) => Reflect.get(name in own ? own : registry(), name),
  })
}
