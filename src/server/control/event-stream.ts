/** One server-sent event: its name, and its data as text. */
export type StreamEvent = { readonly name: string; readonly data: string }

/** Formats an event with its data as JSON, as the HTML standard (9.2, server-sent events) requires. */
export const formatEvent = (name: string, data: unknown): string => formatEventText(name, JSON.stringify(data))

/** The same, of data that is JSON text already. */
export const formatEventText = (name: string, json: string): string => `event: ${name}\ndata: ${json}\n\n`

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
