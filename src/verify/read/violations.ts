import type { OperationId } from '../../core/assumptions/operation-ids.ts'
import type { BrokenRule, RuleId } from '../../core/contract/rules.ts'
import { statedLimit } from '../../core/operations/list-plants.ts'
import type { AnsweredRequest } from '../../core/operations/operation.ts'
import { brokenRules } from '../../core/operations/violations.ts'
import { isJsonObject } from '../../util/json.ts'
import { elementsOf, isGranted, isPage, isServerError, refused, succeeded, type TestResponse } from './response.ts'
import { type CallerRole, isCreate, isList, type TestRequest } from './test-request.ts'
import { describe, type Fields, failed, type RuleVerdict, shownPart, storedFault } from './verdict.ts'

type Seen = { readonly elements: readonly unknown[]; readonly keys: readonly (string | undefined)[] }

type Sent = { readonly plant: Fields; readonly as: CallerRole; readonly number: number }

/** A list above this limit may fail because the limit is unusual. */
const maxUsualLimit = 1000

/**
 * Judges every response of a check by all rules of the contract, because a violation may appear only beyond some size
 * or number of requests. Keeps the first failure of each rule, without bodies.
 * @param keyOf Identifies a sample plant; `undefined` for anything else. Default: recognises no plant.
 */
export const createViolations = (keyOf: (plant: unknown) => string | undefined = () => undefined) => {
  const failures = new Map<RuleId, RuleVerdict>()
  const created = new Map<string, Sent>()
  /** Created plants by id. */
  const ids = new Map<unknown, { readonly key: string | undefined; readonly as: CallerRole }>()
  /** The status of each refused create, by key. `uncertain`: keys of failed creates that may have been carried out. */
  const refusals = new Map<string, number>()
  const uncertain = new Set<string>()
  const unlisted = createUnlisted(created)
  let seen: Seen = { elements: [], keys: [] }
  /** Server errors, which count only once a later request succeeds: until then, the service may be down. */
  let serverErrors: (readonly [id: RuleId, response: TestResponse])[] = []

  /** @param fault The violation in words; `undefined` for a kept rule. */
  const note = (id: RuleId, response: TestResponse, fault: string | undefined): void => {
    if (fault !== undefined && !failures.has(id)) failures.set(id, failed(response, fault))
  }

  const judgeSuccess = (
    operation: OperationId,
    { path, json: sent }: TestRequest,
    response: TestResponse,
    others: Pick<AnsweredRequest, 'isRepeated' | 'hasTag'>,
  ): void => {
    const { headers, text, json } = response
    const received = { contentType: headers.get('content-type') ?? undefined, text, json }
    for (const broken of brokenRules(operation, { query: queryIn(path), sent, ...others }, received))
      if (!failures.has(broken.rule)) note(broken.rule, response, describeBroken(broken, response))
  }

  const judgeList = (request: TestRequest, response: TestResponse): void => {
    const limit = limitOf(request)
    if (!succeeded(response)) {
      const isUsual = request.as === 'caller' && limit !== undefined && limit > 0 && limit <= maxUsualLimit
      if (isUsual && isServerError(response)) serverErrors.push(['list.succeeds', response])
      return
    }
    if (!Array.isArray(response.json)) {
      // An invalid request may return any form of error. Null is a wrong list, not an error.
      const isNull = response.json === null && isOwn(request)
      if (!isNull && (!isValid(request) || isPage(response))) return
    }
    const hasTag = (element: unknown): boolean => created.has(keyOf(element) ?? '')
    judgeSuccess('listPlants', request, response, { isRepeated: false, hasTag })
    if (!Array.isArray(response.json)) return
    const keys = keysOf(response)
    for (const [i, element] of elementsOf(response).entries()) {
      const key = keys[i] ?? ''
      const sent = created.get(key)
      if (sent !== undefined) judgeListed(request, response, element, sent)
      const refusal = refusals.get(key)
      if (refusal !== undefined) {
        const shown = shownPart(response, element)
        const fault = `a create was refused with ${refusal}, but lists show its plant ${shown}`
        note(refusal === 401 ? 'auth.create' : 'robust.refusal', response, fault)
      }
    }
    unlisted.note(request, keys)
  }

  /** The keys of the elements. Equal consecutive responses share one array. */
  const keysOf = (response: TestResponse): Seen['keys'] => {
    const elements = elementsOf(response)
    if (elements !== seen.elements) seen = { elements, keys: elements.map(keyOf) }
    return seen.keys
  }

  const judgeListed = (request: TestRequest, response: TestResponse, element: unknown, { plant, as }: Sent): void => {
    const isForeign = [as, request.as].every((role) => role === 'caller' || role === 'other') && as !== request.as
    const who = request.as === 'other' ? 'the other caller' : 'the caller'
    if (isForeign)
      note('list.access', response, `${who} sees ${shownPart(response, element)}, which another caller added`)
    note('create.stored', response, storedFault(response, element, plant))
  }

  const judgeCreate = (request: TestRequest, response: TestResponse): void => {
    const plant = request.json
    if (!isJsonObject(plant)) return
    const key = keyOf(plant)
    const isRepeated = ids.has(plant.id)
    // A second create with the same id may replace the caller's own plant, but not another caller's.
    const earlier = ids.get(plant.id)
    if (earlier?.as === request.as && !refused(response)) unlisted.forget(earlier.key)
    const isWhole = typeof plant.name === 'string' && typeof plant.tag === 'string' && Number.isInteger(plant.id)
    if (!succeeded(response)) {
      const isUsual = request.as === 'caller' && isWhole && !isRepeated && isJsonRequest(request)
      if (isUsual && isServerError(response)) serverErrors.push(['create.succeeds', response])
      if (key !== undefined && refused(response) && !uncertain.has(key)) refusals.set(key, response.status)
      return
    }
    if (isPage(response)) return
    if (key !== undefined) refusals.delete(key)
    judgeSuccess('createPlant', request, response, { isRepeated, hasTag: () => true })
    const { json } = response
    // For a repeated id, a service may return the existing plant.
    const isSame = isJsonObject(json) && json.name === plant.name && json.tag === plant.tag
    if (key !== undefined && isWhole && (!isRepeated || isSame)) {
      created.set(key, { plant, as: request.as, number: created.size })
      if (!isRepeated) unlisted.add(key)
    }
    ids.set(plant.id, { key, as: request.as })
  }

  return {
    /** @param response The final response: a refused token or a server error is final only after a retry. */
    judge(request: TestRequest, response: TestResponse): void {
      if (!isList(request) && !isCreate(request)) return
      if (succeeded(response)) {
        for (const [id, failure] of serverErrors) note(id, failure, describe(failure))
        serverErrors = []
      }
      if (isWithoutToken(request) && isGranted(response))
        note(isList(request) ? 'auth.list' : 'auth.create', response, `without a token ${describe(response)}`)
      if (isList(request)) judgeList(request, response)
      else judgeCreate(request, response)
    },
    /** Notes that a failed create may have been carried out. */
    doubt(request: TestRequest): void {
      const key = isCreate(request) ? keyOf(request.json) : undefined
      if (key === undefined) return
      uncertain.add(key)
      refusals.delete(key)
    },
    missing: unlisted.first,
    note,
    failureOf: (id: RuleId): RuleVerdict | undefined => failures.get(id),
    firstBroken: (): RuleId | undefined => [...failures.keys()][0],
  }
}

