/** Long enough for few writes, far below the maximum length of a string. */
const minChunkLength = 256 * 1024

/** Joins short texts into chunks of at least 256 Ki characters (the last may be shorter), one in memory at a time. */
export function* textChunks(texts: Iterable<string>): Generator<string> {
  let chunk = ''
  for (const text of texts) {
    chunk += text
    if (chunk.length < minChunkLength) continue
    yield chunk
    chunk = ''
  }
  if (chunk !== '') yield chunk
}
