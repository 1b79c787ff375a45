/** An event of a mock instance: an exchange was recorded, a user changed something, or the instance was dropped. */
export type MockEvent =
  | { readonly type: 'request'; readonly id: number }
  | { readonly type: 'change'; readonly subject: ChangeSubject }
  | { readonly type: 'closed' }

export type ChangeSubject = 'plants' | 'assumptions' | 'faults' | 'requests' | 'coverage'

/** The listeners of one mock instance. */
export interface MockEvents {
  /** Calls back for each event from now on; the result stops that. */
  listen(onEvent: (event: MockEvent) => void): () => void
  readonly hasListeners: boolean
  /** Calls back whenever the last listener leaves. */
  onLeft(callback: () => void): void
  /** Passes an event on. */
  emit(event: MockEvent): void
  requestRecorded(id: number): void
  changed(...subjects: readonly ChangeSubject[]): void
  closed(): void
}

/** @param observe Receives each event too, and does not count as a listener. Default: none. */
export const mockEvents = (observe?: (event: MockEvent) => void): MockEvents => {
  const listeners = new Set<(event: MockEvent) => void>()
  const emit = (event: MockEvent): void => {
    observe?.(event)
    for (const listener of listeners) listener(event)
  }
  let hasLeft: () => void = () => undefined
  return {
    listen(onEvent) {
      listeners.add(onEvent)
      return () => {
        if (listeners.delete(onEvent) && listeners.size === 0) hasLeft()
      }
    },
    get hasListeners() {
      return listeners.size > 0
    },
    onLeft(callback) {
      hasLeft = callback
    },
    emit,
    requestRecorded(id) {
      if (listeners.size > 0 || observe !== undefined) emit({ type: 'request', id })
    },
    changed(...subjects) {
      for (const subject of subjects) emit({ type: 'change', subject })
    },
    closed: () => emit({ type: 'closed' }),
  }
}