/** Tracks which created plants no list has shown yet. */
const createUnlisted = (created: ReadonlyMap<string, Sent>) => {
  const unlisted = new Set<string>()
  /** Created plants missing from an untruncated list that shows an older and a newer plant. */
  const missing = new Set<string>()
  /** The last list of each caller and query. A later, longer list proves that this list was not truncated. */
  const lastLists = new Map<string, { readonly length: number; readonly leftOut: readonly string[] }>()
  return {
    add: (key: string) => unlisted.add(key),
    forget: (key = '') => unlisted.delete(key),
    note({ as, path }: TestRequest, keys: readonly (string | undefined)[]): void {
      for (const key of keys) for (const plants of [unlisted, missing]) plants.delete(key ?? '')
      const query = `${as} ${path}`
      const last = lastLists.get(query)
      if (last !== undefined && last.length < keys.length)
        for (const key of last.leftOut) if (unlisted.has(key)) missing.add(key)
      const numbers = keys.flatMap((key) => created.get(key ?? '')?.number ?? [])
      const [oldest, newest] = [Math.min(...numbers), Math.max(...numbers)]
      const leftOut = [...unlisted].filter((key) => {
        const sent = created.get(key)
        return sent?.as === as && sent.number > oldest && sent.number < newest
      })
      lastLists.set(query, { length: keys.length, leftOut })
    },
    /**
     * The first created plant that no list has shown, although a list shows an older and a newer plant.
     * `isProven`: the list was certainly not truncated.
     */
    first(): { readonly plant: Fields; readonly isProven: boolean } | undefined {
      const [proven] = missing
      const key = proven ?? [...lastLists.values()].flatMap(({ leftOut }) => leftOut).find((one) => unlisted.has(one))
      const plant = created.get(key ?? '')?.plant
      return plant && { plant, isProven: proven !== undefined }
    },
  }
}

/** A request without a token, or with a scheme other than Bearer. */
const isWithoutToken = ({ as, headers: { authorization = '' } }: TestRequest): boolean =>
  as === 'anonymous' && !/^bearer +\S/i.test(authorization)

const queryIn = (path: string): string => path.split('?', 2)[1] ?? ''

const limitOf = ({ path }: TestRequest): number | undefined => statedLimit(queryIn(path))

/** A detail may contain the name of a member, into which the service may echo a token. */
const describeBroken = ({ detail, part }: BrokenRule, response: TestResponse): string =>
  `${response.redact(detail)}${part === undefined ? '' : `: ${shownPart(response, part)}`}`

const isOwn = ({ as }: TestRequest): boolean => as === 'caller' || as === 'other'

const isValid = (request: TestRequest): boolean => isOwn(request) && (limitOf(request) ?? 0) > 0

const isJsonRequest = ({ headers }: TestRequest): boolean => headers['content-type'] === 'application/json'
