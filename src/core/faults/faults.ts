import { randomSource } from '../../util/random.ts'
import type { OperationId } from '../assumptions/operation-ids.ts'
import { type CallerKey, isPseudonym, type Pseudonym } from '../contract/caller.ts'
import { withHeader } from '../http/exchange.ts'
import { filterHeaders, missingHeaders } from '../http/headers.ts'
import { discardRest, type FaultKind, type Reply, reply } from '../http/reply.ts'
import { hasNullBody, noResponse } from '../http/status.ts'
import type { Problem } from '../model/result.ts'
import type { ResolvedRequest } from '../operations/call.ts'
import { type Delay, describeFault, type Fault } from './fault.ts'
import { type FaultEntry, type FaultList, remainingHits } from './fault-list.ts'
import { faultTable } from './kinds.ts'
import { appliedHeaders, type Preferred, withoutHonoured } from './preferred.ts'

export type ActiveFault = {
  /** The id with which the fault can be removed, such as `fault-1`. */
  readonly id: string
  /** Describes the fault without tokens, such as `listPlants: status 503, once`. */
  readonly name: string
  /** How many requests the fault has affected. */
  readonly hits: number
  /** How many more requests the fault will affect. Missing if the number is unlimited. */
  readonly remaining?: number
  /** The fault as added, with a pseudonym instead of its caller's token. */
  readonly fault: Fault
}

export type FaultTarget = {
  readonly operation: OperationId | undefined
  readonly caller: CallerKey | undefined
  readonly preferred: Preferred | undefined
}

export type DrawnFaults = {
  readonly delay: number
  readonly played: Pick<FaultEntry, 'fault' | 'kind'> | undefined
  readonly preferred: Preferred | undefined
}

type Draw = { readonly list: FaultList; readonly drawn: DrawnFaults | undefined }

/** Selects all faults that only delay, and the newest fault that changes the response. */
export const drawFaults = (list: FaultList, target: FaultTarget, pseudonymOf: (caller: string) => Pseudonym): Draw => {
  const { preferred } = target
  if (preferred !== undefined) {
    const { code, delay = 0 } = preferred
    const played = code === undefined ? undefined : ({ fault: { status: code }, kind: 'status' } as const)
    return { list, drawn: { delay, played, preferred } }
  }
  if (list.entries.length === 0) return { list, drawn: undefined }
  const source = randomSource(list.random)
  const drawn = new Set<FaultEntry>()
  let played: FaultEntry | undefined
  for (const entry of list.entries) {
    const { fault, kind } = entry
    if ((kind !== undefined && played !== undefined) || remainingHits(entry) === 0) continue
    if (!isFor(fault, target, pseudonymOf)) continue
    if (fault.probability !== undefined && source.next() >= fault.probability) continue
    if (kind !== undefined) played = entry
    drawn.add(entry)
  }
  let delay = 0
  for (const { fault } of drawn) delay += drawDelay(fault.delay, source.next)
  const entries =
    drawn.size === 0
      ? list.entries
      : list.entries.map((entry) => (drawn.has(entry) ? { ...entry, hits: entry.hits + 1 } : entry))
  return {
    list: { ...list, entries, random: source.state },
    drawn: drawn.size === 0 ? undefined : { delay, played, preferred: undefined },
  }
}

const toActive = (entry: FaultEntry, pseudonymOf: (caller: string) => Pseudonym): ActiveFault => {
  const { id, hits } = entry
  const remaining = remainingHits(entry)
  const { caller, ...others } = entry.fault
  const pseudonym = caller === undefined || isPseudonym(caller) ? caller : pseudonymOf(caller)
  const fault = { ...others, ...(pseudonym !== undefined && { caller: pseudonym }) }
  return { id, name: describeFault(fault), hits, ...(Number.isFinite(remaining) && { remaining }), fault }
}

export const activeFaults = ({ entries }: FaultList, pseudonymOf: (caller: string) => Pseudonym) =>
  entries.map((entry) => toActive(entry, pseudonymOf))

