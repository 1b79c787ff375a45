/** An event of a mock instance: an exchange was recorded, a user changed something, or the instance was dropped. */
export type MockEvent =
  | { readonly type: 'request'; readonly id: number }
  | { readonly type: 'change'; readonly subject: ChangeSubject }
  | { readonly type: 'closed' }

export type ChangeSubject = 'plants' | 'assumptions' | 'faults' | 'requests' | 'coverage'

export type MockEvents = ReturnType<typeof mockEvents>

/**
 * The listeners of one mock instance.
 * @param observe Receives each event too, and does not count as a listener. Default: none.
 */
export const mockEvents = (observe?: (event: MockEvent) => void) => {
  const listeners = new Set<(event: MockEvent) => void>()
  let hasLeft: () => void = () => undefined
  return {
    /** Calls back for each event from now on; the result stops that. */
    listen(onEvent: (event: MockEvent) => void): () => void {
      listeners.add(onEvent)
      return () => {
        if (listeners.delete(onEvent) && listeners.size === 0) hasLeft()
      }
    },
    get hasListeners(): boolean {
      return listeners.size > 0
    },
    /** Calls back whenever the last listener leaves. */
    onLeft(callback: () => void): void {
      hasLeft = callback
    },
    emit(event: MockEvent): void {
      observe?.(event)
      for (const listener of listeners) listener(event)
    },
    changed(...subjects: readonly ChangeSubject[]): void {
      for (const subject of subjects) this.emit({ type: 'change', subject })
    },
  }
}
