import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { JournalLine } from '../../../src/core/journal/entry.ts'
import type { MockEvent } from '../../../src/core/mock/observer.ts'
import { type EventSource, eventsOf, type RequestsEvent } from '../../../src/server/control/events.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const instance = () => {
  const listeners = new Set<(event: MockEvent) => void>()
  let oldest = 1
  let latest = 0
  const source: EventSource = {
    journal: {
      get latest() {
        return latest
      },
      lines(after, max) {
        const ids = Array.from({ length: latest }, (_, index) => index + 1).filter((id) => id >= oldest && id > after)
        return ids.slice(-max).map((id) => ({ id }) as JournalLine)
      },
    },
    events: {
      listen(onEvent) {
        listeners.add(onEvent)
        return () => listeners.delete(onEvent)
      },
    },
  }
  const emit = (event: MockEvent) => {
    for (const listener of listeners) listener(event)
  }
  return {
    source,
    emit,
    listeners,
    receive: (requests: number) => {
      latest += requests
      emit({ type: 'request', id: latest })
    },
    clear: () => {
      oldest = latest + 1
      emit({ type: 'change', subject: 'requests' })
    },
  }
}

const reader = () => {
  const texts: string[] = []
  const state = { isReady: true, ended: 0 }
  const sink = { send: (text: string) => texts.push(text), isReady: () => state.isReady, end: () => state.ended++ }
  const ids = () =>
    texts.splice(0).flatMap((text) => {
      const [, data] = /^event: requests\ndata: (.*)\n\n$/.exec(text) ?? []
      return data === undefined ? [] : (JSON.parse(data) as RequestsEvent).lines.map(({ id }) => id)
    })
  return { sink, texts, state, ids }
}

const flush = () => vi.advanceTimersByTime(100)
const noSessions = () => () => undefined
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('the event streams of one instance', () => {
  it('send a slow reader the latest 200 exchanges, and a new one those after it', () => {
    const { source, receive } = instance()
    const [slow, late] = [reader(), reader()]
    eventsOf(source, noSessions)(slow.sink)
    slow.state.isReady = false
    receive(300)
    flush()
    eventsOf(source, noSessions)(late.sink)
    receive(5)
    flush()
    slow.state.isReady = true
    flush()
    expect([slow.ids(), late.ids()]).toEqual([range(106, 305), range(301, 305)])
  })

  it('send no exchange that was cleared meanwhile', () => {
    const { source, receive, clear } = instance()
    const [fast, slow] = [reader(), reader()]
    for (const { sink } of [fast, slow]) eventsOf(source, noSessions)(sink)
    slow.state.isReady = false
    receive(5)
    flush()
    clear()
    receive(1)
    slow.state.isReady = true
    flush()
    expect([fast.ids(), slow.ids()]).toEqual([[...range(1, 5), 6], [6]])
  })

  it('end when the instance is dropped, and stop to listen when their readers leave', () => {
    const { source, emit, listeners } = instance()
    const readers = [reader(), reader()]
    const leave = readers.map(({ sink }) => eventsOf(source, noSessions)(sink))
    expect(listeners.size).toBe(2)
    emit({ type: 'closed' })
    expect(readers.map(({ state }) => state.ended)).toEqual([1, 1])
    for (const stop of leave) stop()
    expect(listeners.size).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })
})
