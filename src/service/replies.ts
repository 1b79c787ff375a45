import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import {
  type FieldProblem,
  type ProblemType,
  problemDocument,
  problemStatus,
  problemTypes,
} from '../contract/problems.ts'
import type { Caller } from '../contract/schemas.ts'
import { type Reply, reply } from '../http/reply.ts'
import type { Problem, Success } from '../operations/operation.ts'

type About = { readonly operation?: OperationId | undefined; readonly caller?: Caller | undefined }

/** Renders results as replies, in the forms that the assumptions select. */
export type Replies = {
  success(success: Success, operation: OperationId, caller: Caller): Reply
  problem(problem: Problem, about?: About): Reply
  /** The reply to OPTIONS. */
  options(allow: string): Reply
}

export const createReplies = (assumptions: Assumptions): Replies => {
  const jsonType =
    assumptions['json.contentType'] === 'charset' ? 'application/json; charset=utf-8' : 'application/json'
  const jsonHeaders = ['Content-Type', jsonType]

  return {
    success: ({ status, body, isCut = false, assumptions }, operation, caller) =>
      reply(status, body === undefined ? [] : jsonHeaders, body, { operation, caller, assumptions, isCut }),

    problem({ problem, detail, status = problemStatus(problem, assumptions), ...rest }, about = {}) {
      const { errors = [], headers = [], assumptions: others = [] } = rest
      const [contentType, body] = failureBody(problem, status, detail, errors, assumptions, jsonType)
      return reply(status, [...(contentType === undefined ? [] : ['Content-Type', contentType]), ...headers], body, {
        ...about,
        problem,
        assumptions: decidedBy(problem, others),
      })
    },

    options: (allow) => reply(204, ['Allow', allow], undefined, { assumptions: ['operation.other'] }),
  }
}

const decidedBy = (problem: ProblemType, others: readonly AssumptionId[]): readonly AssumptionId[] => {
  const { decidedBy: own } = problemTypes[problem]
  return [...new Set<AssumptionId>([...(own === undefined ? [] : [own]), ...others, 'error.body'])]
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
