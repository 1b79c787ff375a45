import { isLargeId, type ShownPlant } from '../../core/contract/schemas.ts'
import { operations } from '../../core/operations/operations.ts'
import type { SourceExchange } from '../../core/recording/entries.ts'
import type { Traffic } from '../../core/recording/traffic.ts'
import { fieldsOf, isJsonObject, isNestedTooDeep, jsonOrUndefined } from '../../util/json.ts'
import { allParts, bodyParts, countedPoints, type Item, serviceRequestOf } from '../read/fold.ts'
import { comparable, existingIn, initialPlants, keyOf, type Labels } from '../read/recording.ts'
import { refused, succeeded, type TestResponse } from '../read/response.ts'
import { isCreate, isList, type TestRequest } from '../read/test-request.ts'

const harTimeStep = 1

const unlabelled: Labels = { idOf: () => undefined, keyOf: () => undefined }

const maybeTokenStatuses = [400, 403, 404]

const knownCallers = (exchanges: readonly SourceExchange[]) => {
  const known = new Map<string, number>()
  const refused = new Set<string>()
  const maybe = new Set<string>()
  for (const { method, url, requestHeaders, status } of exchanges) {
    const caller = callerOf(requestHeaders)
    if (caller === undefined || status === 408 || status === 429 || status >= 500) continue
    if (status < 300) known.set(caller, (known.get(caller) ?? 0) + 1)
    // If the service refuses a list without parameters, it refuses the token, except with a 400: it may require a limit.
    else if (status === 401 || (isPlainList({ method, path: url }) && status !== 400)) refused.add(caller)
    else if (maybeTokenStatuses.includes(status)) maybe.add(caller)
    else known.set(caller, known.get(caller) ?? 0)
  }
  for (const caller of refused) if (known.get(caller) === 0) known.delete(caller)
  return { known, maybe: new Set([...maybe].filter((caller) => !known.has(caller) && !refused.has(caller))) }
}

const isPlainList = (request: Pick<TestRequest, 'method' | 'path'>): boolean =>
  isList(request) && request.path === operations.listPlants.path

export const toItems = ({ exchanges, isSanitised }: Traffic): readonly Item[] => {
  const { known: good, maybe } = knownCallers(exchanges)
  const [most] = [...good].sort(([, a], [, b]) => b - a)[0] ?? []
  const roleOf = (caller: string | undefined): TestResponse['as'] => {
    if (caller === undefined) return 'anonymous'
    return caller === most ? 'caller' : good.has(caller) ? 'other' : 'unknown'
  }
  const isMixed = isSanitised && hasSeveralCallers(exchanges)
  const creates = exchanges.filter(({ method, url }) => isCreate({ method, path: url }))
  const items = exchanges.map((exchange): Item => {
    const { method, url, requestHeaders, requestBody, status, responseHeaders, body, startedAt, endedAt } = exchange
    const caller = callerOf(requestHeaders)
    const as = roleOf(caller)
    const { authorization = '', ...others } = requestHeaders
    const request = {
      method,
      path: url,
      as,
      headers: caller === undefined ? requestHeaders : others,
      scheme: authorization.slice(0, authorization.indexOf(' ')),
      ...(requestBody !== undefined && { body: requestBody, json: jsonIn(requestBody) }),
    }
    const response: TestResponse = {
      as,
      curl: () => `${method} ${url} ${requestBody ?? ''}`,
      status,
      headers: new Headers(responseHeaders),
      text: body ?? '',
      json: jsonIn(body ?? ''),
      redact: String,
    }
    const { seen, isUsable } = comparable(request, response)
    const isListed = isList(request)
    const isRaced =
      isListed && creates.some((create) => create.startedAt < endedAt && startedAt + harTimeStep < create.endedAt)
    const isOther = isListed && (isMixed || isRaced || !isUnfiltered(url))
    const sent = serviceRequestOf({ ...request, headers: requestHeaders }, startedAt, (key) => good.has(key))
    // Ignores compressed bodies, which the mock refuses, and bodies such as `[]`, which services often treat specially.
    const isIncomparable =
      sent.sent?.coding !== undefined || (request.json !== undefined && !isJsonObject(request.json))
    return {
      place: exchange.place,
      request,
      response,
      at: startedAt,
      isHeldOut: false,
      caller,
      sent,
      seen,
      text: JSON.stringify(seen.json) ?? '',
      ignored:
        isIncomparable || maybe.has(caller ?? '')
          ? allParts
          : body === undefined || !isUsable || isOther
            ? bodyParts
            : 0,
      known: new Map(),
    }
  })
  const ambiguous = ambiguousRefusals(items)
  return items.map((item) => (ambiguous.has(item) ? { ...item, ignored: allParts } : item))
}

