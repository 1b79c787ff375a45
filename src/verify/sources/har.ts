import { filterHeaders, headerValue, type RawHeaders } from '../../core/http/headers.ts'
import { hidden, type Redact, redactHeader, redactor, secretSet, secretsIn } from '../../core/http/redact.ts'
import { authenticate } from '../../core/operations/call.ts'
import { contractPaths, effectOf, findOperation } from '../../core/operations/operations.ts'
import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { plural } from '../../util/words.ts'
import { type RawExchange, readEntry, readJournalEntry, type SourceExchange } from './entries.ts'
import type { SourceNote } from './source.ts'

export type Traffic = {
  /** Sorted by the start of the request. */
  readonly exchanges: readonly SourceExchange[]
  /** The word for an exchange in this kind of file. */
  readonly unit: 'entry' | 'request'
  /** Whether `Authorization` was removed from the file. All exchanges then have the same caller. */
  readonly isSanitised: boolean
  /** Whether exchanges were left out: the requests of a caller then cannot be counted. */
  readonly isPartial: boolean
  readonly notes: readonly SourceNote[]
  /** The path of the base URL, if it has one: `/v1`. */
  readonly basePath?: string
}

const rawListOf = (value: unknown) => {
  if (!isJsonObject(value)) return undefined
  const { log, requests } = value
  if (isJsonObject(log) && Array.isArray(log.entries))
    return { unit: 'entry', list: log.entries as readonly unknown[], read: readEntry } as const
  return Array.isArray(requests)
    ? ({ unit: 'request', list: requests as readonly unknown[], read: readJournalEntry } as const)
    : undefined
}

/**
 * Reads the JSON of a HAR 1.2 file, or the response to `GET /__plant-mock/requests` of this mock.
 * @throws PlantMockError that names the file, the entry and the reason.
 */
export const readTraffic = (value: unknown, file: string): Traffic => {
  const raw = rawListOf(value)
  if (raw === undefined)
    throw new PlantMockError(
      `${file} has neither the list log.entries (HAR file) nor the list requests (/__plant-mock/requests).`,
    )
  const { unit, list, read } = raw
  const all = withoutForwarded(
    list.map((one, i) => {
      const fail = (reason: string) => new PlantMockError(`${file}: ${unit} ${i + 1} ${reason}.`)
      if (!isJsonObject(one)) throw fail('is not an object')
      return read(one, i + 1, fail)
    }),
  )
  const [base] = countsOf(all, ({ url }) => baseOf(url))
    .sort((a, b) => b.count - a.count)
    .map(({ text }) => text)
  if (base === undefined)
    throw new PlantMockError(
      `${file} has no ${unit} for a path that ends in ${contractPaths.join(' or ')}, so it shows nothing.`,
    )
  const marked = withoutForeignDeletes(all, base)
  const about = marked.filter((one) => pathIn(base, one) !== undefined)
  const kept = about.filter(({ leftOut }) => leftOut === undefined).sort((a, b) => a.startedAt - b.startedAt)
  const sent = new Set(kept.map(({ requestHeaders }) => headerValue(requestHeaders, 'authorization')))
  const isRemoved = sent.size === 1 && sent.has(undefined) && kept.some(({ status }) => status < 300)
  sent.delete(undefined)
  const isMasked = (value = ''): boolean => mask.test(value)
  const isSanitised =
    isRemoved ||
    ([...sent].some(isMasked) && [...sent].every((value) => isMasked(value) || authenticate(value).token === undefined))
  // Any refusal of a malformed header may be about the header.
  const shown = kept
    .filter(({ status }) => status !== 401 && status !== 403)
    .filter(({ requestHeaders }) => {
      const value = headerValue(requestHeaders, 'authorization')
      return value === undefined || isMasked(value)
    })
    .map(asOneCaller)
  return {
    exchanges: withoutTokens(isSanitised ? shown : kept, base),
    unit,
    isSanitised,
    isPartial: about.some(({ leftOut, method }) => leftOut !== undefined && method !== 'OPTIONS'),
    ...(URL.canParse(base) && new URL(base).pathname !== '/' && { basePath: new URL(base).pathname }),
    notes: [
      ...outsideNotes(marked, base, file, unit),
      ...(isSanitised ? [{ kind: 'outside', place: file, text: noAuthorization } as const] : []),
    ],
  }
}

