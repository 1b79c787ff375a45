import type { JournalLine } from '../journal/entry.ts'
import type { ChangeSubject } from '../mock/events.ts'
import type { MockInstance } from '../mock/instance.ts'
import { formatEvent } from './event-stream.ts'

/** Data of the event `requests`: the exchanges since the previous one; of more than 200, the latest 200. */
export type RequestsEvent = { readonly latest: number; readonly lines: readonly JournalLine[] }

/** Data of the event `change`: part of the mock was changed by something other than a request to the service. */
export type ChangeEvent = { readonly subject: ChangeSubject | 'sessions' }

const maxLines = 200

/** Milliseconds over which events are collected, so that a burst of requests becomes few events. */
const flushInterval = 50

/** The receiving end of an event stream, with its backpressure. */
export type EventSink = {
  readonly send: (text: string) => void
  /** False while too much that was sent is still buffered. */
  readonly isReady: () => boolean
  /** Ends the stream, because nothing more will be sent. */
  readonly end: () => void
}

/** Starts to send events; the result ends that. */
export type EventSubscription = (sink: EventSink) => () => void

/**
 * The events of a mock instance: `state` at once, then `requests` and `change`. While the sink is not ready nothing is
 * sent; events from that time are merged into the next ones.
 * @param onSessions Calls back when a session is made or dropped.
 */
export const instanceEvents =
  (
    instance: Pick<MockInstance, 'exchanges' | 'lines' | 'listen'>,
    onSessions: (onChange: () => void) => () => void,
  ): EventSubscription =>
  ({ send, isReady, end }) => {
    let latestSent = instance.exchanges
    let timer: ReturnType<typeof setTimeout> | undefined
    const changed = new Set<ChangeEvent['subject']>()

    const scheduleFlush = (...subjects: readonly ChangeEvent['subject'][]): void => {
      for (const subject of subjects) changed.add(subject)
      timer ??= setTimeout(flush, flushInterval)
    }
    const flush = (): void => {
      timer = undefined
      if (!isReady()) {
        scheduleFlush()
        return
      }
      for (const subject of changed) send(formatEvent('change', { subject } satisfies ChangeEvent))
      changed.clear()
      const { exchanges: latest } = instance
      if (latest === latestSent) return
      const event: RequestsEvent = { latest, lines: instance.lines(latestSent, maxLines) }
      latestSent = latest
      send(formatEvent('requests', event))
    }
    const stopListening = instance.listen((event) => {
      // Its reader may connect again, to the session that has the same id then.
      if (event.type === 'closed') end()
      else scheduleFlush(...(event.type === 'change' ? [event.subject] : []))
    })
    const stopSessions = onSessions(() => scheduleFlush('sessions'))
    send(formatEvent('state', { latest: latestSent }))
    return () => {
      clearTimeout(timer)
      stopListening()
      stopSessions()
    }
  }
