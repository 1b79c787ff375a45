import {
  decodedForm,
  endOfRun,
  longRuns,
  type Replacement,
  replaceDecoded,
  staysEncoded,
} from '../../util/decoded-text.ts'
import { isPseudonym, minSecretLength } from '../contract/caller.ts'
import { headerEntries, type RawHeaders } from './headers.ts'

export type Redact = (text: string) => string

/** Secrets by their text, with what is shown in their place. */
export type Secrets = ReadonlyMap<string, string>

/** Takes the place of a secret that has no name. */
export const hidden = '…'

/**
 * Makes a function that hides secrets in any text: an address, a body, a message. It finds them plain, percent-encoded
 * and escaped in JSON: the given ones, and whatever looks like one: a JWT (RFC 7519), credentials after the name of a
 * scheme if they are no words, and the values of parameters and members that are named as secrets. A text that cannot be
 * searched is hidden as a whole: a redactor never throws.
 * @param secrets Called at the first use.
 * @param nameOf Finds the name to show for a token; `undefined` for any other text.
 * @param findMore Finds more, in the decoded form of a text.
 */
export const redactor = (
  secrets: () => Secrets,
  nameOf: (text: string) => string | undefined = () => undefined,
  findMore: (decoded: string) => Iterable<Replacement> = () => [],
): Redact => {
  let known: Secrets | undefined
  return (text) => {
    try {
      known ??= secrets()
      const given = known
      return replaceDecoded(text, (decoded) => [
        ...occurrences(decoded, given),
        ...tokenRuns(decoded, nameOf),
        ...findMore(decoded),
        ...credentialsAfterScheme(decoded),
        ...values(decoded),
        ...passwords(decoded),
        ...members(decoded),
      ])
    } catch {
      return hidden
    }
  }
}

/** Finds given secrets, also where a form has decoded `+` as a space (`application/x-www-form-urlencoded`). */
function* occurrences(text: string, secrets: Secrets): Generator<Replacement> {
  const searched = text.replaceAll('+', ' ')
  const wanted = new Map<string, string>()
  for (const [secret, by] of secrets)
    for (const form of formsOf(secret)) for (const space of [' ', '%20']) wanted.set(form.replaceAll('+', space), by)
  if (wanted.size > maxSearchedOneByOne) yield* occurrencesOfMany(searched, wanted)
  else
    for (const [form, by] of wanted)
      for (let start = searched.indexOf(form); start !== -1; start = searched.indexOf(form, start + form.length))
        yield { start, end: start + form.length, by }
}

const maxSearchedOneByOne = 32

/** How a decoded text may have a secret: one that looks encoded is decoded, and what ends a value stays encoded. */
const formsOf = (secret: string): readonly string[] => {
  const plain = decodedForm(secret)
  if (plain === secret && secret.search(staysEncoded) === -1) return [secret]
  const inUrl = plain.replaceAll(staysEncoded, (character) => `%${character.charCodeAt(0).toString(16)}`)
  return [
    secret,
    plain,
    inUrl,
    inUrl.replaceAll(/%../g, (code) => code.toUpperCase()),
    JSON.stringify(plain).slice(1, -1),
  ]
}

/** Reads the text once, however many secrets a message has: those that begin with the next characters are compared. */
function* occurrencesOfMany(text: string, wanted: Secrets): Generator<Replacement> {
  const byStart = new Map<string, [form: string, by: string][]>()
  for (const entry of wanted) {
    const start = entry[0].slice(0, minSecretLength)
    byStart.set(start, [...(byStart.get(start) ?? []), entry])
  }
  const lengths = new Set([...byStart.keys()].map(({ length }) => length))
  for (const length of lengths)
    for (let start = 0; start + length <= text.length; start++)
      for (const [form, by] of byStart.get(text.slice(start, start + length)) ?? [])
        if (text.startsWith(form, start)) yield { start, end: start + form.length, by }
}

/** Tokens that have a name, and everything that has the form of a JWT. */
function* tokenRuns(text: string, nameOf: (text: string) => string | undefined): Generator<Replacement> {
  for (const { start, end: runEnd } of longRuns(text, tokenCharacters)) {
    const end = endOfRun(text, runEnd, notEqualsSign)
    const run = text.slice(start, end)
    for (const part of [
      { start: 0, end: run.length },
      ...(run.includes('/') ? longRuns(run, segmentCharacters) : []),
    ]) {
      const by = nameOf(run.slice(part.start, part.end))
      if (by !== undefined) yield { start: start + part.start, end: start + part.end, by }
    }
    const jwt = jwtIn(run)
    if (jwt !== undefined) yield { start: start + jwt, end, by: hidden }
  }
  if (!text.includes(' ')) return
  const joined = text.replaceAll(' ', '+')
  for (const { start, end: runEnd } of longRuns(joined, tokenCharacters)) {
    const end = endOfRun(joined, runEnd, notEqualsSign)
    const by = nameOf(joined.slice(start, end))
    if (by !== undefined) yield { start, end, by }
  }
}

