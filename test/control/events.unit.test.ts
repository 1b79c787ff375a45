import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { instanceEvents } from '../../src/control/events.ts'
import type { MockEvent } from '../../src/mock/events.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const subscribe = () => {
  const sent: string[] = []
  const state = { exchanges: 3, isReady: true, listeners: 2 }
  let emit: (event: MockEvent) => void = () => undefined
  let changeSessions = (): void => undefined
  const stop = () => {
    state.listeners--
  }
  const subscription = instanceEvents(
    {
      get exchanges() {
        return state.exchanges
      },
      lines: (after, max) => [{ after, max }] as never,
      listen: (listener) => {
        emit = listener
        return stop
      },
    },
    (onChange) => {
      changeSessions = onChange
      return stop
    },
  )
  const unsubscribe = subscription({ send: (text) => sent.push(text), isReady: () => state.isReady })
  return {
    state,
    unsubscribe,
    emit: (event: MockEvent) => emit(event),
    changeSessions: () => changeSessions(),
    /** What was sent since the last call. */
    sent: () => sent.splice(0),
  }
}

describe('the events of a mock instance', () => {
  it('begin with its state, and come 50 ms after the first of a burst', () => {
    const { state, emit, sent } = subscribe()
    expect(sent()).toEqual(['event: state\ndata: {"latest":3}\n\n'])
    state.exchanges = 5
    emit({ type: 'change', subject: 'plants' })
    vi.advanceTimersByTime(49)
    emit({ type: 'change', subject: 'plants' })
    expect(sent()).toEqual([])
    vi.advanceTimersByTime(1)
    expect(sent()).toEqual([
      'event: change\ndata: {"subject":"plants"}\n\n',
      'event: requests\ndata: {"latest":5,"lines":[{"after":3,"max":200}]}\n\n',
    ])
    vi.advanceTimersByTime(1_000)
    expect(sent()).toEqual([])
  })

  it('report requests alone when nothing else changed', () => {
    const { state, emit, sent } = subscribe()
    sent()
    state.exchanges = 4
    emit({ type: 'request', id: 4 })
    vi.advanceTimersByTime(50)
    expect(sent()).toEqual(['event: requests\ndata: {"latest":4,"lines":[{"after":3,"max":200}]}\n\n'])
  })

  it('report a change once, and no requests while there are none', () => {
    const { changeSessions, emit, sent } = subscribe()
    sent()
    changeSessions()
    vi.advanceTimersByTime(50)
    expect(sent()).toEqual(['event: change\ndata: {"subject":"sessions"}\n\n'])
    emit({ type: 'change', subject: 'faults' })
    vi.advanceTimersByTime(50)
    expect(sent()).toEqual(['event: change\ndata: {"subject":"faults"}\n\n'])
  })

  it('are merged while the sink is not ready', () => {
    const { state, emit, sent } = subscribe()
    sent()
    state.isReady = false
    emit({ type: 'change', subject: 'plants' })
    vi.advanceTimersByTime(500)
    expect(sent()).toEqual([])
    emit({ type: 'change', subject: 'faults' })
    state.isReady = true
    vi.advanceTimersByTime(50)
    expect(sent()).toHaveLength(2)
  })

  it('end with the subscription', () => {
    const { state, unsubscribe, emit, sent } = subscribe()
    sent()
    emit({ type: 'change', subject: 'plants' })
    unsubscribe()
    vi.advanceTimersByTime(500)
    expect([sent(), state.listeners]).toEqual([[], 0])
  })
})