export const pendingFaults = ({ entries }: FaultList, pseudonymOf: (caller: string) => Pseudonym) =>
  entries.filter(isPending).map((entry) => toActive(entry, pseudonymOf))

type Problems = (problem: Problem) => Reply

export const faultReply = ({ played }: DrawnFaults, problem: Problems): Reply | undefined => {
  if (played?.kind === undefined || faultTable[played.kind].reachesService) return undefined
  return 'status' in played.fault ? statusReply(played.fault, problem) : reply(noResponse, [], undefined, {})
}

export const withFaults = (given: Reply, { delay, played, preferred }: DrawnFaults, target: FaultTarget): Reply => {
  const reply = played?.kind === undefined ? given : withFault(given, played.kind, target)
  if (delay === 0 && preferred === undefined) return reply
  return {
    ...reply,
    headers: preferred === undefined ? reply.headers : [...reply.headers, ...appliedHeaders(preferred)],
    meta: { ...reply.meta, delay },
  }
}

/** Removes honoured preferences from `Prefer`, because an upstream that honours `Prefer` would apply them again. */
export const withoutPreferred = (call: ResolvedRequest, preferred: Preferred | undefined): ResolvedRequest => {
  if (preferred === undefined) return call
  const { received } = call
  const rest = withoutHonoured(received.header('prefer') ?? '', preferred)
  return { ...call, received: withHeader(received, 'prefer', rest) }
}

const isPending = (entry: FaultEntry): boolean =>
  !entry.isInitial && (entry.fault.times === undefined ? entry.hits === 0 : remainingHits(entry) > 0)

const isFor = (
  { operation, caller }: Fault,
  target: FaultTarget,
  pseudonymOf: (caller: string) => Pseudonym,
): boolean => {
  if (operation !== undefined && operation !== target.operation) return false
  if (caller === undefined) return true
  return target.caller !== undefined && (target.caller === caller || pseudonymOf(target.caller) === caller)
}

const drawDelay = (delay: Delay | undefined, random: () => number): number => {
  if (delay === undefined || typeof delay === 'number') return delay ?? 0
  const [min, max] = delay
  return min + Math.floor(random() * (max - min + 1))
}

type StatusFault = Extract<Fault, { readonly status: number }>

const statusReply = ({ status, body, headers = {} }: StatusFault, problem: Problems): Reply => {
  const made =
    body === undefined && status >= 400
      ? problem({ problem: 'simulated-failure', detail: `A fault responds with ${status} here.`, status })
      : givenReply(status, body)
  const given = Object.entries(headers).flat()
  return {
    ...made,
    headers: [...missingHeaders(given, made.headers), ...given],
    body: hasNullBody(status) ? undefined : made.body,
  }
}

const givenReply = (status: number, body: unknown): Reply => {
  if (body === undefined || hasNullBody(status)) return reply(status, [], undefined, {})
  return typeof body === 'string'
    ? reply(status, ['Content-Type', 'text/plain; charset=utf-8'], body, {})
    : reply(status, ['Content-Type', 'application/json'], JSON.stringify(body), {})
}

const withFault = (given: Reply, kind: FaultKind, { operation, caller }: FaultTarget): Reply => {
  const { changeBody, delivery } = faultTable[kind]
  const { status, headers, body, meta } = withoutForwardedBytes(given)
  return {
    status,
    headers,
    body: changeBody === undefined ? body : changeBody(body),
    meta: { ...meta, operation: meta.operation ?? operation, caller: meta.caller ?? caller, fault: kind, delivery },
  }
}

/** Drops the original bytes and their headers, which do not fit the text that the fault has changed. */
const withoutForwardedBytes = (reply: Reply): Reply => {
  const { forwarded } = reply.meta
  if (forwarded === undefined) return reply
  discardRest(forwarded)
  const { bytes: _, rest: __, ...others } = forwarded
  return {
    ...reply,
    headers: filterHeaders(reply.headers, (name) => !/^content-(?:length|encoding)$/.test(name)),
    meta: { ...reply.meta, forwarded: others },
  }
}
