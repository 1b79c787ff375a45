/** A string of the store has at most 512 MB, and a part is sent at once. */
const partLength = 1024 * 1024

/** Parts of a text that do not split a character of two code units. */
export const partsOf = (text: string): readonly string[] => {
  const parts: string[] = []
  for (let at = 0; at < text.length; ) {
    let end = Math.min(at + partLength, text.length)
    if (isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length) end++
    parts.push(text.slice(at, end))
    at = end
  }
  return parts
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff
