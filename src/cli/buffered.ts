/** In characters. */
const maxBuffered = 64 * 1024

/**
 * Writes the text of one turn of the event loop with one call.
 * perf: a write for each line costs as much as a request; `npm run bench` measures requests with the log.
 */
export const buffered = (write: (text: string) => void) => {
  let buffer = ''
  const flush = (): void => {
    const text = buffer
    buffer = ''
    if (text !== '') write(text)
  }
  const out = (text: string): void => {
    if (buffer === '') setImmediate(flush)
    buffer += text
    if (buffer.length >= maxBuffered) flush()
  }
  return { out, flush }
}
