import type { OperationId } from '../../core/assumptions/operation-ids.ts'
import type { BrokenRule, RuleId } from '../../core/contract/rules.ts'
import { statedLimit } from '../../core/operations/list-plants.ts'
import type { AnsweredRequest } from '../../core/operations/operation.ts'
import { brokenRules } from '../../core/operations/violations.ts'
import { isJsonObject } from '../../util/json.ts'
import { elementsOf, isGranted, isPage, isServerError, refused, succeeded, type TestResponse } from './response.ts'
import { type CallerRole, isCreate, isList, type TestRequest } from './test-request.ts'
import { describe, excerpt, failed, type RuleVerdict } from './verdict.ts'

type Fields = Readonly<Record<string, unknown>>

type Sent = { readonly plant: Fields; readonly as: CallerRole; readonly number: number }

const maxUsualLimit = 1000

/** Judges every response by all rules, because a violation may need a certain size or number of requests. */
export const createViolations = (keyOf: (plant: unknown) => string | undefined = () => undefined) => {
  const failures = new Map<RuleId, RuleVerdict>()
  const created = new Map<string, Sent>()
  const ids = new Map<unknown, { readonly key: string | undefined; readonly as: CallerRole }>()
  const refusals = new Map<string, number>()
  const attempts = new Map<string, number>()
  /** Accepted plants with wrong types. Only their creates count as broken rules, not each list that shows them. */
  const mistyped = new Set<string>()
  const leftOut = createLeftOut(created)
  /** Server errors count as violations only after a later success, because the service may have been down. */
  let serverErrors: (readonly [id: RuleId, response: TestResponse])[] = []

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
      // The contract defines no response to an invalid limit, but `null` is never a valid list.
      const isNull = response.json === null && isOwn(request)
      if (!isNull && (!isValid(request) || isPage(response))) return
    }
    const hasTag = (element: unknown): boolean => created.has(keyOf(element) ?? '')
    const json = Array.isArray(response.json) && mistyped.size > 0 ? response.json.map(withoutMistyped) : response.json
    judgeSuccess('listPlants', request, { ...response, json }, { isRepeated: false, hasTag })
    if (!Array.isArray(response.json)) return
    const elements = elementsOf(response)
    const keys = elements.map(keyOf)
    const copies = new Map<string, number>()
    for (const [i, element] of elements.entries()) {
      const key = keys[i] ?? ''
      const sent = created.get(key)
      if (sent !== undefined) {
        judgeListed(request, response, element, sent)
        copies.set(key, (copies.get(key) ?? 0) + 1)
        const [shown, made] = [copies.get(key) ?? 0, attempts.get(key) ?? 1]
        const fault = `${shownPart(response, element)} was created ${times(made)}, but is listed ${times(shown)}`
        if (shown > made) note('create.stored', response, fault)
      }
      const refusal = refusals.get(key)
      if (refusal !== undefined) {
        const shown = shownPart(response, element)
        const fault = `a create was refused with ${refusal}, but lists show its plant ${shown}`
        note(refusal === 401 ? 'auth.create' : 'robust.refusal', response, fault)
      }
    }
    leftOut.note(request, keys)
  }

  const withoutMistyped = (element: unknown): unknown =>
    mistyped.has(mistypedKeyOf(element)) ? { name: '', tag: '' } : element

  const judgeListed = (request: TestRequest, response: TestResponse, element: unknown, { plant, as }: Sent): void => {
    const who = { caller: 'the caller', other: 'the other caller', unknown: 'a made-up token', anonymous: '' }[
      request.as
    ]
    if (who !== '' && as !== 'anonymous' && as !== request.as)
      note('list.access', response, `${who} sees ${shownPart(response, element)}, which another caller added`)
    note('create.stored', response, storedFault(response, element, plant))
  }

  const judgeCreate = (request: TestRequest, response: TestResponse): void => {
    const plant = request.json
    if (!isJsonObject(plant)) return
    const key = keyOf(plant)
    const isRepeated = ids.has(plant.id)
    // Stops expecting the caller's earlier plant in lists: a second create with the same id may replace the plant.
    const earlier = ids.get(plant.id)
    if (earlier?.as === request.as && !refused(response)) leftOut.forget(earlier.key)
    const isWhole = typeof plant.name === 'string' && typeof plant.tag === 'string' && Number.isInteger(plant.id)
    if (!succeeded(response)) {
      const isUsual = request.as === 'caller' && isWhole && !isRepeated && isJsonRequest(request)
      if (isUsual && isServerError(response)) serverErrors.push(['create.succeeds', response])
      if (key !== undefined && refused(response) && !attempts.has(key)) refusals.set(key, response.status)
      return
    }
    if (isPage(response)) return
    if (key !== undefined) refusals.delete(key)
    judgeSuccess('createPlant', request, response, { isRepeated, hasTag: () => true })
    const { json } = response
    // Instead of storing a second plant with the same id, a service may return the existing plant.
    const isSame = isJsonObject(json) && json.name === plant.name && json.tag === plant.tag
    if (key !== undefined && isWhole && (!isRepeated || isSame)) {
      if (!created.has(key)) created.set(key, { plant, as: request.as, number: created.size })
      if (!isRepeated) leftOut.add(key)
    }
    if (['name', 'tag'].some((field) => !['string', 'undefined'].includes(typeof plant[field])))
      mistyped.add(mistypedKeyOf(plant))
    ids.set(plant.id, { key, as: request.as })
  }

  return {
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
    doubt(request: TestRequest): void {
      const key = isCreate(request) ? keyOf(request.json) : undefined
      if (key === undefined) return
      attempts.set(key, (attempts.get(key) ?? 0) + 1)
      refusals.delete(key)
    },
    missing: leftOut.first,
    note,
    failureOf: (id: RuleId): RuleVerdict | undefined => failures.get(id),
    firstBroken: (): RuleId | undefined => [...failures.keys()][0],
  }
}

