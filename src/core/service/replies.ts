import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { CallerKey, Token } from '../contract/caller.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import { type ProblemType, problemStatus, problemTypes } from '../contract/problems.ts'
import { jsonTypeOf } from '../http/media-type.ts'
import { type Reply, reply } from '../http/reply.ts'
import { failureBody, failureForm, formDecidedBy } from '../operations/failure-body.ts'
import type { Problem, Success } from '../operations/operation.ts'

type About = { readonly operation?: OperationId | undefined; readonly caller?: Token | CallerKey | undefined }

/** Renders results as replies, in the forms that the assumptions select. */
export type Replies = {
  success(success: Success, operation: OperationId, caller: Token | CallerKey): Reply
  problem(problem: Problem, about?: About): Reply
  /** The reply to OPTIONS. */
  options(allow: string): Reply
}

export const createReplies = (assumptions: Assumptions): Replies => {
  const jsonType = jsonTypeOf(assumptions)
  const jsonHeaders = ['Content-Type', jsonType]

  return {
    success: ({ status, body, truncated = false, assumptions }, operation, caller) =>
      reply(status, body === undefined ? [] : jsonHeaders, body, { operation, caller, assumptions, truncated }),

    problem({ problem, detail, status = problemStatus(problem, assumptions), ...rest }, about = {}) {
      const { errors = [], headers = [], assumptions: others = [] } = rest
      const failure = { type: problem, status, detail, errors }
      const content = failureBody(failure, failureForm(problem, assumptions), jsonType)
      const contentType = content === undefined ? [] : ['Content-Type', content.contentType]
      return reply(status, [...contentType, ...headers], content?.body, {
        ...about,
        problem,
        assumptions: decidedBy(problem, content?.contentType === jsonType ? [...others, 'json.contentType'] : others),
      })
    },

    options: (allow) =>
      reply(204, ['Allow', allow], undefined, { assumptions: ['operation.other', 'auth.scope', 'auth.tokens'] }),
  }
}

const decidedBy = (problem: ProblemType, others: readonly AssumptionId[]): readonly AssumptionId[] => [
  ...new Set<AssumptionId>([...(problemTypes[problem].decidedBy ?? []), ...others, ...formDecidedBy(problem)]),
]
