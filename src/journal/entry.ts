import type { AssumptionId } from '../assumptions/registry.ts'
import type { ProblemType } from '../contract/problems.ts'
import type { Caller } from '../contract/schemas.ts'
import type { Exchange, FaultKind, Forwarded, PlantList, Violation } from '../http/exchange.ts'
import type { OperationId } from '../operations/operations.ts'
import { requestViolationsIn } from '../service/request-violations.ts'
import { operationOf } from '../service/service.ts'
import { isNestedTooDeep } from '../util/json.ts'
import type { Pseudonyms } from './callers.ts'
import { bearerIn, headerOf, shownHeaders, tokenHider } from './redact.ts'

/** Where an answer may come from. */
export const journalSources = ['contract', 'assumption', 'fault', 'upstream', 'fallback', 'handlers'] as const
export type JournalSource = (typeof journalSources)[number]

/** One exchange in short, as a list shows it. No token is in it: callers have pseudonyms. */
export type JournalLine = {
  /** 1 for the first exchange of the instance, then one more each. */
  readonly id: number
  /** When the request came (ISO 8601). */
  readonly time: string
  /** From the request to the answer being ready, in milliseconds. */
  readonly milliseconds: number
  readonly operation?: OperationId
  /** The caller's pseudonym, once authenticated. */
  readonly caller?: string
  readonly method: string
  /** Path and query as sent. */
  readonly url: string
  readonly status: number
  /**
   * What the contract states, what the mock assumes beyond it, a fault that was set, the upstream, the model because
   * the upstream was away, or handlers of the user's own.
   */
  readonly source: JournalSource
  /** The assumptions that had a say in the answer. */
  readonly assumptions: readonly AssumptionId[]
  /** The problem type, when the answer is a failure. */
  readonly problem?: ProblemType
  /** What a fault made of the answer. */
  readonly fault?: FaultKind
  /** How long a fault held the answer back, in milliseconds. */
  readonly delay?: number
  /** Where the exchange is not as the contract shows it. The mock's own answers never depart. */
  readonly violations: readonly Violation[]
}

/** Headers and body of a request or response. */
export type Message = {
  /** Names are in lower case. Of those pushed out by later ones, Authorization and Content-Type are left. */
  readonly headers: Readonly<Record<string, string>>
  /** Left out when there was none, and when it is not kept: too large, not UTF-8, or pushed out by later ones. */
  readonly body?: string
  /** The body, when it is JSON. Left out where that is nested more than 500 levels deep. */
  readonly json?: unknown
}

/** One exchange, as a test or a page sees it. */
export type JournalEntry = JournalLine & { readonly request: Message; readonly response: Message }

/** Which exchanges are meant: each part narrows. */
export type RequestFilter = {
  readonly operation?: OperationId
  readonly method?: string
  readonly status?: number
  /** The caller's token, or its pseudonym. */
  readonly caller?: Caller
  readonly source?: JournalSource
  readonly problem?: ProblemType
  readonly fault?: FaultKind
  /** Only requests that violate the contract, or only those that do not. */
  readonly violating?: boolean
}

/**
 * An exchange as it is kept. What nobody reads is not worked out, and each object serves one exchange after another:
 * what is new in each request would live long enough to be moved to where collecting it costs most.
 */
export type Recorded = {
  id: number
  began: number
  milliseconds: number
  method: string
  path: string
  query: string
  headers: readonly string[]
  body: Exchange['body']
  status: number
  answerHeaders: readonly string[]
  answer: PlantList | string | undefined
  operation: OperationId | undefined
  /** The caller's pseudonym. */
  caller: string | undefined
  problem: ProblemType | undefined
  assumptions: readonly AssumptionId[]
  fault: FaultKind | undefined
  delay: number
  forwarded: Forwarded | undefined
  /** What it takes of the budget. */
  weight: number
}

const sourceOf = ({ fault, assumptions, forwarded }: Recorded): JournalSource => {
  if (fault !== undefined) return 'fault'
  if (forwarded !== undefined) return forwarded.by
  return assumptions.length === 0 ? 'contract' : 'assumption'
}

const violationsIn = (recorded: Recorded): readonly Violation[] => {
  const { method, path, query, headers, body, forwarded } = recorded
  if (forwarded?.violations !== undefined) return forwarded.violations
  const header = (name: string) => headerOf(headers, name)
  const text = typeof body === 'string' ? body : undefined
  const operation = operationOf({ method, path })
  return requestViolationsIn(
    { method, path, query, header, body: text, hasBody: body !== undefined },
    operation,
  )
}

/** Whether an exchange is meant by a filter. */
export const matches = (recorded: Recorded, filter: RequestFilter, names: Pseudonyms): boolean => {
  const { caller } = recorded
  return (
    is(filter.operation, recorded.operation) &&
    is(filter.method, recorded.method) &&
    is(filter.status, recorded.status) &&
    is(filter.problem, recorded.problem) &&
    is(filter.fault, recorded.fault) &&
    is(filter.source, sourceOf(recorded)) &&
    (filter.caller === undefined ||
      (caller !== undefined && (filter.caller === caller || names.find(filter.caller) === caller))) &&
    (filter.violating === undefined || filter.violating === violationsIn(recorded).length > 0)
  )
}

const is = <T>(wanted: T | undefined, value: T | undefined): boolean =>
  wanted === undefined || wanted === value

export const asLine = (recorded: Recorded, names: Pseudonyms): JournalLine => {
  const { id, began, milliseconds, method, path, query, headers, status } = recorded
  const { operation, caller, problem, fault, delay, assumptions } = recorded
  const hide = tokenHider(bearerIn(headers), names.of)
  return {
    id,
    time: new Date(began).toISOString(),
    milliseconds: Math.round(milliseconds * 1000) / 1000,
    ...(operation !== undefined && { operation }),
    ...(caller !== undefined && { caller }),
    method,
    url: hide(query === '' ? path : `${path}?${query}`),
    status,
    source: sourceOf(recorded),
    assumptions,
    ...(problem !== undefined && { problem }),
    ...(fault !== undefined && { fault }),
    ...(delay > 0 && { delay }),
    violations: violationsIn(recorded).map((violation) => ({ ...violation, detail: hide(violation.detail) })),
  }
}

export const asEntry = (recorded: Recorded, names: Pseudonyms): JournalEntry => {
  const { headers, body, answerHeaders, answer, caller } = recorded
  const hide = tokenHider(bearerIn(headers), names.of)
  const message = (headers: readonly string[], body: unknown): Message => ({
    headers: shownHeaders(headers, caller, hide),
    ...bodyParts(typeof body === 'string' ? hide(body) : undefined),
  })
  return {
    ...asLine(recorded, names),
    request: message(headers, body),
    response: message(answerHeaders, typeof answer === 'object' ? answer.toString() : answer),
  }
}

/** A body as text, and parsed where it is JSON. */
const bodyParts = (body: string | undefined): { body?: string; json?: unknown } => {
  if (body === undefined) return {}
  try {
    const json = JSON.parse(body) as unknown
    return isNestedTooDeep(body) ? { body } : { body, json }
  } catch {
    return { body }
  }
}
