import { isNestedTooDeep, jsonOrUndefined, parseJson } from '../../util/json.ts'
import type { OperationId } from '../assumptions/operation-ids.ts'
import { type AssumptionId, type Assumptions, defaultAssumptions, rowOf } from '../assumptions/registry.ts'
import type { Pseudonym } from '../contract/caller.ts'
import { type ProblemType, problemTypes } from '../contract/problems.ts'
import { type ShownViolations, showViolations } from '../contract/violation.ts'
import { type Body, bodyTooLarge, urlOf } from '../http/exchange.ts'
import { headerValue, type RawHeaders } from '../http/headers.ts'
import type { Redact } from '../http/redact.ts'
import type { FaultKind, Forwarded, Reply } from '../http/reply.ts'
import { responseHeaders } from '../http/source.ts'
import type { ResolvedRequest } from '../operations/call.ts'
import { requestViolations } from '../operations/violations.ts'
import type { CallerRegistry } from './callers.ts'
import { redactHeaders, redactorOf } from './redact.ts'

export const journalSources = ['contract', 'assumption', 'fault', 'upstream', 'handlers'] as const
export type JournalSource = (typeof journalSources)[number]

/** The summary of an exchange for lists, with pseudonyms instead of tokens. */
export type JournalLine = ShownViolations & {
  /** Numbers the exchanges of a mock instance, from 1. */
  readonly id: number
  /** When the request was received, in ISO 8601. */
  readonly time: string
  /** Milliseconds from receiving the request until the response was ready. */
  readonly milliseconds: number
  readonly operation?: OperationId
  /** The caller's pseudonym. Missing if the request was not authenticated. */
  readonly caller?: Pseudonym
  readonly method: string
  /** Path and query of the request, without secrets. */
  readonly url: string
  /** The status of the response; 0 if a fault reset the connection. */
  readonly status: number
  readonly source: JournalSource
  readonly assumptions: readonly AssumptionId[]
  /** The assumption that best explains the response, with its value: `list.order=newest`. */
  readonly decided?: string
  readonly problem?: ProblemType
  readonly fault?: FaultKind
  /** How long a fault delayed the response, in milliseconds. */
  readonly delay?: number
}

export type Message = {
  /** Header names are in lower case. After eviction, only Authorization, Content-Type and Plant-Mock-Source remain. */
  readonly headers: Readonly<Record<string, string>>
  /** Missing if the message has no body, or the journal did not keep the body. */
  readonly body?: string
  /** Set if the journal did not keep the body: the body is not UTF-8, is too large, or was evicted. */
  readonly bodyOmitted?: true
  /** The parsed body, if the body is JSON with at most 500 levels of nesting. */
  readonly json?: unknown
}

export type JournalEntry = JournalLine & { readonly request: Message; readonly response: Message }

export type RequestFilter = {
  readonly operation?: OperationId
  readonly method?: string
  readonly status?: number
  readonly caller?: string
  readonly source?: JournalSource
  readonly problem?: ProblemType
  readonly fault?: FaultKind
  /** `true` selects exchanges that violate the contract, `false` all other exchanges. */
  readonly violating?: boolean
}

/** perf: a journal reuses entries, because the garbage collector copies surviving objects (`npm run bench`, GET). */
export type Recorded = ReturnType<typeof unusedEntry>

/** perf: times start as 0.5, because V8 changes the hidden class of all entries when an integer becomes a fraction. */
export const unusedEntry = () => ({
  id: 0,
  receivedAt: 0.5,
  milliseconds: 0.5,
  method: '',
  path: '',
  query: '',
  headers: [] as RawHeaders,
  body: undefined as Body,
  status: 0,
  responseHeaders: [] as RawHeaders,
  responseBody: undefined as Body,
  operation: undefined as OperationId | undefined,
  pseudonym: undefined as Pseudonym | undefined,
  problem: undefined as ProblemType | undefined,
  assumptions: [] as readonly AssumptionId[],
  values: undefined as Assumptions | undefined,
  fault: undefined as FaultKind | undefined,
  delay: 0,
  forwarded: undefined as ReturnType<typeof withoutBytes> | undefined,
  found: undefined as ShownViolations | undefined,
  truncated: undefined as JournalEntry | undefined,
  weight: 0,
})