/** The maximum clock skew between two processes, in milliseconds. */
const maxSkew = 10

/**
 * Merges a page's request with the copy that its service worker forwarded. Keeps the worker's headers, which may add a
 * token, and the page's response, because few programs record response bodies of a worker.
 */
const withoutForwarded = (all: readonly RawExchange[]): readonly RawExchange[] => {
  const others = {
    forwarded: all.filter(({ worker }) => worker !== 'forwarded'),
    forwards: all.filter(({ worker }) => worker !== 'forwards'),
  }
  const merged = new Map<RawExchange, RawExchange>()
  for (const marked of all) {
    if (marked.worker === undefined || merged.has(marked)) continue
    const isForwards = marked.worker === 'forwards'
    const other = others[marked.worker].find((one) => {
      const [page, worker] = isForwards ? [one, marked] : [marked, one]
      return (
        !merged.has(one) &&
        ['method', 'requestBody', 'status'].every((key) => page[key as 'method'] === worker[key as 'method']) &&
        page.url.href === worker.url.href &&
        page.startedAt <= worker.startedAt + maxSkew &&
        worker.startedAt <= page.endedAt
      )
    })
    if (other === undefined) continue
    const [page, worker] = isForwards ? [other, marked] : [marked, other]
    merged.set(page, { ...page, requestHeaders: worker.requestHeaders })
    merged.set(worker, { ...worker, leftOut: worker.leftOut ?? 'a request of a page, forwarded by its service worker' })
  }
  return all.map((one) => merged.get(one) ?? one)
}

const noAuthorization =
  'Authorization was removed or masked in this recording: every auth.* point stays open, responses with 401 and 403 are left out, and all requests count as requests of one caller'

/** Placeholders that programs write instead of a token or a part of a token. */
const mask =
  /\*{3}|\.{3}|^(?:\w+ +)?[[<({_-]*(?:x{3,}|redacted|masked|hidden|removed|filtered|saniti[sz]ed)(?:[ _-]token)?[\])>}_-]*$/i

const asOneCaller = (raw: RawExchange): RawExchange => ({
  ...raw,
  requestHeaders: [
    ...filterHeaders(raw.requestHeaders, (name) => name !== 'authorization'),
    ...['Authorization', 'Bearer caller-1'],
  ],
})

/** The path of the contract at the end of a URL; `undefined` for any other path. */
const pathOf = ({ pathname }: URL): string | undefined => contractPaths.find((path) => pathname.endsWith(path))

/** The base URL of a request for a path of the contract; `undefined` for any other path. */
const baseOf = (url: URL): string | undefined => {
  const path = pathOf(url)
  return path === undefined ? undefined : `${url.origin}${url.pathname.slice(0, -path.length)}`
}

/** The path of a request to the service at `base`; `undefined` for other requests. */
const pathIn = (base: string, { method, url }: RawExchange): string | undefined => {
  const address = `${url.origin}${url.pathname}`
  const path = address.startsWith(base) ? address.slice(base.length) : ''
  return contractPaths.includes(path) || findOperation({ method, path }) !== undefined ? path : undefined
}

/** Leaves out deletes of plants that no create in the recording has added: lists do not show whether they existed. */
const withoutForeignDeletes = (all: readonly RawExchange[], base: string): readonly RawExchange[] => {
  const ids = new Set<unknown>()
  for (const { requestBody = '', status } of all) {
    const sent = status < 300 ? jsonOrUndefined(requestBody) : undefined
    if (isJsonObject(sent)) ids.add(String(sent.id))
  }
  return all.map((one) => {
    const path = pathIn(base, one) ?? ''
    const isForeign = effectOf({ method: one.method, path }) === 'removes' && !ids.has(path.split('/').at(-1))
    return isForeign ? { ...one, leftOut: one.leftOut ?? 'deletes of plants that the recording did not create' } : one
  })
}

