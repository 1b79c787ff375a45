import type { JournalLine } from '../journal/entry.ts'
import type { MockEvent, MockInstance } from '../mock/instance.ts'

export const eventsPath = '/events'

/** Exchanges since the last event, in short: of many the latest 200. */
export type RequestsEvent = { readonly latest: number; readonly lines: readonly JournalLine[] }

/** How an event is put on the wire (the HTML standard, 9.2: server-sent events). */
const eventText = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const mostLines = 200

/** A burst is told in so many milliseconds' steps: what listens needs no more. */
const step = 50

/** Where events go: a connection that may be behind. */
export type EventSink = {
  readonly send: (text: string) => void
  /** False while what was sent has not left yet. */
  readonly isReady: () => boolean
}

/**
 * Tells what happens in a instance, until the result is called. While the sink is behind, nothing is sent; what comes
 * meanwhile is told in one event after it.
 */
export const tellEvents = (
  instance: Pick<MockInstance, 'exchanges' | 'lines' | 'listen'>,
  onSessions: (onChange: () => void) => () => void,
  { send, isReady }: EventSink,
): (() => void) => {
  let told = instance.exchanges
  let timer: ReturnType<typeof setTimeout> | undefined
  const changed = new Set<string>()

  const soon = (): void => {
    timer ??= setTimeout(flush, step)
  }
  const flush = (): void => {
    timer = undefined
    if (!isReady()) {
      soon()
      return
    }
    for (const subject of changed) send(eventText('change', { subject }))
    changed.clear()
    const { exchanges: latest } = instance
    if (latest === told) return
    const event: RequestsEvent = { latest, lines: instance.lines(told, mostLines) }
    told = latest
    send(eventText('requests', event))
  }
  const stop = instance.listen((event: MockEvent) => {
    if (event.type === 'change') changed.add(event.subject)
    soon()
  })
  const stopSessions = onSessions(() => {
    changed.add('sessions')
    soon()
  })
  send(eventText('state', { latest: told }))
  return () => {
    clearTimeout(timer)
    stop()
    stopSessions()
  }
}