export const recordIn = (
  recorded: Recorded,
  { received, operation, credentials: { token }, violations }: ResolvedRequest,
  { status, headers, body, meta }: Reply,
  callers: CallerRegistry,
  { id, receivedAt, milliseconds, values }: Pick<Recorded, 'id' | 'receivedAt' | 'milliseconds' | 'values'>,
): void => {
  const { caller, forwarded } = meta
  // Adds a refused token to the tokens that the journal redacts.
  if (token !== undefined && caller === undefined) callers.learn(token)
  recorded.id = id
  recorded.receivedAt = receivedAt
  recorded.milliseconds = milliseconds
  recorded.method = received.method
  // perf: keeps an equal string of the previous exchange, because the garbage collector copies each new string.
  if (recorded.path !== received.path) recorded.path = received.path
  if (recorded.query !== received.query) recorded.query = received.query
  recorded.headers = received.headers()
  recorded.body = received.body
  recorded.status = status
  recorded.responseHeaders = headers
  recorded.responseBody = forwarded?.rest === undefined ? body : bodyTooLarge
  recorded.operation = operation
  recorded.pseudonym = caller && callers.pseudonymOf(caller)
  recorded.problem = meta.problem
  recorded.assumptions = meta.assumptions
  recorded.values = values
  recorded.fault = meta.fault
  recorded.delay = meta.delay
  recorded.forwarded = forwarded && withoutBytes(forwarded)
  recorded.found = violations
  recorded.truncated = undefined
}

const withoutBytes = ({ bytes: _, rest: __, violations, ...shown }: Forwarded) => ({
  ...shown,
  ...(violations && showViolations(violations)),
})

const sourceOf = ({ fault, assumptions, forwarded }: Recorded): JournalSource => {
  if (fault !== undefined) return 'fault'
  if (forwarded !== undefined) return forwarded.by
  return assumptions.length === 0 ? 'contract' : 'assumption'
}

export const violationsIn = (recorded: Recorded): ShownViolations => {
  if (recorded.truncated !== undefined) return recorded.truncated
  const { violations, violationsOmitted } = recorded.forwarded ?? {}
  if (violations !== undefined) return showViolations(violations, violationsOmitted)
  if (recorded.found !== undefined) return recorded.found
  const header = (name: string) => headerValue(recorded.headers, name)
  recorded.found = showViolations(requestViolations({ ...recorded, header }, recorded.operation))
  return recorded.found
}

export const matches = (recorded: Recorded, filter: RequestFilter, callers: CallerRegistry): boolean =>
  isWanted(filter.operation, recorded.operation) &&
  isWanted(filter.method, recorded.method) &&
  isWanted(filter.status, recorded.status) &&
  isWanted(filter.problem, recorded.problem) &&
  isWanted(filter.fault, recorded.fault) &&
  isWanted(filter.source, sourceOf(recorded)) &&
  isFromCaller(filter.caller, recorded, callers) &&
  (filter.violating === undefined || filter.violating === violationsIn(recorded).violations.length > 0)

const isWanted = <T>(wanted: T | undefined, value: T | undefined): boolean => wanted === undefined || wanted === value

const isFromCaller = (wanted: string | undefined, { pseudonym }: Recorded, callers: CallerRegistry): boolean =>
  wanted === undefined ||
  (pseudonym !== undefined && (wanted === pseudonym || callers.findPseudonym(wanted) === pseudonym))

export const toLine = (
  recorded: Recorded,
  callers: CallerRegistry,
  redact = redactorOf(recorded, callers),
): JournalLine => {
  if (recorded.truncated !== undefined) {
    const { request: _, response: __, ...line } = recorded.truncated
    return line
  }
  const { id, receivedAt, milliseconds, method, status, operation, pseudonym, problem, fault, delay } = recorded
  const { violations, ...omitted } = violationsIn(recorded)
  const { values, assumptions } = recorded
  const source = sourceOf(recorded)
  const decided = values && source === 'assumption' ? decidedBy(assumptions, problem, values) : undefined
  return {
    id,
    time: new Date(receivedAt).toISOString(),
    milliseconds: Math.round(milliseconds * 1000) / 1000,
    ...(operation !== undefined && { operation }),
    ...(pseudonym !== undefined && { caller: pseudonym }),
    method,
    url: redact(urlOf(recorded)),
    status,
    source,
    // Copies the array, which most exchanges share, because a user may change the returned entry.
    assumptions: [...assumptions],
    ...(decided !== undefined && { decided }),
    ...(problem !== undefined && { problem }),
    ...(fault !== undefined && { fault }),
    ...(delay > 0 && { delay }),
    violations: violations.map((violation) => ({ ...violation, detail: redact(violation.detail) })),
    ...omitted,
  }
}

