import type { JournalLine } from '../../core/journal/entry.ts'
import type { ChangeSubject } from '../../core/mock/events.ts'
import type { MockInstance } from '../../core/mock/instance.ts'
import { formatEvent, formatEventText } from './event-stream.ts'

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
  const rendered = renderedLines(instance)
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
    if (ready.some((reader) => reader.latest !== latest))
      rendered.update(Math.min(...Array.from(readers, (reader) => reader.latest)))
    /** The event by the latest exchange that its readers have: most have the same, and share one text. */
    const events = new Map<number, string>()
    for (const reader of ready) {
      for (const subject of reader.changed) reader.sink.send(formatEvent('change', { subject } satisfies ChangeEvent))
      reader.changed.clear()
      if (reader.latest === latest) continue
      const event = events.get(reader.latest) ?? requestsEvent(latest, rendered.after(reader.latest))
      events.set(reader.latest, event)
      reader.latest = latest
      reader.sink.send(event)
    }
    if ([...readers].some(isBehind)) scheduleFlush()
    else rendered.clear()
  }

  const listen = (): (() => void) => {
    const stopInstance = instance.listen((event) => {
      // Readers may connect again, to the session that has the same id then.
      if (event.type === 'closed') for (const { sink } of readers) sink.end()
      else if (event.type === 'request') scheduleFlush()
      else {
        if (event.subject === 'requests') rendered.clear()
        scheduleFlush(event.subject)
      }
    })
    const stopSessions = onSessions(() => scheduleFlush('sessions'))
    return () => {
      stopInstance()
      stopSessions()
      clearTimeout(timer)
      timer = undefined
      rendered.clear()
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

type RenderedLine = { readonly id: number; readonly text: string }

/**
 * The latest lines of an instance as JSON, while a reader has not received them.
 * perf: finding the secrets in long addresses takes a millisecond each, so each line is rendered once for all readers.
 */
const renderedLines = (instance: EventSource) => {
  let lines: readonly RenderedLine[] = []
  return {
    /** Renders the exchanges after the one with this id that are not rendered yet. */
    update(after: number): void {
      const fresh = instance
        .lines(Math.max(after, lines.at(-1)?.id ?? 0), maxLines)
        .map((line) => ({ id: line.id, text: JSON.stringify(line) }))
      lines = [...lines, ...fresh].slice(-maxLines)
    },
    after: (latest: number): readonly RenderedLine[] => lines.filter(({ id }) => id > latest),
    clear(): void {
      lines = []
    },
  }
}

/** The event `requests` with a RequestsEvent whose lines are JSON already. */
const requestsEvent = (latest: number, lines: readonly RenderedLine[]): string =>
  formatEventText('requests', `{"latest":${latest},"lines":[${lines.map(({ text }) => text).join(',')}]}`)
