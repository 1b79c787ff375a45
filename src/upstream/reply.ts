import { type ProblemType, problemDocument, problemTypes } from '../contract/problems.ts'
import type { Caller } from '../contract/schemas.ts'
import { type Forwarded, notOfTheModel, type Reply, type Violation } from '../http/exchange.ts'
import type { OperationId } from '../operations/operations.ts'

export type About = { readonly operation: OperationId | undefined; readonly caller: Caller | undefined }

/** An answer about the upstream: always a problem document, whatever `error.body` says of the service. */
export const problemReply = (
  type: ProblemType,
  detail: string,
  { operation, caller }: About,
  violations?: readonly Violation[],
): Reply => {
  const { status } = problemTypes[type]
  const document = problemDocument(type, status, detail)
  return {
    ...notOfTheModel,
    status,
    headers: ['Content-Type', 'application/problem+json', 'Plant-Mock-Source', 'upstream'],
    body: JSON.stringify(violations === undefined ? document : { ...document, violations }),
    operation,
    caller,
    problem: type,
    forwarded: { by: 'upstream', ...(violations !== undefined && { violations }) },
  }
}

/** An answer of the upstream as it came. */
export const forwardedReply = (
  status: number,
  headers: readonly string[],
  body: string | undefined,
  { operation, caller }: About,
  forwarded: Forwarded,
): Reply => ({
  ...notOfTheModel,
  status,
  headers: [...headers, 'Plant-Mock-Source', 'upstream', ...violationsHeader(forwarded.violations)],
  body,
  operation,
  caller,
  forwarded,
})

/** An answer of the model that says why it is not the upstream's. */
export const fallbackReply = (reply: Reply, reason: ProblemType): Reply => ({
  ...reply,
  headers: reply.headers.map((text, i) =>
    reply.headers[i - 1] === 'Plant-Mock-Source'
      ? `fallback; reason=${reason}; model="${text.replaceAll('"', "'")}"`
      : text,
  ),
  forwarded: { by: 'fallback' },
})

/** A list of strings (RFC 9651, 3.3.3): `"request 4.2: A list has no query parameter page; it has limit."` */
const violationsHeader = (violations: readonly Violation[] | undefined): readonly string[] => {
  if (violations === undefined) return []
  const items = violations.map((violation) =>
    sfString(`${violation.in} ${violation.section}: ${violation.detail}`),
  )
  return ['Plant-Mock-Violations', items.length === 0 ? '"none"' : items.slice(0, mostShown).join(', ')]
}

/** A header has room for a few. */
const mostShown = 10

const sfString = (text: string): string =>
  `"${text
    .slice(0, 200)
    .replaceAll(/[^\x20-\x7E]/g, '?')
    .replaceAll(/["\\]/g, '\\$&')}"`