const tokenCharacters = { run: /[\w.~+/-]{16}/g, end: /[^\w.~+/-]/g }
const segmentCharacters = { run: /[^/]{16}/g, end: /\//g }
const notEqualsSign = /[^=]/g

/** Where a JWT begins: a part that begins with the base64 of a JSON object; two or four dots follow. */
const jwtIn = (run: string): number | undefined => {
  for (let start = run.indexOf('eyJ'); start !== -1; start = run.indexOf('eyJ', start + 1)) {
    const dot = run.indexOf('.', start)
    const nextDot = dot === -1 ? -1 : run.indexOf('.', dot + 1)
    if (nextDot === -1) return undefined
    for (; start !== -1 && start < dot; start = run.indexOf('eyJ', start + 1))
      if (nextDot > dot + 1 && isJsonInBase64(run.slice(start, Math.min(dot, start + maxDecoded)))) return start
    start = dot
  }
  return undefined
}

/** In characters of base64. Bounds the work for a text that repeats `eyJ`; a header begins with a short name. */
const maxDecoded = 64

/** Whether base64url decodes to `{"name":`, or to its beginning when the name is longer than the part that is decoded. */
const isJsonInBase64 = (text: string): boolean => {
  try {
    const decoded = atob(
      text
        .slice(0, text.length - (text.length % 4))
        .replaceAll('-', '+')
        .replaceAll('_', '/'),
    )
    return /^\{"[ !#-~]+"\s*:/.test(decoded) || (text.length === maxDecoded && /^\{"[ -~]+$/.test(decoded))
  } catch {
    return false
  }
}

const schemes = 'basic|bearer|digest|dpop|negotiate|ntlm|oauth|token|api-?key|aws4-hmac-sha256'

/** Credentials after the name of a scheme, which is also a word: `Basic succulent-starter-2` is a plant. */
function* credentialsAfterScheme(text: string): Generator<Replacement> {
  afterScheme.lastIndex = 0
  for (let match = afterScheme.exec(text); match !== null; match = afterScheme.exec(text)) {
    const start = separatorEnd(text, match.index + match[0].length)
    const runEnd = endOfRun(text, start, tokenCharacters.end)
    const end = endOfRun(text, runEnd, notEqualsSign)
    const isLong = runEnd - start >= minSecretLength
    if (isLong && (match[1] !== undefined || !consistsOfWords(text.slice(start, end)))) yield { start, end, by: hidden }
    afterScheme.lastIndex = isLong ? end : start
  }
}

const separator = '(?:[ +]|%(?:25)*20)'
const afterScheme = new RegExp(`(authorization\\W{1,8})?\\b(?:${schemes})${separator}`, 'gi')
const separators = new RegExp(`${separator}{1,64}`, 'y')

const separatorEnd = (text: string, start: number): number => {
  separators.lastIndex = start
  let end = start
  for (; separators.test(text); separators.lastIndex = end) end = separators.lastIndex
  return end
}

/** Whether a text consists of words and short numbers: `Monstera-Albo-4L`. Of a random text, a few characters look so. */
const consistsOfWords = (text: string): boolean => {
  let others = 0
  for (const part of text.split(/[^A-Za-z\d]/))
    if (part.length > maxWordLength || !word.test(part)) others += part.length
  return others < minOtherCharacters
}

const minOtherCharacters = 6
const maxWordLength = 64

/** `fern`, `Fern`, `FERN`, `JapaneseMaple`; with a number: `4L`, `2024`, `starter2`. */
const word = /^(?:\d{0,4}(?:[A-Z]?[a-z]*|[A-Z]+)|[A-Z]?[a-z]{2,}(?:[A-Z][a-z]{2,})*\d{0,4}|[A-Z]+\d{1,4})$/

/** Values of parameters: `access_token=…` (RFC 6750, 2.3). */
function* values(text: string): Generator<Replacement> {
  for (let at = text.indexOf('='); at !== -1; at = text.indexOf('=', at + 1)) {
    const name = text.slice(nameStart(text, at), at)
    if (!isSecretName(name)) continue
    const start = at + 1
    const end = endOfRun(text, start, valueEnd)
    if (end > start && !isPseudonym(text.slice(start, Math.min(end, start + maxNameLength))))
      yield { start, end, by: hidden }
    // A text of names and equals signs alone would otherwise be read once for each of them.
    at = end - 1
  }
}

const maxNameLength = 64

const nameStart = (text: string, end: number): number => {
  let start = end
  while (start > Math.max(0, end - maxNameLength) && !nameEnd.has(text[start - 1] ?? '')) start--
  return start
}

const nameEnd = new Set('?&;#"\'<>,(){}/=: \t\n\r\v\f')
const valueEnd = /[&\s"<>#\\]/g

/** Passwords in addresses: `//user:password@host` (RFC 3986, 3.2.1). */
function* passwords(text: string): Generator<Replacement> {
  if (!text.includes('@')) return
  for (const { 0: all, 1: password = '', index } of text.matchAll(
    /\/\/[^\s/?#@:"'<>]{0,256}:([^\s/?#@"'<>]{1,256})@/g,
  )) {
    const end = index + all.length - 1
    yield { start: end - password.length, end, by: hidden }
  }
}

/** Values of members in JSON text, also inside of another text. */
function* members(text: string): Generator<Replacement> {
  if (!text.includes(':')) return
  memberStart.lastIndex = 0
  for (let match = memberStart.exec(text); match !== null; match = memberStart.exec(text)) {
    const { 0: all, 1: quote = '', 2: name = '', 3: opening, index } = match
    if (!isSecretName(name)) continue
    const start = index + all.length
    const end = opening === undefined ? bareEnd(text, quote, start) : closingQuote(text, quote, start)
    if (opening !== undefined) yield { start, end, by: hidden }
    else if (!/^(?:null|true|false)?$/.test(text.slice(start, Math.min(end, start + 6))))
      yield { start, end, by: `${quote}${hidden}${quote}` }
    memberStart.lastIndex = end
  }
}

/** A quotation mark may be escaped, percent-encoded or that of HTML when the JSON is inside of another text. */
const memberStart =
  /((?<!\\)\\*"|%(?:25)*22|(?<!\\)\\+u0022|&quot;|&#0*34;)([\w.$@ -]{1,128}?)\1(?:[\s+]|%(?:25)*20)*:(?:[\s+]|%(?:25)*20)*(\1)?/gi

const closingQuote = (text: string, quote: string, start: number): number => {
  for (let at = text.indexOf(quote, start); at !== -1; at = text.indexOf(quote, at + 1))
    if (!/(?:\\|%(?:25)*5c)$/i.test(text.slice(Math.max(0, at - 12), at))) return at
  return text.length
}

/** The end of a number, a word, an array or an object; brackets in strings do not count. */
const bareEnd = (text: string, quote: string, start: number): number => {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '[' || character === '{') depth++
    else if (depth > 0 && text.startsWith(quote, at))
      at = closingQuote(text, quote, at + quote.length) + quote.length - 1
    else if (character === ']' || character === '}') {
      if (depth === 0) return at
      if (--depth === 0) return at + 1
    } else if (depth === 0 && /[\s,"\\]/.test(character)) return at
  }
  return text.length
}

const isSecretName = (name: string): boolean =>
  /(?:token|jwt|secret|passw(?:or)?d|passphrase|pwd|credentials?|authorization|signature|assertion|session[-_.]?id|(?:^|[-_.[])(?:auth|sig|key|cookie)|(?:api|access|private|secret|auth)[-_.]?key)s?\]?(?:\[[^\]]*\])?$/i.test(
    name,
  ) && !plainKey.test(name)

const plainKey = /(?:^|[-_.])(?:idempotency|sort|cache|primary|foreign|partition)[-_.]?keys?(?:\[\d*\])?$/i

/** Whether the value of a header, whose name is in lower case, is a secret. */
const isSecretHeader = (name: string): boolean => isSecretName(name) || name === 'sec-websocket-protocol'

/** The secrets of at least `minSecretLength` characters in headers and query, decoded, for finding them elsewhere. */
export const secretsIn = (headers: RawHeaders, query = ''): readonly string[] => [
  ...headerEntries(headers).flatMap(([name, value]) =>
    isSecretHeader(name.toLowerCase()) ? secretParts(secretsOfHeader(name, value)) : [],
  ),
  ...[...new URLSearchParams(query)].flatMap(([name, value]) =>
    isSecretName(name) ? [...(value.length < minSecretLength ? [] : [value]), ...secretParts(value)] : [],
  ),
]

/** Of `Set-Cookie` the cookies, without their attributes such as `Domain` (RFC 6265, 4.1.1). Some values are joined. */
const secretsOfHeader = (name: string, value: string): string =>
  /^set-cookie$/i.test(name)
    ? value
        .split(/,\s*(?=[^\s;,=]+=)/)
        .map((cookie) => cookie.split(';', 1)[0])
        .join(';')
    : value

/** The parts of a header such as `Basic <part>` and `name=<part>; name="<part>"`. */
const secretParts = (value: string): readonly string[] =>
  Array.from(longRuns(value, partCharacters), ({ start, end }) =>
    value.slice(start, endOfRun(value, end, notEqualsSign)),
  )

const partCharacters = { run: new RegExp(`[^\\s,;"'=]{${minSecretLength}}`, 'g'), end: /[\s,;"'=]/g }

/** `Authorization` shows its scheme and the caller. @param name In lower case. */
export const redactHeader = (name: string, value: string, caller: string | undefined, redact: Redact): string => {
  if (name !== 'authorization') return isSecretHeader(name) ? hidden : redact(value)
  const [, scheme] = shownScheme.exec(value) ?? []
  return scheme === undefined ? hidden : `${scheme} ${caller ?? hidden}`
}

/** Anything else in front of a space may be part of a secret. */
const shownScheme = new RegExp(`^(${schemes}) `, 'i')
