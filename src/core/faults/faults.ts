import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { isPseudonym, type Pseudonym } from '../contract/caller.ts'
import { withHeader } from '../http/exchange.ts'
import { filterHeaders, missingHeaders } from '../http/headers.ts'
import { discardRest, type FaultKind, type Reply, reply } from '../http/reply.ts'
import { hasNullBody } from '../http/status.ts'
import { type Call, callMeta } from '../service/call.ts'
import type { Service } from '../service/service.ts'
import { type Delay, describeFault, type Fault } from './fault.ts'
import { type FaultEntry, type FaultList, remainingHits } from './fault-list.ts'
import { faultTable } from './kinds.ts'
import { appliedHeaders, type Preferred, preferredIn, withoutHonoured } from './preferred.ts'

/** A fault that is set, with its counters. */
export type ActiveFault = {
  /** Such as `fault-1`; removes it. */
  readonly id: string
  /** The fault in words, such as `listPlants: status 503, once`. It contains no token. */
  readonly name: string
  /** How many requests it has affected. */
  readonly hits: number
  /** How many more requests it will affect; missing when that is unlimited. */
  readonly remaining?: number
}

/** The faults that affect one call, or what it prefers. Plain data: another process may play it. */
export type DrawnFaults = {
  /** In milliseconds, before the rest is played. */
  readonly delay: number
  /** `undefined` where the call is only delayed. */
  readonly played: Pick<FaultEntry, 'fault' | 'kind'> | undefined
  /** `undefined` for faults of the list. */
  readonly preferred: Preferred | undefined
}

export type Faults = ReturnType<typeof createFaults>

type FaultsOptions = {
  readonly list: FaultList
  readonly handle: (call: Call) => MaybePromise<Reply>
  readonly problem: Service['problem']
  /** From 0 to below 1. */
  readonly random: () => number
  readonly wait: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  readonly pseudonymOf: (caller: string) => Pseudonym
  /** Whether a request may ask for a status or a delay of its own response, by the header `Prefer`. */
  readonly prefer: boolean
}

/**
 * Plays the faults of a list around a service. Delays add up; of faults with another effect, the latest is played. What a
 * request prefers is played instead of the list, and counts no hits.
 */
export const createFaults = (options: FaultsOptions) => {
  const { list, handle, random, wait, pseudonymOf } = options
  const play = playFaults(options)

  /** The faults that apply to a call; counts a hit for each. `undefined` for none. */
  const draw = (call: Call): DrawnFaults | undefined => {
    const preferred = options.prefer ? preferredIn(call.exchange.header('prefer')) : undefined
    if (preferred !== undefined) {
      const { code, delay = 0 } = preferred
      return { delay, played: code === undefined ? undefined : { fault: { status: code }, kind: 'status' }, preferred }
    }
    if (list.entries().length === 0) return undefined
    const drawn: FaultEntry[] = []
    let played: FaultEntry | undefined
    for (const entry of list.entries()) {
      const { fault, kind } = entry
      if ((kind !== undefined && played !== undefined) || remainingHits(entry) === 0) continue
      if (!isFor(fault, call, pseudonymOf)) continue
      if (fault.probability !== undefined && random() >= fault.probability) continue
      entry.hits++
      if (kind !== undefined) played = entry
      drawn.push(entry)
    }
    if (drawn.length === 0) return undefined
    const delay = drawn.reduce((sum, { fault }) => sum + drawDelay(fault.delay, random), 0)
    return { delay, played, preferred: undefined }
  }

  const toActive = (entry: FaultEntry): ActiveFault => {
    const remaining = remainingHits(entry)
    const name = describeFault(entry.fault, (caller) =>
      isPseudonym(caller) ? (caller as Pseudonym) : pseudonymOf(caller),
    )
    return { id: entry.id, name, hits: entry.hits, ...(Number.isFinite(remaining) && { remaining }) }
  }

  return {
    handle(call: Call): MaybePromise<Reply> {
      const drawn = draw(call)
      if (drawn === undefined) return handle(call)
      return drawn.delay === 0
        ? play(drawn, call)
        : wait(drawn.delay, call.exchange.signal).then(() => play(drawn, call))
    },
    draw,
    play,
    /** The latest first. */
    active: (): readonly ActiveFault[] => list.entries().map(toActive),
    /** Faults added since the start that have not yet affected as many requests as they are for. */
    pending: (): readonly ActiveFault[] => list.entries().filter(isPending).map(toActive),
  }
}

/** Plays drawn faults around a service; their delay is over. */
export const playFaults = ({ handle, problem }: Pick<FaultsOptions, 'handle' | 'problem'>) => {
  const play = (entry: DrawnFaults['played'], call: Call): MaybePromise<Reply> => {
    if (entry?.kind === undefined) return handle(call)
    const { fault, kind } = entry
    if (faultTable[kind].reachesService) return andThen(handle(call), (reply) => withFault(reply, kind, call))
    const reply =
      'status' in fault
        ? statusReply(fault, problem)
        : problem({ problem: 'simulated-failure', detail: `Simulated: ${faultTable[kind].meaning}.` })
    return withFault(reply, kind, call)
  }
  return ({ delay, played, preferred }: DrawnFaults, call: Call): MaybePromise<Reply> => {
    const reply = play(played, preferred === undefined ? call : withoutPreferred(call, preferred))
    return delay === 0 && preferred === undefined ? reply : andThen(reply, (reply) => withDraw(reply, delay, preferred))
  }
}

const withDraw = (reply: Reply, delay: number, preferred: Preferred | undefined): Reply => ({
  ...reply,
  headers: preferred === undefined ? reply.headers : [...reply.headers, ...appliedHeaders(preferred)],
  meta: delay === 0 ? reply.meta : { ...reply.meta, delay },
})

const isPending = (entry: FaultEntry): boolean =>
  !entry.isInitial && (entry.fault.times === undefined ? entry.hits === 0 : remainingHits(entry) > 0)

const isFor = ({ operation, caller }: Fault, call: Call, pseudonymOf: FaultsOptions['pseudonymOf']): boolean => {
  if (operation !== undefined && operation !== call.operation) return false
  if (caller === undefined) return true
  const { token } = call.credentials
  return token !== undefined && (token === caller || pseudonymOf(token) === caller)
}

const drawDelay = (delay: Delay | undefined, random: () => number): number => {
  if (delay === undefined || typeof delay === 'number') return delay ?? 0
  const [min, max] = delay
  return min + Math.floor(random() * (max - min + 1))
}

/** The call as an upstream gets it: one that honours the same preferences would apply them once more. */
const withoutPreferred = (call: Call, preferred: Preferred): Call => {
  const { exchange } = call
  const rest = withoutHonoured(exchange.header('prefer') ?? '', preferred)
  return { ...call, exchange: withHeader(exchange, 'prefer', rest) }
}

type StatusFault = Extract<Fault, { readonly status: number }>

/** The response of a `status` fault: the given one, or a failure in the form of `error.body`. */
const statusReply = ({ status, body, headers = {} }: StatusFault, problem: Service['problem']): Reply => {
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

const withFault = (given: Reply, kind: FaultKind, call: Call): Reply => {
  const { operation, caller } = callMeta(call)
  const { changeBody, delivery } = faultTable[kind]
  const { status, headers, body, meta } = withoutForwardedBytes(given)
  return {
    status,
    headers,
    body: changeBody === undefined ? body : changeBody(body),
    meta: { ...meta, operation: meta.operation ?? operation, caller: meta.caller ?? caller, fault: kind, delivery },
  }
}

/** A fault changes the text of a forwarded response, so its bytes, their length and encoding no longer apply. */
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
