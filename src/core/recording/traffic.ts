import { PlantMockError } from '../../util/errors.ts'
import { groupBy } from '../../util/group-by.ts'
import { fieldsOf, jsonOrUndefined } from '../../util/json.ts'
import { plural } from '../../util/words.ts'
import { filterHeaders, headerValue, type RawHeaders } from '../http/headers.ts'
import { isJsonLikeType } from '../http/media-type.ts'
import { hidden, type Redact, redactHeader, redactor, secretsIn } from '../http/redact.ts'
import { callerRegistry } from '../journal/callers.ts'
import { authenticate } from '../operations/call.ts'
import { contractPaths, effectOf, findOperation, operations } from '../operations/operations.ts'
import { withoutCacheParameters } from './cache-parameters.ts'
import {
  page,
  type RawExchange,
  type RecordedBodies,
  readEntry,
  readJournalEntry,
  type SourceExchange,
} from './entries.ts'

export type Traffic = {
  readonly exchanges: readonly SourceExchange[]
  readonly unit: 'entry' | 'request'
  readonly isSanitised: boolean
  readonly isPartial: boolean
  readonly notes: readonly { readonly kind: 'outside'; readonly place: string; readonly text: string }[]
  readonly basePath?: string
}

/**
 * Reads a HAR 1.2 file, or the response to `GET /__plant-mock/requests`. Leaves out invalid entries with a note.
 * @throws PlantMockError if the file contains no request to `/plants`, or if two services are equally likely to be the
 * recorded service.
 */
export const readTraffic = (value: unknown, file: string, bodies: RecordedBodies): Traffic => {
  const { log, requests } = fieldsOf(value)
  const { entries } = fieldsOf(log)
  const unit = Array.isArray(entries) ? 'entry' : 'request'
  const read = unit === 'entry' ? readEntry : readJournalEntry
  const list: unknown = entries ?? requests
  if (!Array.isArray(list))
    throw new PlantMockError(
      `${file} has neither the list log.entries (HAR file) nor the list requests (/__plant-mock/requests).`,
    )
  const all = withoutForwarded(list.map((one: unknown, i) => read(fieldsOf(one), i + 1, bodies)))
  const names = new Map<string, string>()
  const { secrets, learn, pseudonymOf } = callerRegistry()
  const isForeign = ({ url }: RawExchange): number => Number(baseOf(url) === undefined)
  for (const one of [...all].sort((a, b) => isForeign(a) - isForeign(b)))
    for (const secret of secretsIn(namedValuesIn(one))) learn(secret)
  const redact = redactor(
    () => secrets,
    (secret) => names.get(secret),
  )
  const base = findBase(all, file, redact)
  const marked = withoutForeignDeletes(all, base)
  const about = marked.filter((one) => pathIn(base, one) !== undefined)
  const kept = about
    .filter(({ leftOut }) => leftOut === undefined)
    .sort((a, b) => a.startedAt - b.startedAt || a.place - b.place)
  const sent = new Set(kept.map(({ requestHeaders }) => headerValue(requestHeaders, 'authorization')))
  const isRemoved = sent.size === 1 && sent.has(undefined) && kept.some(({ status }) => status < 300)
  sent.delete(undefined)
  const isMasked = (value = ''): boolean => mask.test(value)
  const isSanitised =
    isRemoved ||
    ([...sent].some(isMasked) && [...sent].every((value) => isMasked(value) || authenticate(value).token === undefined))
  // Leaves out responses with 401 or 403, because a recording without tokens does not show the reason.
  const shown = kept.filter(({ status, requestHeaders }) => {
    const value = headerValue(requestHeaders, 'authorization')
    return status !== 401 && status !== 403 && (value === undefined || isMasked(value))
  })
  const exchanges = withoutCacheParameters(isSanitised ? shown.map(asOneCaller) : kept)
  for (const { requestHeaders } of exchanges) {
    const { token } = authenticate(headerValue(requestHeaders, 'authorization'))
    if (token !== undefined && !names.has(token)) names.set(token, pseudonymOf(subjectOf(token, bodies)))
  }
  const { pathname: basePath } = new URL(base)
  return {
    exchanges: exchanges.map((one) => withoutTokens(one, `${pathIn(base, one)}${one.url.search}`, names, redact)),
    unit,
    isSanitised,
    isPartial: about.some(({ leftOut, method }) => leftOut !== undefined && method !== 'OPTIONS'),
    ...(basePath !== '/' && { basePath: redact(basePath) }),
    notes: [
      ...outsideNotes(marked, base, `${file}: ${unit}`).map((note) => ({ ...note, text: redact(note.text) })),
      ...(isSanitised ? [{ kind: 'outside', place: file, text: noAuthorization } as const] : []),
    ],
  }
}

