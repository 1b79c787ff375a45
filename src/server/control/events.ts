import type { JournalLine } from '../../core/journal/entry.ts'
import type { MockInstance } from '../../core/mock/instance.ts'
import type { ChangeSubject } from '../../core/mock/observer.ts'

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

/** The part of a mock instance that its events come from. */
export type EventSource = Pick<MockInstance, 'exchanges' | 'lines' | 'listen'>

/** The event streams of all mock instances. */
export class EventFeeds {
  readonly #feeds = new WeakMap<EventSource, EventSubscription>()
  readonly #onSessions: (onChange: () => void) => () => void

  /** @param onSessions Calls back when a session is made or dropped; the result stops that. */
  constructor(onSessions: (onChange: () => void) => () => void) {
    this.#onSessions = onSessions
  }

  /**
   * The events of a mock instance: `state` at once, then `requests` and `change`. While the sink is not ready nothing is
   * sent; events from that time are merged into the next ones.
   */
  of(instance: EventSource): EventSubscription {
    const feed = this.#feeds.get(instance) ?? feedOf(instance, this.#onSessions)
    this.#feeds.set(instance, feed)
    return feed
  }
}

type Reader = {
  readonly sink: EventSink
  /** The id of the latest exchange that was sent. */
  latest: number
  readonly changed: Set<ChangeEvent['subject']>
}

/** The feed of one instance, with one timer for all of its readers. */
const feedOf = (instance: EventSource, onSessions: (onChange: () => void) => () => void): EventSubscription => {
  const readers = new Set<Reader>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let stopListening: () => void = () => undefined

  const scheduleFlush = (...subjects: readonly ChangeEvent['subject'][]): void => {
    for (const { changed } of readers) for (const subject of subjects) changed.add(subject)
    timer ??= setTimeout(flush, flushInterval)
  }

  const flush = (): void => {
    timer = undefined
    const { exchanges: latest } = instance
    const isBehind = (reader: Reader): boolean => reader.latest !== latest || reader.changed.size > 0
    const ready = [...readers].filter((reader) => isBehind(reader) && reader.sink.isReady())
    /** The event by the latest exchange that its readers have: most have the same, and share one text. */
    const events = new Map<number, string>()
    for (const reader of ready) {
      for (const subject of reader.changed) reader.sink.send(formatEvent('change', { subject } satisfies ChangeEvent))
      reader.changed.clear()
      if (reader.latest === latest) continue
      const lines = () => instance.lines(reader.latest, maxLines)
      const event =
        events.get(reader.latest) ?? formatEvent('requests', { latest, lines: lines() } satisfies RequestsEvent)
      events.set(reader.latest, event)
      reader.latest = latest
      reader.sink.send(event)
    }
    if ([...readers].some(isBehind)) scheduleFlush()
  }

  const listen = (): (() => void) => {
    const stopInstance = instance.listen((event) => {
      // Readers may connect again, to the session that has the same id then.
      if (event.type === 'closed') for (const { sink } of readers) sink.end()
      else if (event.type === 'request') scheduleFlush()
      else scheduleFlush(event.subject)
    })
    const stopSessions = onSessions(() => scheduleFlush('sessions'))
    return () => {
      stopInstance()
      stopSessions()
      clearTimeout(timer)
      timer = undefined
    }
  }

  return (sink) => {
    const reader: Reader = { sink, latest: instance.exchanges, changed: new Set() }
    readers.add(reader)
    if (readers.size === 1) stopListening = listen()
    sink.send(formatEvent('state', { latest: reader.latest }))
    return () => {
      if (readers.delete(reader) && readers.size === 0) stopListening()
    }
  }
}

/** One server-sent event: its name, and its data as text. */
export type StreamEvent = { readonly name: string; readonly data: string }

/** Formats an event with its data as JSON, as the HTML standard (9.2, server-sent events) requires. */
export const formatEvent = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

/** A comment: readers ignore it, and proxies see traffic on an idle connection. */
export const heartbeatComment = ':\n\n'

/**
 * Reads the events of a stream that `formatEvent` wrote: a line `event`, a line `data` and an empty line, ended by LF.
 * Comments are skipped. Leaving the loop cancels the stream.
 * @throws The error of the stream when its connection breaks.
 */
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
