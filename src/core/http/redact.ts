import { minSecretLength } from '../contract/caller.ts'
import { headerEntries, type RawHeaders } from './headers.ts'

export type Redact = (text: string) => string

export const hidden = '…'

export type Secrets = ReturnType<typeof secretSet>

type Occurrence = { readonly start: number; readonly end: number; readonly secret: string }

/** Bounds the memory for secrets, because clients can make up any number; later secrets are not added. */
const maxSecrets = 10_000
const maxSecretCharacters = 4 * 1024 * 1024

/**
 * A set of secrets that finds every secret in one pass over a text. A rolling hash (Rabin-Karp) of the last characters
 * selects the places where a secret may end. First characters would match too often, because JWTs begin alike.
 * @param minLength Shorter secrets are not added.
 */
export const secretSet = (minLength = minSecretLength) => {
  /** Maps each form of a secret, plain or escaped, to the secret. */
  const forms = new Map<string, string>()
  /** The lengths of the forms, by the hash of their last `minLength` characters. */
  const lengths = new Map<number, number[]>()
  let availableSecrets = maxSecrets
  let availableCharacters = maxSecretCharacters
  let leaving = 1
  for (let count = 0; count < minLength; count++) leaving = Math.imul(leaving, base)

  const has = (secret: string): boolean => forms.has(secret)

  return {
    has,
    add(secret: string): void {
      if (secret.length < minLength || has(secret)) return
      if (availableSecrets === 0 || secret.length > availableCharacters) return
      availableSecrets--
      availableCharacters -= secret.length
      for (const form of formsOf(secret)) {
        forms.set(form, secret)
        let hash = 0
        for (let at = form.length - minLength; at < form.length; at++) hash = rolled(hash, form, at)
        const known = lengths.get(hash)
        if (known === undefined) lengths.set(hash, [form.length])
        else if (!known.includes(form.length)) known.push(form.length)
      }
    },
    /** @throws RangeError if the search would exceed linear time, because secrets may end almost everywhere. */
    find(text: string): readonly Occurrence[] {
      const found: Occurrence[] = []
      if (forms.size === 0) return found
      let work = minWork + workPerCharacter * text.length
      let hash = 0
      for (let at = 0; at < text.length; at++) {
        hash = rolled(hash, text, at)
        if (at >= minLength) hash = (hash - Math.imul(text.charCodeAt(at - minLength), leaving)) | 0
        const candidates = lengths.get(hash)
        if (candidates === undefined) continue
        const end = at + 1
        for (const length of candidates) {
          work -= length
          if (work < 0) throw new RangeError('The text may contain secrets at too many positions.')
          const secret = length > end ? undefined : forms.get(text.slice(end - length, end))
          if (secret !== undefined) found.push({ start: end - length, end, secret })
        }
      }
      return found
    },
  }
}

const base = 257

const rolled = (hash: number, text: string, at: number): number => (Math.imul(hash, base) + text.charCodeAt(at)) | 0

/** In compared characters. A text that consists of tokens needs 1 per character. */
const workPerCharacter = 64
const minWork = 4 * 1024 * 1024

/**
 * The forms of a secret: unchanged; encoded in URLs and forms (RFC 3986, 2.1); with `+` decoded to a space, as in
 * forms; escaped in JSON, and in JSON inside JSON (RFC 8259, 7); as a member in a JSON pointer (RFC 6901).
 */
const formsOf = (secret: string): Iterable<string> => {
  if (/^[\w.-]*$/.test(secret)) return [secret]
  const encode = (text: string) => encodeURIComponent(text.toWellFormed())
  const component = encode(secret)
  const inUrl = [component, component.replaceAll('%2F', '/'), String(new URLSearchParams([['', secret]])).slice(1)]
  const inPointer = [secret, component, lowerCase(component)].map((name) =>
    name.replaceAll('~', '~0').replaceAll('/', '~1'),
  )
  const plain = inString(secret)
  // PHP, .NET and Gson each escape one more character.
  const inJson = [
    plain,
    plain.replaceAll('/', '\\/'),
    plain.replaceAll('+', '\\u002B'),
    plain.replaceAll('=', '\\u003d'),
  ]
  return new Set([
    ...[secret, secret.replaceAll('+', ' '), ...inUrl, ...inUrl.map(lowerCase)],
    ...[...inPointer, ...inPointer.map(encode), ...inJson, ...inJson.map(inString)],
  ])
}

const lowerCase = (encoded: string): string => encoded.replaceAll(/%../g, (code) => code.toLowerCase())

const inString = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Makes a function that hides secrets in any text: an address, a body, a message. Redact before truncating, because a
 * partial secret is not found. A redactor never throws: it hides a text completely if it cannot search it.
 * @param secrets Called at the first use.
 * @param nameOf Returns the name to show for a secret. Default: no secret has a name.
 */
export const redactor = (
  secrets: () => readonly Secrets[],
  nameOf: (secret: string) => string | undefined = () => undefined,
): Redact => {
  let known: readonly Secrets[] | undefined
  return (text) => {
    try {
      known ??= secrets()
      let shown = ''
      let copied = 0
      for (const { start, end, by } of union(known.flatMap(({ find }) => find(text)))) {
        shown += text.slice(copied, start) + (by === undefined ? hidden : (nameOf(by) ?? hidden))
        copied = end
      }
      return shown + text.slice(copied)
    } catch {
      return hidden
    }
  }
}

type Part = { readonly start: number; readonly end: number; readonly by: string | undefined }

/** Joins overlapping occurrences. The result has a name only if one occurrence covers the others. */
const union = (found: readonly Occurrence[]): readonly Part[] => {
  const joined: Part[] = []
  for (const { start, end, secret } of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1)
    if (last === undefined || start >= last.end) joined.push({ start, end, by: secret })
    else if (end > last.end) joined[joined.length - 1] = { start: last.start, end, by: undefined }
  }
  return joined
}

const credentialHeaders = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie']

/** Whether a header is secret, such as `x-api-key`, `x-csrf-token` or `client-secret`. @param name In lower case. */
const isSecretHeader = (name: string): boolean =>
  credentialHeaders.includes(name) ||
  (/(?:token|secret|password|credential|(?:^|[-_]|api|auth)key)s?$/.test(name) && name !== 'idempotency-key')

export const secretsIn = (headers: RawHeaders): readonly string[] =>
  headerEntries(headers).flatMap(([mixedCase, value]) => {
    const name = mixedCase.toLowerCase()
    if (!isSecretHeader(name)) return []
    return (name === 'set-cookie' ? withoutAttributes(value) : value).split(/[\s,;"'=]+/)
  })

/** `Domain`, `Path` and the like are no secrets (RFC 6265, 4.1.1). One value may hold several cookies. */
const withoutAttributes = (value: string): string =>
  value
    .split(/,\s*(?=[^\s;,=]+=)/)
    .map((cookie) => cookie.split(';', 1)[0])
    .join(';')

/** `Authorization` shows its scheme and the caller. @param name In lower case. */
export const redactHeader = (name: string, value: string, caller: string | undefined, redact: Redact): string => {
  if (name !== 'authorization') return isSecretHeader(name) ? hidden : redact(value)
  // Any other word in front of a space may be part of a secret.
  const [, scheme] = /^(basic|bearer|digest) /i.exec(value) ?? []
  return scheme === undefined ? hidden : `${scheme} ${caller ?? hidden}`
}