export const toEntry = (recorded: Recorded, callers: CallerRegistry): JournalEntry => {
  if (recorded.truncated !== undefined) return recorded.truncated
  const redact = redactorOf(recorded, callers)
  const message = (headers: RawHeaders, body: Body): Message => ({
    headers: redactHeaders(headers, recorded.pseudonym, redact),
    ...shownBody(body, redact),
  })
  const line = toLine(recorded, callers, redact)
  const { forwarded } = recorded
  // Redacts before the header `Plant-Mock-Violations` truncates violations, because redaction misses a partial secret.
  const shown = forwarded?.violations === undefined ? forwarded : { ...forwarded, violations: line.violations }
  const meta = { ...recorded, forwarded: shown }
  return {
    ...line,
    request: message(recorded.headers, recorded.body),
    response: message(responseHeaders({ headers: recorded.responseHeaders, meta }), recorded.responseBody),
  }
}

/** Redacts before truncating, because redaction misses a partial secret. */
export const truncateEntry = (recorded: Recorded, callers: CallerRegistry): void => {
  if (typeof recorded.body === 'string') recorded.body = bodyTooLarge
  if (typeof recorded.responseBody === 'string') recorded.responseBody = bodyTooLarge
  const { url, violations, request, response, ...rest } = toEntry(recorded, callers)
  const truncated = {
    ...rest,
    url: url.slice(0, maxLength),
    violations: violations.map((violation) => ({ ...violation, detail: violation.detail.slice(0, maxLength) })),
    request: { ...request, headers: essentialHeaders(request.headers) },
    response: { ...response, headers: essentialHeaders(response.headers) },
  }
  // Copies the characters, because in V8 a slice of a text keeps the whole text in memory.
  recorded.truncated = JSON.parse(JSON.stringify(truncated)) as JournalEntry
  recorded.found = undefined
  recorded.forwarded = recorded.forwarded && { by: recorded.forwarded.by }
  recorded.query = ''
  recorded.headers = []
  recorded.responseHeaders = []
  if (recorded.operation === undefined) recorded.path = ''
}

const essentialHeaders = (headers: Message['headers']): Message['headers'] =>
  Object.fromEntries(
    ['authorization', 'content-type', 'plant-mock-source'].flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value.slice(0, maxLength)]]
    }),
  )

const maxLength = 500

const shownBody = (recorded: Body, redact: Redact): Omit<Message, 'headers'> => {
  if (recorded === undefined) return {}
  if (typeof recorded === 'symbol') return { bodyOmitted: true }
  const body = redact(recorded)
  const parsed = isNestedTooDeep(body) ? { error: undefined } : parseJson(body)
  if ('error' in parsed) return { body }
  // Redacts the parsed value again, because a JSON escape such as `\u0061` can hide a secret.
  return { body, json: /\\u00/.test(body) ? jsonOrUndefined(redact(JSON.stringify(parsed.value))) : parsed.value }
}

export const decidedBy = (
  ids: readonly AssumptionId[],
  problem: ProblemType | undefined,
  values: Assumptions,
): string | undefined => {
  const major = ids.filter((id) => !rowOf(id).isCommon)
  const differs = (id: AssumptionId): boolean => values[id] !== defaultAssumptions[id]
  const ofProblem = problem && problemTypes[problem].decidedBy?.find((id) => ids.includes(id))
  // Names no assumption for a path outside of the contract, which gets 404 under every assumption.
  const usual = problem === 'not-found' ? undefined : ids[0]
  const id = major.find(differs) ?? major[0] ?? ofProblem ?? ids.find(differs) ?? usual
  return id === undefined ? undefined : `${id}=${values[id]}`
}
