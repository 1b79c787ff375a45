import type { JournalLine } from '../../core/journal/entry.ts'
import type { ChangeSubject } from '../../core/mock/command-row.ts'
import type { MockInstance } from '../../core/mock/instance.ts'

export type RequestsEvent = { readonly latest: number; readonly lines: readonly JournalLine[] }

export type ChangeEvent = { readonly subject: ChangeSubject | 'sessions' }

const maxLines = 200

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

export const formatEvent = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

export const heartbeatComment = ':\n\n'

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
