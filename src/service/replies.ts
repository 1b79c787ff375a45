import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import {
  type FieldProblem,
  type ProblemType,
  problemDocument,
  problemStatus,
  problemTypes,
} from '../contract/problems.ts'
import type { Caller } from '../contract/schemas.ts'
import type { PlantList, Reply } from '../http/exchange.ts'
import type { OperationId } from '../operations/operations.ts'
import { plantTexts } from '../operations/plant-json.ts'
import type { StoredPlant } from '../store/plant-store.ts'

/** What is known of an exchange when it is answered. */
export type About = { readonly operation?: OperationId; readonly caller?: Caller }

export type Problem = {
  readonly detail: string
  /** Default: the one of the problem type. */
  readonly status?: number
  readonly errors?: readonly FieldProblem[]
  readonly headers?: readonly string[]
  readonly assumptions?: readonly AssumptionId[]
}

/** Builds every reply of the service, in the forms that the assumptions ask for. */
export type Replies = {
  plant(plant: StoredPlant, about: About, decidedBy: readonly AssumptionId[]): Reply
  /** The first `limit` of the plants. */
  plants(
    plants: readonly StoredPlant[],
    limit: number,
    about: About,
    decidedBy: readonly AssumptionId[],
  ): Reply
  options(allow: string): Reply
  problem(type: ProblemType, problem: Problem, about?: About): Reply
}

export const createReplies = (assumptions: Assumptions): Replies => {
  const jsonType =
    assumptions['json.contentType'] === 'charset' ? 'application/json; charset=utf-8' : 'application/json'
  const headersOf = rememberHeaders(jsonType)
  const { plantText, listOf } = plantTexts(assumptions['json.keyOrder'])

  const json = (
    status: number,
    body: string,
    { operation, caller }: About,
    decidedBy: readonly AssumptionId[],
    list: PlantList | undefined,
    cut: boolean,
  ): Reply => ({
    status,
    headers: headersOf(decidedBy),
    body,
    operation,
    caller,
    problem: undefined,
    assumptions: decidedBy,
    list,
    cut,
    fault: undefined,
    delivery: undefined,
    delay: 0,
    forwarded: undefined,
  })

  return {
    plant: (plant, about, decidedBy) =>
      json(assumptions['create.status'], plantText(plant), about, decidedBy, undefined, false),

    plants: (plants, limit, about, decidedBy) => {
      const cut = plants.length > limit
      const { list, body } = listOf(plants, cut ? limit : plants.length)
      return json(assumptions['list.status'], body, about, decidedBy, list, cut)
    },

    options: (allow) => ({
      status: 204,
      headers: ['Allow', allow, ...sourceHeader(['operation.other'])],
      body: undefined,
      operation: undefined,
      caller: undefined,
      problem: undefined,
      assumptions: ['operation.other'],
      cut: false,
      ...asIs,
    }),

    problem(type, problem, about = {}) {
      const { detail, errors = [], headers = [], assumptions: also = [] } = problem
      const status = problem.status ?? problemStatus(type, assumptions)
      const { decidedBy } = problemTypes[type]
      const [contentType, body] = failureBody(type, status, detail, errors, assumptions, jsonType)
      const say = [
        ...new Set([...(decidedBy === undefined ? [] : [decidedBy]), ...also, 'error.body' as const]),
      ]
      return {
        status,
        headers: [
          ...(contentType === undefined ? [] : ['Content-Type', contentType]),
          ...headers,
          ...sourceHeader(say),
        ],
        body,
        operation: about.operation,
        caller: about.caller,
        problem: type,
        assumptions: say,
        cut: false,
        ...asIs,
      }
    },
  }
}

/** A reply to which nothing is done. */
const asIs = {
  list: undefined,
  fault: undefined,
  delivery: undefined,
  delay: 0,
  forwarded: undefined,
} as const

/**
 * `Plant-Mock-Source` says where an answer comes from: `contract`, or the assumptions that had a say in it,
 * as a structured field (RFC 9651): `assumption; names="list.status list.order"`.
 */
const sourceHeader = (assumptions: readonly AssumptionId[]): readonly [string, string] => [
  'Plant-Mock-Source',
  assumptions.length === 0 ? 'contract' : `assumption; names="${assumptions.join(' ')}"`,
]

/** The headers of a JSON answer. Most answers share one of a few lists of assumptions, so these are kept. */
const rememberHeaders = (jsonType: string): ((assumptions: readonly AssumptionId[]) => readonly string[]) => {
  const kept = new WeakMap<readonly AssumptionId[], readonly string[]>()
  return (assumptions) => {
    const known = kept.get(assumptions)
    if (known !== undefined) return known
    const headers = ['Content-Type', jsonType, ...sourceHeader(assumptions)]
    kept.set(assumptions, headers)
    return headers
  }
}

const failureBody = (
  type: ProblemType,
  status: number,
  detail: string,
  errors: readonly FieldProblem[],
  assumptions: Assumptions,
  jsonType: string,
): readonly [contentType: string | undefined, body: string | undefined] => {
  switch (assumptions['error.body']) {
    case 'problem':
      return ['application/problem+json', JSON.stringify(problemDocument(type, status, detail, errors))]
    case 'json':
      return [jsonType, JSON.stringify({ error: type, message: detail })]
    case 'text':
      return ['text/plain; charset=utf-8', detail]
    case 'empty':
      return [undefined, undefined]
  }
}
