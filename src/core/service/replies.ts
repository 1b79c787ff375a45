import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import type { CallerKey, Token } from '../contract/caller.ts'
import type { OperationId } from '../contract/operation-ids.ts'
import { type ProblemType, problemStatus, problemTypes } from '../contract/problems.ts'
import { jsonTypeOf } from '../http/media-type.ts'
import { type Reply, type ReplyMeta, reply } from '../http/reply.ts'
import { failureBody, formDecidedBy } from '../operations/failure-body.ts'
import type { Problem, Success } from '../operations/operation.ts'

export type Replies = ReturnType<typeof createReplies>

/** Renders results as replies, in the forms that the assumptions select. */
export const createReplies = (assumptions: Assumptions) => {
  const jsonType = jsonTypeOf(assumptions)
  const jsonHeaders = ['Content-Type', jsonType]

  return {
    success: (
      { status, body, truncated = false, assumptions }: Success,
      operation: OperationId,
      caller: Token | CallerKey,
    ): Reply =>
      reply(status, body === undefined ? [] : jsonHeaders, body, { operation, caller, assumptions, truncated }),

    problem(
      { problem, detail, status = problemStatus(problem, assumptions), ...rest }: Problem,
      about: Partial<Pick<ReplyMeta, 'operation' | 'caller'>> = {},
    ): Reply {
      const { errors = [], headers = [], assumptions: others = [] } = rest
      const content = failureBody({ type: problem, status, detail, errors }, assumptions)
      const contentType = content === undefined ? [] : ['Content-Type', content.contentType]
      return reply(status, [...contentType, ...headers], content?.body, {
        ...about,
        problem,
        assumptions: decidedBy(problem, content?.contentType === jsonType ? [...others, 'json.contentType'] : others),
      })
    },
  }
}

const decidedBy = (problem: ProblemType, others: readonly AssumptionId[]): readonly AssumptionId[] => [
  ...new Set<AssumptionId>([...(problemTypes[problem].decidedBy ?? []), ...others, ...formDecidedBy(problem)]),
]
