import { type ProblemType, problemDocument, problemTypes } from '../contract/problems.ts'
import type { Violation } from '../contract/violation.ts'
import { type Reply, reply } from '../http/reply.ts'
import { type Call, callMeta } from '../service/call.ts'

/** A problem with the upstream: a problem document in any case, because `error.body` is about the service. */
export const upstreamProblem = (
  type: ProblemType,
  detail: string,
  call: Call,
  violations?: readonly Violation[],
): Reply => {
  const { status } = problemTypes[type]
  const document = problemDocument(type, status, detail)
  return reply(
    status,
    ['Content-Type', 'application/problem+json'],
    JSON.stringify(violations === undefined ? document : { ...document, violations }),
    {
      ...callMeta(call),
      problem: type,
      forwarded: { by: 'upstream', ...(violations !== undefined && { violations }) },
    },
  )
}

/** A reply of the model, because the upstream is unreachable. */
export const fallbackReply = (model: Reply, reason: ProblemType): Reply => ({
  ...model,
  meta: { ...model.meta, forwarded: { by: 'fallback', reason } },
})
