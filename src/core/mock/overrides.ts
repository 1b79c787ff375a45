import { requiresTag } from '../contract/schemas.ts'
import { contractCommand, sectionsIn } from '../contract/violation.ts'
import { type ReceivedRequest, urlOf } from '../http/exchange.ts'
import type { Reply } from '../http/reply.ts'
import { type NamedCallers, redactorOf } from '../journal/redact.ts'
import type { ResolvedRequest } from '../operations/call.ts'
import { type OverrideResponse, overrideReply } from '../operations/override.ts'
import type { MockInstances } from './instances.ts'

export type Override = OverrideResponse & {
  readonly call: ResolvedRequest
  readonly receivedAt: number
  readonly milliseconds: number
}

export const recordOverride = (
  { handlerFor, callers, overrides: { check } }: Pick<MockInstances, 'handlerFor' | 'callers' | 'overrides'>,
  session: string | undefined,
  override: Override,
): { readonly reply: Reply; readonly problem: string | undefined } => {
  const { call, receivedAt, milliseconds } = override
  const handler = handlerFor(session)
  const reply = overrideReply(call, override, check, requiresTag(handler.inForce))
  handler.record(call, reply, receivedAt, milliseconds)
  return { reply, problem: describeOverride(call.received, reply, callers) }
}

export const describeOverride = (
  received: ReceivedRequest,
  { status, headers, meta }: Reply,
  callers: NamedCallers,
  mark = (section: string): string => `allowViolation('${section}', response)`,
): string | undefined => {
  const violations = (meta.forwarded?.violations ?? []).filter((violation) => violation.in === 'response')
  const [first] = violations
  if (first === undefined) return undefined
  const redact = redactorOf({ headers: received.headers(), responseHeaders: headers }, callers)
  return [
    `An override violates the contract: ${redact(`${received.method} ${urlOf(received)}`)} → ${status}`,
    ...violations.map(({ section, detail }) => `  contract ${section}: ${redact(detail)}`),
    `Correct the override, or mark the violation as intended: ${mark(sectionsIn(first.section)[0] ?? '')}. If the override is for another service, set baseUrl. Read the contract: ${contractCommand(first.section)}`,
  ].join('\n')
}