const namedValuesIn = (one: RawExchange): RawHeaders => {
  const { url, requestHeaders, responseHeaders, requestBody = '', body = '' } = one
  const texts = baseOf(url) === undefined ? [requestBody, body] : []
  return [
    ...[...requestHeaders, ...responseHeaders],
    ...[url.search, url.hash.slice(1), `password=${url.password}`, ...texts.filter((text) => /^[\w.-]+=/.test(text))]
      // Decodes `+` both as a space, as in forms, and as `+`, which a password may contain.
      .flatMap((query) => [query, query.replaceAll('+', '%2B')])
      .flatMap((query) => [...new URLSearchParams(query)].flat()),
    ...texts.flatMap((text) =>
      [...text.matchAll(jsonTextMembers)].flatMap(([, name = '', value]) => [
        name,
        String(jsonOrUndefined(value ?? '')),
      ]),
    ),
  ]
}

const jsonTextMembers = /"([\w.-]{1,100})"\s*:\s*("(?:[^"\\]|\\.)+")/g

const maxClockSkew = 10

/** Merges two records of a request: headers of the service worker, which may add a token, and the page's response. */
const withoutForwarded = (all: readonly RawExchange[]): readonly RawExchange[] => {
  const inOrder = [...all].sort((a, b) => a.startedAt - b.startedAt)
  const groups = groupBy(inOrder, ({ method, url, status, requestBody }) =>
    JSON.stringify([method, url.href, status, requestBody]),
  )
  const merged = new Map<RawExchange, RawExchange>()
  for (const group of groups.values()) {
    const marked = (mark?: RawExchange['worker']) => group.filter(({ worker }) => worker === mark)
    const [forwarded, forwards] = [marked('forwarded'), marked('forwards')]
    if (forwarded.length + forwards.length === 0) continue
    const pages = forwarded.length > 0 ? forwarded : marked()
    let next = 0
    for (const worker of forwards.length > 0 ? forwards : marked()) {
      while ((pages[next]?.endedAt ?? worker.startedAt) < worker.startedAt) next++
      const sent = pages[next]
      if (sent === undefined || sent.startedAt > worker.startedAt + maxClockSkew) continue
      next++
      merged.set(sent, { ...sent, requestHeaders: worker.requestHeaders })
      const leftOut = worker.leftOut ?? 'requests of a page, forwarded by its service worker'
      merged.set(worker, { ...worker, leftOut })
    }
  }
  return all.map((one) => merged.get(one) ?? one)
}

const noAuthorization =
  'Authorization was removed or masked in this recording: every auth.* point stays open, responses with 401 and 403 are left out, and all requests count as requests of one caller'

const mask =
  /\*{3}|\.{3}|^(?:\w+ +)?[[<({_-]*(?:x{3,}|redacted|masked|hidden|removed|filtered|saniti[sz]ed)(?:[ _-]token)?[\])>}_-]*$/i

const asOneCaller = (raw: RawExchange): RawExchange => ({
  ...raw,
  requestHeaders: filterHeaders(raw.requestHeaders, (name) => name !== 'authorization').concat(
    'Authorization',
    'Bearer caller-1',
  ),
})

const baseOf = ({ origin, pathname }: URL): string | undefined => {
  const path = contractPaths.find((one) => pathname.endsWith(one))
  return path && `${origin}${pathname.slice(0, -path.length)}`
}

const pathIn = (base: string, { method, url }: RawExchange): string | undefined => {
  const address = `${url.origin}${url.pathname}`
  const path = address.startsWith(base) ? address.slice(base.length) : ''
  return contractPaths.includes(path) || findOperation({ method, path }) !== undefined ? path : undefined
}

const totalsByKey = (
  all: readonly RawExchange[],
  keyOf: (one: RawExchange) => string | undefined,
  weightOf: (one: RawExchange) => number,
) => {
  const found = new Map<string, { readonly key: string; readonly first: number; readonly sum: number }>()
  for (const one of all) {
    const key = keyOf(one)
    if (key === undefined) continue
    const { first, sum } = found.get(key) ?? { first: one.place, sum: 0 }
    found.set(key, { key, first, sum: sum + weightOf(one) })
  }
  return [...found.values()]
}

