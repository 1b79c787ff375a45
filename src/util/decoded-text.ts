export type Replacement = {
  readonly start: number
  /** After the last character. */
  readonly end: number
  readonly by: string
}

/** Stands for parts that overlap and have different replacements. */
const ellipsis = '…'

/**
 * Replaces parts of a text that are found in its decoded form, where percent-encoding (RFC 3986, 2.1), the escapes of
 * JSON (RFC 8259, 7) and the numeric references of HTML are undone, also several times; everything else stays as it is written. Characters that end a value
 * stay encoded, so that the end of a value in the decoded form is its end in the text.
 * @param find Finds the parts in the decoded form. Parts may overlap.
 */
export const replaceDecoded = (text: string, find: (decoded: string) => readonly Replacement[]): string => {
  const { decoded, offsets } = decode(text)
  const parts = union(find(decoded))
  if (parts.length === 0) return text
  const offsetOf = (index: number): number => offsets?.[index] ?? index
  let result = ''
  let copied = 0
  for (const { start, end, by } of parts) {
    result += text.slice(copied, offsetOf(start)) + by
    copied = offsetOf(end)
  }
  return result + text.slice(copied)
}

/** Joins parts that overlap. The one that covers the others gives the replacement. */
const union = (parts: readonly Replacement[]): readonly Replacement[] => {
  const joined: Replacement[] = []
  for (const part of [...parts].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1)
    if (last === undefined || part.start >= last.end) joined.push(part)
    else if (part.end > last.end) joined[joined.length - 1] = { start: last.start, end: part.end, by: ellipsis }
  }
  return joined
}

/** One encoding inside another needs one round each. */
const maxRounds = 4

export const decodedForm = (text: string): string => decode(text).decoded

const decode = (text: string) => {
  let decoded = text
  /** By index in `decoded`, and for its end: the index in the text. `undefined` when both are equal. */
  let offsets: Uint32Array | undefined
  for (let round = 0; round < maxRounds && /[%\\]|&#/.test(decoded); round++) {
    const next = decodeOnce(decoded, offsets)
    if (next === undefined) break
    decoded = next.decoded
    offsets = next.offsets
  }
  return { decoded, offsets }
}

const decodeOnce = (text: string, before: Uint32Array | undefined) => {
  const offsets = new Uint32Array(text.length + 1)
  let decoded = ''
  let copied = 0
  const copyUntil = (end: number): void => {
    for (let index = copied; index < end; index++) offsets[decoded.length + index - copied] = before?.[index] ?? index
    decoded += text.slice(copied, end)
    copied = end
  }
  for (const { 0: written, 1: inJson, 2: inUrl, 3: decimal, 4: inHtml, index } of text.matchAll(encoded)) {
    const hexadecimal = inUrl ?? inJson ?? inHtml
    const code = hexadecimal === undefined ? Number(decimal ?? slash) : Number.parseInt(hexadecimal, 16)
    const plain = String.fromCharCode(code)
    if (!isDecodable(plain)) continue
    copyUntil(index)
    offsets[decoded.length] = before?.[index] ?? index
    decoded += plain
    copied = index + written.length
  }
  if (copied === 0) return undefined
  copyUntil(text.length)
  offsets[decoded.length] = before?.[text.length] ?? text.length
  return { decoded, offsets }
}

/** An encoded character of ASCII: `\u0061`, `\\u0061` or `%5Cu0061`; `\/`; `%61` or `%2561`; `&#97;` or `&#x61;`. */
const encoded =
  /(?:(?<!\\)\\+|%(?:25)*5c)(?:u00([0-7][\da-f])|\/)|%(?:25)*([0-7][\da-f])|&#(?:0{0,5}(\d{1,3})|x0{0,4}([0-7]?[\da-f]));/gi

const slash = 47

/** Characters that end a value. */
export const staysEncoded = /["'\\&;,#<>%]/g

const isDecodable = (character: string): boolean => /[!-~]/.test(character) && character.search(staysEncoded) === -1

/**
 * Finds the maximal runs of characters that have a minimum length. A regular expression with an open quantifier would
 * keep a position for each character and overflow its stack in a run of some MiB; these match a bounded number each: `run`
 * the characters with which the shortest run begins, `end` a single character after it.
 */
export function* longRuns(text: string, { run, end }: Readonly<Record<'run' | 'end', RegExp>>) {
  for (let start = find(text, 0, run); start !== -1; ) {
    const after = endOfRun(text, start, end)
    yield { start, end: after }
    start = find(text, after, run)
  }
}

/** Where a run ends that begins at `start`. @param end Matches a character that is not part of it; global. */
export const endOfRun = (text: string, start: number, end: RegExp): number => {
  const index = find(text, start, end)
  return index === -1 ? text.length : index
}

const find = (text: string, from: number, pattern: RegExp): number => {
  pattern.lastIndex = from
  return pattern.exec(text)?.index ?? -1
}
