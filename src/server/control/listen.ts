import { type Connection, request } from './connection.ts'
import { readEvents } from './event-stream.ts'
import { brokenOff, errorOf } from './read-response.ts'

/** Captured at import: fake timers of a test must not stop `waitFor`. */
const { setTimeout, clearTimeout } = globalThis

/** How long to wait before connecting again, in milliseconds; it doubles with each time. */
const minReconnectPause = 100
const maxReconnectPause = 2_000

/**
 * Calls back after each exchange from now on; the result ends that. Connects again when the stream ends, because a proxy
 * cuts a long response, and the mock ends the stream of a session that is dropped; and calls back then, too.
 */
export const listen = async (connection: Connection, onEntry: () => void): Promise<() => void> => {
  const leaving = new AbortController()
  const { signal } = leaving
  const follow = async (events: EventStream): Promise<void> => {
    for await (const { name } of events) if (name === 'requests') onEntry()
  }
  const reconnect = async (): Promise<void> => {
    for (let pause = minReconnectPause; !signal.aborted; pause = Math.min(2 * pause, maxReconnectPause)) {
      await pauseFor(pause, signal)
      const events = await openEvents(connection, signal).catch(() => undefined)
      if (events === undefined) continue
      onEntry()
      await follow(events).catch(() => undefined)
    }
  }
  const events = await openEvents(connection, signal)
  follow(events)
    .catch(() => undefined)
    .then(reconnect)
  return () => leaving.abort()
}

type EventStream = ReturnType<typeof readEvents>

/** Opens the event stream. Its first event, `state`, arrives once the mock listens. */
const openEvents = async (connection: Connection, signal: AbortSignal): Promise<EventStream> => {
  const response = await request(connection, '/events', { signal })
  if (response.body === null) throw await errorOf(response, connection.url)
  const events = readEvents(response.body)
  await events.next().catch((error: unknown) => {
    throw signal.aborted ? error : brokenOff(error, connection.url)
  })
  return events
}

const pauseFor = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds)
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer)
        resolve()
      },
      { once: true },
    )
  })