/** Finds refused creates whose reason is unclear: an invalid field, or an id taken by the same or another caller. */
const ambiguousRefusals = (items: readonly Item[]): ReadonlySet<Item> => {
  const hadPlants = new Set(
    initialPlants(unfilteredOf(items), 'added', unlabelled, ({ caller }) => caller).flatMap(
      ({ access = [] }) => access,
    ),
  )
  const creators = new Map<number, Set<string>>()
  const ambiguous = new Set<Item>()
  const doubtful: Item[] = []
  let isShown = false
  for (const item of items) {
    const { caller, request, seen } = item
    const { id, name, tag, ...others } = fieldsOf(request.json)
    if (!isCreate(request) || caller === undefined || typeof id !== 'number') continue
    const callers = creators.get(id) ?? new Set()
    const isOrdinary = Boolean(name && tag && Object.keys(others).length === 0 && !isLargeId(id))
    if (isOrdinary) isShown ||= callers.has(caller)
    else if (callers.size > 0 && seen.status !== 409 && refused(seen)) doubtful.push(item)
    if (succeeded(seen)) creators.set(id, callers.add(caller))
    const mayBeTaken = seen.status === 409 || (callers.size > 0 && refused(seen))
    if (mayBeTaken && hadPlants.has(caller) && !callers.has(caller)) ambiguous.add(item)
  }
  return isShown ? ambiguous : new Set([...ambiguous, ...doubtful])
}

export const startOf = (items: readonly Item[], counted: ReadonlyMap<string, number>) => {
  const stated = unfilteredOf(items)
  // Takes ids of plants from creates that returned an existing plant, because lists show no ids.
  const ids = new Map<string, number>()
  for (const item of stated) {
    const existing = existingIn(item)
    const { id } = fieldsOf(item.request.json)
    if (existing !== undefined && typeof id === 'number') ids.set(keyOf(existing), id)
  }
  return {
    known: countedPoints,
    isOnlyClient: false,
    counted,
    stated,
    labels: { ...unlabelled, idOf: (plant: ShownPlant) => ids.get(keyOf(plant)) },
  }
}

const unfilteredOf = (items: readonly Item[]) =>
  items.filter(({ request: { path } }) => isUnfiltered(path)).map((item) => ({ ...item, response: item.seen }))

const jsonIn = (text: string): unknown => (isNestedTooDeep(text) ? undefined : jsonOrUndefined(text))

const callerOf = ({ authorization = '' }: SourceExchange['requestHeaders']): string | undefined =>
  /^bearer +(caller-\d+)$/i.exec(authorization)?.[1]

const isUnfiltered = (url: string): boolean =>
  [...new URL(url, 'http://plant-mock.invalid').searchParams.keys()].every((name) => name === 'limit')

/** A plant that disappears from lists and appears again suggests that several callers sent the requests. */
const hasSeveralCallers = (exchanges: readonly SourceExchange[]): boolean => {
  const gone = new Set<string>()
  let last = new Set<string>()
  for (const { method, url, status, body = '' } of exchanges) {
    if (!isPlainList({ method, path: url }) || status >= 300) continue
    const json = jsonIn(body)
    const shown = new Set((Array.isArray(json) ? json : []).map((one) => JSON.stringify(one)))
    for (const one of last) if (!shown.has(one)) gone.add(one)
    if ([...shown].some((one) => gone.has(one) && !last.has(one))) return true
    last = shown
  }
  return false
}