/** How often each text occurs, and the place of its first occurrence. */
const countsOf = (
  all: readonly RawExchange[],
  textOf: (one: RawExchange) => string | undefined,
): { readonly text: string; readonly count: number; readonly place: number }[] => {
  const counts = new Map<string, { readonly text: string; count: number; readonly place: number }>()
  for (const one of all) {
    const text = textOf(one)
    const known = text === undefined ? undefined : counts.get(text)
    if (known !== undefined) known.count++
    else if (text !== undefined) counts.set(text, { text, count: 1, place: one.place })
  }
  return [...counts.values()]
}

const outsideNotes = (
  all: readonly RawExchange[],
  base: string,
  file: string,
  unit: Traffic['unit'],
): readonly SourceNote[] => {
  const reasonOf = (one: RawExchange): string | undefined => {
    const { url, method, leftOut } = one
    if (pathIn(base, one) !== undefined) return leftOut
    const other = baseOf(url)
    if (other !== undefined) return `of another service, ${other}; most exchanges are with ${base}`
    const parent = contractPaths.find((path) => `${url.origin}${url.pathname}`.startsWith(`${base}${path}/`))
    return parent === undefined ? 'for other paths' : `${method} ${parent}/…`
  }
  return countsOf(all, reasonOf).map(({ text, count, place }) => ({
    kind: 'outside',
    place: `${file}: ${unit} ${place}`,
    text: `${plural(count, 'exchange')} left out: ${text}`,
  }))
}

/** Replaces each token by the name of its caller, and hides other secrets in the whole file. */
const withoutTokens = (raw: readonly RawExchange[], base: string): readonly SourceExchange[] => {
  const secrets = secretSet()
  const callers = new Map<string, string>()
  const names = new Map<string, string>()
  for (const { requestHeaders, responseHeaders, url } of raw) {
    for (const headers of [requestHeaders, responseHeaders, [...url.searchParams].flat()])
      for (const secret of secretsIn(headers)) secrets.add(secret)
    const { token } = authenticate(headerValue(requestHeaders, 'authorization'))
    if (token === undefined) continue
    const subject = subjectOf(token)
    if (!callers.has(subject)) callers.set(subject, `caller-${callers.size + 1}`)
    names.set(token, callers.get(subject) ?? '')
  }
  const redact = redactor(
    () => [secrets],
    (secret) => names.get(secret),
  )
  return raw.map((one) => {
    const { leftOut: _, worker: __, url, requestHeaders, responseHeaders, requestBody, body, ...rest } = one
    const { token } = authenticate(headerValue(requestHeaders, 'authorization'))
    return {
      ...rest,
      url: redact(`${pathIn(base, one)}${url.search}`),
      requestHeaders: shownHeaders(requestHeaders, redact, token && names.get(token)),
      requestBody: requestBody === undefined ? undefined : redact(requestBody),
      responseHeaders: shownHeaders(responseHeaders, redact),
      body: body === undefined ? undefined : redact(body),
    }
  })
}

/** The user of a JWT (RFC 7519, 4.1.2), because a user's tokens expire and change; other tokens unchanged. */
const subjectOf = (token: string): string => {
  const payload = jsonOrUndefined(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  return isJsonObject(payload) && typeof payload.sub === 'string' ? `${payload.iss} ${payload.sub}` : token
}

const shownNames = ['authorization', 'content-type', 'content-encoding', 'location']

const shownHeaders = (headers: RawHeaders, redact: Redact, caller?: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    shownNames.flatMap((name) => {
      const value = headerValue(headers, name)
      if (value === undefined) return []
      const shown = redactHeader(name, value, caller, redact)
      // Headers are Latin-1, so `…` becomes `...`; not in credentials, where `...` would be a well-formed token.
      return [[name, name === 'authorization' ? shown : shown.replaceAll(hidden, '...')]]
    }),
  )
