import type { JournalLine } from '../../core/journal/entry.ts'
import type { ChangeSubject } from '../../core/mock/command-row.ts'
import type { MockInstance } from '../../core/mock/instance.ts'

/** Contains at most the latest 200 exchanges since the previous event. */
export type RequestsEvent = { readonly latest: number; readonly lines: readonly JournalLine[] }

/** Reports a change that is not a request to the service, such as a new fault. */
export type ChangeEvent = { readonly subject: ChangeSubject | 'sessions' }

const maxLines = 200

/** In milliseconds. Merges a burst of requests into few events. */
const flushInterval = 50

type EventSink = {
  readonly send: (text: string) => void
  readonly isReady: () => boolean
  readonly end: () => void
}

export type EventSource = {
  readonly journal: Pick<MockInstance['journal'], 'latest' | 'lines'>
  readonly events: Pick<MockInstance['events'], 'listen'>
}

export type EventSubscription = (sink: EventSink) => () => void

/** Sends `state` at once. Merges later `requests` and `change` events while the sink is not ready. */
export const eventsOf =
  (instance: EventSource, onSessions: (onChange: () => void) => () => void): EventSubscription =>
  (sink) => {
    let latest = instance.journal.latest
    const changed = new Set<ChangeEvent['subject']>()
    let timer: ReturnType<typeof setTimeout> | undefined

    const schedule = (...subjects: readonly ChangeEvent['subject'][]): void => {
      for (const subject of subjects) changed.add(subject)
      timer ??= setTimeout(flush, flushInterval)
    }

    const flush = (): void => {
      timer = undefined
      if (!sink.isReady()) {
        schedule()
        return
      }
      for (const subject of changed) sink.send(formatEvent('change', { subject } satisfies ChangeEvent))
      changed.clear()
      if (latest === instance.journal.latest) return
      const lines = instance.journal.lines(latest, maxLines)
      latest = instance.journal.latest
      sink.send(formatEvent('requests', { latest, lines } satisfies RequestsEvent))
    }

    const stopInstance = instance.events.listen((event) => {
      // The reader then reconnects, to the new session with the same id.
      if (event.type === 'closed') sink.end()
      else if (event.type === 'request') schedule()
      else schedule(event.subject)
    })
    const stopSessions = onSessions(() => schedule('sessions'))
    sink.send(formatEvent('state', { latest }))
    return () => {
      stopInstance()
      stopSessions()
      clearTimeout(timer)
    }
  }

export type StreamEvent = { readonly name: string; readonly data: string }

/** Formats a server-sent event (HTML standard, 9.2). */
export const formatEvent = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** A comment keeps proxies from closing an idle connection, and readers ignore it. */
export const heartbeatComment = ':\n\n'

/** Reads only events of `formatEvent`, and skips comments. Leaving the loop cancels the stream. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let incomplete = ''
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      const blocks = `${incomplete}${decoder.decode(next.value, { stream: true })}`.split('\n\n')
      incomplete = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(block) ?? []
        if (name !== undefined && data !== undefined) yield { name, data }
      }
    }
  } finally {
    await reader.cancel()
  }
}