const createLeftOut = (created: ReadonlyMap<string, Sent>) => {
  const tracked = new Set<string>()
  const missing = new Set<string>()
  type List = { readonly length: number; readonly leftOut: readonly string[] }
  /** The last list of each query. A longer next list proves that the last list was not truncated. */
  const lastLists = new Map<string, List>()
  const starts = new Set<string>()
  return {
    add: (key: string) => tracked.add(key),
    forget(key = ''): void {
      tracked.delete(key)
      missing.delete(key)
    },
    note({ as, path }: TestRequest, keys: readonly (string | undefined)[]): void {
      const shown = new Set(keys)
      for (const key of missing) if (shown.has(key)) missing.delete(key)
      const query = `${as} ${path}`
      const last = lastLists.get(query)
      if (last !== undefined && last.length < keys.length)
        for (const key of last.leftOut) if (tracked.has(key) && !shown.has(key)) missing.add(key)
      if (keys.length === 1) starts.add(keys[0] ?? '')
      const numbers = [...shown].flatMap((key) => created.get(key ?? '')?.number ?? [])
      const [oldest, newest] = [Math.min(...numbers), Math.max(...numbers)]
      const own = [...tracked].filter((key) => created.get(key)?.as === as)
      const absent = own.filter((key) => !shown.has(key) && (created.get(key)?.number ?? 0) < newest)
      const isAfterOldest = (key: string): boolean => (created.get(key)?.number ?? 0) > oldest
      // A list in order of creation is complete if the first and the last plant are the oldest and the newest.
      const isWhole =
        numbers.length > 2 &&
        keys.at(-1) === own.at(-1) &&
        numbers.every((number, i) => number > (numbers[i - 1] ?? -1)) &&
        starts.has(keys[0] ?? '')
      if (isWhole) for (const key of absent) missing.add(key)
      lastLists.set(query, { length: keys.length, leftOut: absent.filter(isAfterOldest) })
    },
    first(): { readonly plant: Fields; readonly as: CallerRole; readonly isProven: boolean } | undefined {
      const [proven] = missing
      const longest = Math.max(...[...lastLists.values()].map(({ length }) => length))
      const lists = [...lastLists.values()].filter(({ length }) => length === longest)
      const unproven = lists.flatMap(({ leftOut }) => leftOut).find((key) => tracked.has(key))
      const sent = created.get(proven ?? unproven ?? '')
      return sent && { ...sent, isProven: proven !== undefined }
    },
  }
}

const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

const mistypedKeyOf = (plant: unknown): string => {
  const { name, tag } = isJsonObject(plant) ? plant : {}
  return JSON.stringify([name, tag])
}

const isWithoutToken = ({ as, headers: { authorization = '' } }: TestRequest): boolean =>
  as === 'anonymous' && !/^bearer +\S/i.test(authorization)

const queryIn = (path: string): string => path.split('?', 2)[1] ?? ''

const limitOf = ({ path }: TestRequest): number | undefined => statedLimit(queryIn(path))

/** Redacts the detail, because a service may echo a token in the name of a member. */
const describeBroken = ({ detail, part }: BrokenRule, response: TestResponse): string =>
  `${response.redact(detail)}${part === undefined ? '' : `: ${shownPart(response, part)}`}`

const isOwn = ({ as }: TestRequest): boolean => as === 'caller' || as === 'other'

const isValid = (request: TestRequest): boolean => isOwn(request) && (limitOf(request) ?? 0) > 0

const isJsonRequest = ({ headers }: TestRequest): boolean => headers['content-type'] === 'application/json'

const shownPart = ({ redact }: TestResponse, part: unknown): string =>
  excerpt(redact(typeof part === 'string' ? part : JSON.stringify(part)))

const storedFault = (list: TestResponse, element: unknown, plant: Fields): string | undefined => {
  const listed: Fields = isJsonObject(element) ? element : {}
  const differs = ['name', 'tag'].find(
    (field) => typeof plant[field] === 'string' && typeof listed[field] === 'string' && listed[field] !== plant[field],
  )
  if (differs === undefined) return undefined
  const shown = shownPart(list, element)
  return `the plant was created with the ${differs} "${plant[differs]}", but is listed as ${shown}`
}