const findBase = (all: readonly RawExchange[], file: string, redact: Redact): string => {
  const requests = all.filter(({ leftOut, method }) => leftOut !== page && method !== 'OPTIONS')
  const [best, second] = totalsByKey(requests, ({ url }) => baseOf(url), evidenceIn).sort((a, b) => b.sum - a.sum)
  if (best === undefined)
    throw new PlantMockError(
      `${file} has no request of an API for a path that ends in ${contractPaths.join(' or ')}, so there is nothing to learn.`,
    )
  if (best.sum === second?.sum)
    throw new PlantMockError(
      `${file} shows two services equally: ${redact(best.key)} and ${redact(second.key)}. Record one of them, or delete the entries of the other.`,
    )
  return best.key
}

const evidenceIn = ({ method, requestHeaders, status, responseHeaders, body }: RawExchange): number => {
  const isList =
    method === operations.listPlants.method &&
    status < 300 &&
    (body === undefined ? isJsonLikeType(headerValue(responseHeaders, 'content-type')) : /^\s*\[/.test(body))
  const isOperation = isList || method === operations.createPlant.method
  return 1 + 1e6 * (Number(isOperation) + Number(headerValue(requestHeaders, 'authorization') !== undefined))
}

/** Leaves out deletes of plants that the recording did not create, because no list shows whether the plants existed. */
const withoutForeignDeletes = (all: readonly RawExchange[], base: string): readonly RawExchange[] => {
  const bodies = all.flatMap(({ status, requestBody }) => (status < 300 && requestBody ? requestBody : []))
  const ids = new Set(bodies.map((body) => String(fieldsOf(jsonOrUndefined(body)).id)))
  return all.map((one) => {
    const path = pathIn(base, one) ?? ''
    const isForeign =
      one.status < 300 && effectOf({ method: one.method, path }) === 'removes' && !ids.has(path.split('/').at(-1) ?? '')
    return isForeign ? { ...one, leftOut: one.leftOut ?? 'deletes of plants that the recording did not create' } : one
  })
}

const outsideNotes = (all: readonly RawExchange[], base: string, place: string): Traffic['notes'] => {
  const reasonOf = (one: RawExchange): string | undefined => {
    const { url, leftOut } = one
    if (leftOut === page || pathIn(base, one) !== undefined) return leftOut
    const other = baseOf(url)
    return other === undefined ? 'for other paths' : `of another service, ${other}, not of ${base}`
  }
  return totalsByKey(all, reasonOf, () => 1).map(({ key, first, sum }) => {
    const text = `${plural(sum, 'exchange')} left out: ${key}`
    return { kind: 'outside', place: `${place} ${first}`, text }
  })
}

const withoutTokens = (
  { leftOut: _, worker: __, ...raw }: RawExchange,
  url: string,
  names: ReadonlyMap<string, string>,
  redact: Redact,
): SourceExchange => {
  const { requestHeaders, responseHeaders, requestBody, body } = raw
  const { token } = authenticate(headerValue(requestHeaders, 'authorization'))
  return {
    ...raw,
    url: redact(url),
    requestHeaders: shownHeaders(requestHeaders, redact, token && names.get(token)),
    requestBody: requestBody === undefined ? undefined : redact(unescaped(requestBody)),
    responseHeaders: shownHeaders(responseHeaders, redact),
    body: body === undefined ? undefined : redact(unescaped(body)),
  }
}

/** Decodes JSON escapes such as `\u0061`, which can hide a secret from redaction. */
const unescaped = (json: string): string =>
  json.replaceAll(/\\(?:u00([2-7][\da-f])|.)/gi, (sequence: string, code: string | undefined) => {
    const character = String.fromCharCode(Number.parseInt(code ?? '0', 16))
    return code === undefined || /["\\]/.test(character) ? sequence : character
  })

/** Identifies a user by issuer and subject of a JWT (RFC 7519, 4.1), because the tokens of a user change. */
const subjectOf = (token: string, { decode }: RecordedBodies): string => {
  const { iss, sub } = fieldsOf(jsonOrUndefined(decode(token.split('.')[1] ?? '') ?? ''))
  return typeof sub === 'string' ? `${iss} ${sub}` : token
}

const shownNames = ['authorization', 'content-type', 'content-encoding', 'location', 'link']

const shownHeaders = (headers: RawHeaders, redact: Redact, caller?: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    shownNames.flatMap((name) => {
      const value = headerValue(headers, name)
      if (value === undefined) return []
      const shown = redactHeader(name, value, caller, redact)
      // Replaces the mark `…`, invalid in headers, but not in `Authorization`, where `...` looks like a token.
      return [[name, name === 'authorization' ? shown : shown.replaceAll(hidden, '...')]]
    }),
  )
