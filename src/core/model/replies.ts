import type { AssumptionId, Assumptions } from '../assumptions/registry.ts'
import { type ProblemType, problemStatus, problemTypes } from '../contract/problems.ts'
import { isInertType, jsonTypeOf } from '../http/media-type.ts'
import { type Reply, type ReplyMeta, reply } from '../http/reply.ts'
import { failureBody, formDecidedBy } from '../operations/failure-body.ts'
import type { Problem, Success } from './result.ts'

type About = { readonly [Name in 'operation' | 'caller']?: ReplyMeta[Name] }

export const successReply = (
  { status, body, assumptions: decidedBy }: Success,
  assumptions: Assumptions,
  { operation, caller }: About,
): Reply =>
  reply(status, body === undefined ? [] : ['Content-Type', jsonTypeOf(assumptions)], body, {
    operation,
    caller,
    assumptions: decidedBy,
  })

/** Prevents scripts in a learned error page, which would run with the origin of the dashboard. */
const withoutScripts = ['Content-Security-Policy', 'sandbox', 'X-Content-Type-Options', 'nosniff']

export const problemReply = (
  { problem, detail, status, errors = [], headers = [], assumptions: others = [] }: Problem,
  assumptions: Assumptions,
  { path, ...about }: About & { readonly path?: string } = {},
): Reply => {
  const code = status ?? problemStatus(problem, assumptions)
  const content = failureBody({ type: problem, status: code, detail, errors, path }, assumptions)
  const contentType =
    content === undefined
      ? []
      : ['Content-Type', content.contentType, ...(isInertType(content.contentType) ? [] : withoutScripts)]
  const isJson = content?.contentType === jsonTypeOf(assumptions)
  return reply(code, [...contentType, ...headers], content?.body, {
    ...about,
    problem,
    assumptions: decidedBy(problem, isJson ? [...others, 'json.contentType'] : others),
  })
}

const decidedBy = (problem: ProblemType, others: readonly AssumptionId[]): readonly AssumptionId[] => [
  ...new Set<AssumptionId>([...(problemTypes[problem].decidedBy ?? []), ...others, ...formDecidedBy(problem)]),
]
