import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatEvent, heartbeatComment, readEvents, type StreamEvent } from '../../../src/server/control/events.ts'

const streamOf = (chunks: Iterable<Uint8Array>): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

const chunksOf = (text: string, cuts: readonly number[]): Uint8Array[] => {
  const bytes = new TextEncoder().encode(text)
  const borders = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  return borders.slice(1).map((end, index) => bytes.slice(borders[index], end))
}

const read = async (text: string, ...cuts: readonly number[]): Promise<readonly StreamEvent[]> => {
  const events: StreamEvent[] = []
  for await (const event of readEvents(streamOf(chunksOf(text, cuts)))) events.push(event)
  return events
}

describe('readEvents', () => {
  const text = formatEvent('change', { subject: 'plants' }) + formatEvent('requests', { latest: 1 })
  const events = [
    { name: 'change', data: '{"subject":"plants"}' },
    { name: 'requests', data: '{"latest":1}' },
  ]

  it('reads events from single bytes', async () => {
    expect(await read(text, ...Array.from(text, (_, index) => index))).toEqual(events)
  })

  it('reads any data, wherever the chunks end', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.record({ name: fc.stringMatching(/^\w+$/), data: fc.jsonValue() })),
      fc.array(fc.nat()),
      async (given, cuts) => {
        const text = given.map(({ name, data }) => formatEvent(name, data)).join('')
        expect(await read(text, ...cuts)).toEqual(given.map(({ name, data }) => ({ name, data: JSON.stringify(data) })))
      },
    )
    await fc.assert(property)
  })

  it('reads data with line separators of Unicode, which JSON does not escape', async () => {
    expect(await read(formatEvent('change', '\u2028'))).toEqual([{ name: 'change', data: '"\u2028"' }])
  })

  it('skips comments', async () => {
    expect(await read(`${heartbeatComment}${text}${heartbeatComment}`)).toEqual(events)
  })

  it('drops an event that the end of the stream cut off', async () => {
    expect(await read(text.slice(0, -1))).toEqual(events.slice(0, 1))
  })

  it('cancels the stream when its reader leaves', async () => {
    let cancelled = false
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
      cancel: () => {
        cancelled = true
      },
    })
    for await (const _ of readEvents(body)) break
    expect(cancelled).toBe(true)
  })

  it('throws the error of a broken connection', async () => {
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.error(new Error('reset')),
    })
    await expect(readEvents(body).next()).rejects.toThrow('reset')
  })
})
