import { minSecretLength } from '../contract/caller.ts'
import { headerEntries, type RawHeaders } from './headers.ts'

export type Redact = (text: string) => string

export const hidden = '…'

export type Secrets = ReturnType<typeof secretSet>

type Occurrence = { readonly start: number; readonly end: number; readonly secret: string }

/** Limits memory, because clients can send any number of secrets. A full set ignores further secrets. */
const maxSecrets = 10_000
const maxSecretCharacters = 4 * 1024 * 1024

/** Finds secrets by a rolling hash (Rabin-Karp) of their last characters, because JWTs have equal first characters. */
export const secretSet = (minLength = minSecretLength) => {
  const secretByForm = new Map<string, string>()
  const lengthsByEndHash = new Map<number, number[]>()
  let availableSecrets = maxSecrets
  let availableCharacters = maxSecretCharacters
  let leaving = 1
  for (let count = 0; count < minLength; count++) leaving = Math.imul(leaving, base)

  const has = (secret: string): boolean => secretByForm.has(secret)

  return {
    has,
    add(secret: string): void {
      if (secret.length < minLength || has(secret)) return
      if (availableSecrets === 0 || secret.length > availableCharacters) return
      availableSecrets--
      availableCharacters -= secret.length
      for (const form of formsOf(secret)) {
        secretByForm.set(form, secret)
        let hash = 0
        for (let at = form.length - minLength; at < form.length; at++) hash = rolled(hash, form, at)
        const known = lengthsByEndHash.get(hash)
        if (known === undefined) lengthsByEndHash.set(hash, [form.length])
        else if (!known.includes(form.length)) known.push(form.length)
      }
    },
    /** @throws RangeError for text with so many near matches that the search would take too long. */
    find(text: string): readonly Occurrence[] {
      const found: Occurrence[] = []
      if (secretByForm.size === 0) return found
      let work = minWork + workPerCharacter * text.length
      let hash = 0
      for (let at = 0; at < text.length; at++) {
        hash = rolled(hash, text, at)
        if (at >= minLength) hash = (hash - Math.imul(text.charCodeAt(at - minLength), leaving)) | 0
        const candidates = lengthsByEndHash.get(hash)
        if (candidates === undefined) continue
        const end = at + 1
        for (const length of candidates) {
          work -= length
          if (work < 0) throw new RangeError('The text may contain secrets at too many positions.')
          const secret = length > end ? undefined : secretByForm.get(text.slice(end - length, end))
          if (secret !== undefined) found.push({ start: end - length, end, secret })
        }
      }
      return found
    },
  }
}

const base = 257

const rolled = (hash: number, text: string, at: number): number => (Math.imul(hash, base) + text.charCodeAt(at)) | 0

const workPerCharacter = 64
const minWork = 4 * 1024 * 1024

const formsOf = (secret: string): Iterable<string> => {
  if (/^[\w.-]*$/.test(secret)) return [secret]
  const encode = (text: string) => encodeURIComponent(text.toWellFormed())
  const component = encode(secret)
  const inUrl = [component, component.replaceAll('%2F', '/'), String(new URLSearchParams([['', secret]])).slice(1)]
  const inPointer = [secret, component, lowerCase(component)].map((name) =>
    name.replaceAll('~', '~0').replaceAll('/', '~1'),
  )
  const plain = inString(secret)
  // The JSON encoders of PHP, .NET and Gson escape `/`, `+` and `=`, respectively.
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

/** Returns a function that hides secrets. Redact before truncating, because a truncated secret is not found. */
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

const isSecretHeader = (name: string): boolean =>
  credentialHeaders.includes(name) ||
  (/(?:token|secret|password|credential|(?:^|[-_]|api|auth)key)s?$/.test(name) && name !== 'idempotency-key')

export const secretsIn = (headers: RawHeaders): readonly string[] =>
  headerEntries(headers).flatMap(([mixedCase, value]) => {
    const name = mixedCase.toLowerCase()
    if (!isSecretHeader(name)) return []
    return (name === 'set-cookie' ? withoutAttributes(value) : value).split(/[\s,;"'=]+/)
  })

/** The attributes of a cookie, such as `Domain` and `Path`, are not secret (RFC 6265, 4.1.1). */
const withoutAttributes = (value: string): string =>
  value
    .split(/,\s*(?=[^\s;,=]+=)/)
    .map((cookie) => cookie.split(';', 1)[0])
    .join(';')

export const redactHeader = (name: string, value: string, caller: string | undefined, redact: Redact): string => {
  if (name !== 'authorization') return isSecretHeader(name) ? hidden : redact(value)
  // Hides an unknown scheme, because the first word may be part of a secret.
  const [, scheme] = /^(basic|bearer|digest) /i.exec(value) ?? []
  return scheme === undefined ? hidden : `${scheme} ${caller ?? hidden}`
}
