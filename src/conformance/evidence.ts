import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import { checkJsonType, isPlant } from './rules/shown-plant.ts'
import { elementsOf, isPage, isPassing, succeeded, type TestResponse } from './send-request.ts'
import { type CallerRole, isOperation, type TestRequest } from './test-request.ts'
import { describe, excerpt, failed, passedIf, type Verdict } from './verdict.ts'

/** Finds the sample plant that an element of a list is; `undefined` for any other element. */
type KeyOf = (element: unknown) => string | undefined

type Sent = { readonly plant: Readonly<Record<string, unknown>>; readonly as: CallerRole }

/** Up to this limit, a list that fails is no longer about an unusual limit. */
const maxUsualLimit = 1000

/**
 * Judges every response of a check by the rules of the contract, whichever rule or probe requested it: a service may
 * break a rule only from some size or some request on. Keeps the first failure of each rule, and no body.
 */
export const createEvidence = () => {
  const failures = new Map<string, Verdict>()
  const created = new Map<string, Sent>()
  const ids = new Set<unknown>()

  /** Server errors, which count once a later request succeeds: before that, the service may be down. */
  let serverErrors: (readonly [id: string, verdict: Verdict])[] = []

  const note = (id: string, verdict: Verdict): void => {
    if (verdict.outcome === 'failed' && !failures.has(id)) failures.set(id, verdict)
  }

  const judgeList = (request: TestRequest, response: TestResponse, keyOf: KeyOf): void => {
    const limit = limitOf(request)
    if (!succeeded(response)) {
      const isUsual = request.as === 'caller' && limit !== undefined && limit > 0 && limit <= maxUsualLimit
      if (isUsual && isServerError(response)) serverErrors.push(['list.succeeds', failed(response, describe(response))])
      return
    }
    if (!Array.isArray(response.json)) {
      const isBad = isValid(request) && !isPage(response)
      note('list.array', passedIf(!isBad, response, `the body is ${excerpt(response.text)}`))
      return
    }
    const elements = elementsOf(response)
    note('list.json', checkJsonType(response))
    if (limit !== undefined && elements.length > limit)
      note('list.limit', failed(response, `limit=${limit} returns ${elements.length} plants`))
    const index = elements.findIndex((element) => !isPlant(element))
    if (index !== -1) {
      const element = response.redact(String(JSON.stringify(elements[index])))
      note('list.elements', failed(response, `element ${index} is ${excerpt(element)}`))
    }
    for (const element of elements) {
      const sent = created.get(keyOf(element) ?? '')
      if (sent !== undefined) judgeListed(request, response, element, sent)
    }
  }

  const judgeListed = (request: TestRequest, response: TestResponse, element: unknown, { plant, as }: Sent): void => {
    const shown = (): string => excerpt(response.redact(String(JSON.stringify(element))))
    const isForeign = [as, request.as].every((role) => role === 'caller' || role === 'other') && as !== request.as
    const who = request.as === 'other' ? 'the other caller' : 'the caller'
    if (isForeign) note('list.access', failed(response, `${who} sees ${shown()}, which another caller added`))
    if (!isJsonObject(element)) return
    // A missing field, or one of another type, breaks list.elements instead.
    const differs = (['name', 'tag'] as const).find(
      (field) =>
        typeof plant[field] === 'string' && typeof element[field] === 'string' && element[field] !== plant[field],
    )
    if (differs !== undefined)
      note(
        'create.stored',
        failed(response, `the plant was created with the ${differs} "${plant[differs]}", but is listed as ${shown()}`),
      )
  }

  const judgeCreate = (request: TestRequest, response: TestResponse, keyOf: KeyOf): void => {
    const plant = jsonOrUndefined(request.body ?? '')
    if (!isJsonObject(plant)) return
    const isRepeated = ids.has(plant.id)
    const isWhole = typeof plant.name === 'string' && typeof plant.tag === 'string' && Number.isInteger(plant.id)
    if (!succeeded(response)) {
      const isUsual = request.as === 'caller' && isWhole && !isRepeated && isJsonRequest(request)
      if (isUsual && isServerError(response))
        serverErrors.push(['create.succeeds', failed(response, describe(response))])
      return
    }
    if (isPage(response)) return
    const { json, text } = response
    // A service may answer a repeated id with the plant that it has.
    const isSame = isJsonObject(json) && json.name === plant.name && json.tag === plant.tag
    const isAsSent = isRepeated || isSame
    const isKept = isWhole
      ? isPlant(json) && isAsSent
      : isJsonObject(json) && Object.keys(json).every((key) => key === 'name' || key === 'tag')
    note('create.shape', passedIf(isKept, response, `the body is ${excerpt(text)}`))
    if (text !== '') note('create.json', checkJsonType(response))
    const key = keyOf(plant)
    if (key !== undefined && isWhole && (!isRepeated || isSame)) created.set(key, { plant, as: request.as })
    ids.add(plant.id)
  }

  return {
    /** Finds sample plants in lists. Set by the samples, which know where a plant carries its label. */
    keyOf: (() => undefined) as KeyOf,
    /** @param response One that counts: a refused token and a server error only after they were repeated. */
    judge(request: TestRequest, response: TestResponse): void {
      if (!isOperation(request)) return
      if (succeeded(response)) {
        for (const [id, verdict] of serverErrors) note(id, verdict)
        serverErrors = []
      }
      if (request.method === 'GET') judgeList(request, response, this.keyOf)
      else judgeCreate(request, response, this.keyOf)
    },
    /** The first failure of a rule; `undefined` if no response breaks it. */
    failureOf: (id: string): Verdict | undefined => failures.get(id),
  }
}

/** The limit of a list, as the contract states it (4.2): one whole number. `undefined` for none and any other. */
const limitOf = ({ path }: TestRequest): number | undefined => {
  const digits = /^\/plants\?limit=(\d+)$/.exec(path)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

/** A list as the contract describes it, which no service may answer with an error of its own form. */
const isValid = (request: TestRequest): boolean =>
  (request.as === 'caller' || request.as === 'other') && (limitOf(request) ?? 0) > 0

const isServerError = (response: TestResponse): boolean => response.status >= 500 && !isPassing(response)

const isJsonRequest = ({ headers }: TestRequest): boolean => headers['content-type'] === 'application/json'
