import type { Caller } from '../contract/schemas.ts'
import { discardRest, type Exchange, type FaultKind, faultKinds, type Reply } from '../http/exchange.ts'
import { authenticate } from '../service/authenticate.ts'
import { operationOf, type Service } from '../service/service.ts'
import { andThen, type MaybePromise } from '../util/maybe-promise.ts'
import { checkFault, type Delay, describeFault, type Fault } from './fault.ts'

/** A fault that is set, as it stands now. */
export type ActiveFault = {
  /** Such as `fault-1`; what takes it away. */
  readonly id: string
  /** The fault in words, such as `listPlants: status 503, once`. No token is in it. */
  readonly name: string
  /** How many requests it has met. */
  readonly met: number
  /** How many more it will meet; left out when there is no end. */
  readonly left?: number
}

export interface Faults {
  /** Plays the faults that are for this exchange around the service's own answer. */
  handle(exchange: Exchange): MaybePromise<Reply>
  /** @throws PlantMockError for a fault that cannot be used. */
  add(fault: Fault): string
  /** False when there is no such fault any more. */
  remove(id: string): boolean
  all(): readonly ActiveFault[]
  /** Those set since the start that have not yet met as many requests as they are for. */
  pending(): readonly ActiveFault[]
  /** Back to those that the mock started with. */
  reset(): void
  /** None, not even those that the mock started with. */
  clear(): void
}

export type FaultsOptions = {
  readonly service: Pick<Service, 'handle' | 'problem'>
  /** Set from the start, and again after a reset. */
  readonly initial: readonly Fault[]
  readonly random: () => number
  readonly wait: (milliseconds: number) => Promise<void>
  readonly nameOf: (caller: Caller) => string
}

type Entry = { readonly id: string; readonly fault: Fault; readonly own: boolean; met: number }

/**
 * Faults around a service. Delays add up; of the faults that do more, the one set last is played.
 * @throws PlantMockError for an initial fault that cannot be used.
 */
export const createFaults = ({ service, initial, random, wait, nameOf }: FaultsOptions): Faults => {
  const checked = initial.map(checkFault)
  let count = 0
  const entryOf = (fault: Fault, own: boolean): Entry => ({ id: `fault-${++count}`, fault, own, met: 0 })
  const fresh = () => checked.map((fault) => entryOf(fault, false)).reverse()
  /** Newest first. */
  let entries: Entry[] = fresh()

  const isFor = (fault: Fault, exchange: Exchange): boolean => {
    if (fault.operation !== undefined && fault.operation !== operationOf(exchange)) return false
    if (fault.caller === undefined) return true
    const credentials = authenticate(exchange.header('authorization'))
    return 'token' in credentials && [credentials.token, nameOf(credentials.token)].includes(fault.caller)
  }

  const draw = (exchange: Exchange): readonly Fault[] => {
    const drawn: Fault[] = []
    let failing = false
    for (const entry of entries) {
      const { fault } = entry
      const fails = faultKinds.some((effect) => effect in fault)
      if ((fails && failing) || leftOf(entry) === 0 || !isFor(fault, exchange)) continue
      if (fault.probability !== undefined && random() >= fault.probability) continue
      entry.met++
      failing ||= fails
      drawn.push(fault)
    }
    return drawn
  }

  const delayOf = (delay: Delay | undefined): number => {
    if (delay === undefined || typeof delay === 'number') return delay ?? 0
    const [min, max] = delay
    return min + Math.floor(random() * (max - min + 1))
  }

  const play = (fault: Fault | undefined, exchange: Exchange): MaybePromise<Reply> => {
    if (fault === undefined) return service.handle(exchange)
    if ('status' in fault) return canned(fault, exchange)
    if ('reset' in fault)
      return changed(service.problem('simulated-failure', 'The connection is reset.'), 'reset', exchange)
    const kind = 'truncate' in fault ? 'truncate' : 'malformed' in fault ? 'malformed' : 'drip'
    return andThen(service.handle(exchange), (reply) => changed(reply, kind, exchange))
  }

  const canned = (fault: Fault & { status: number }, exchange: Exchange): Reply => {
    const { status, body, headers = {} } = fault as Extract<Fault, { status: number }>
    const reply = changed(
      service.problem('simulated-failure', `The mock was asked to answer ${status} here.`, status),
      'status',
      exchange,
    )
    const own = body !== undefined || status < 400
    const bodiless = status === 204 || status === 205 || status === 304
    const given = Object.entries(headers)
    const isGiven = (name: string) => given.some(([other]) => other.toLowerCase() === name.toLowerCase())
    const kept = pairsOf(reply.headers).filter(
      ([name]) => !(own && name === 'Content-Type') && !isGiven(name),
    )
    const type =
      own && body !== undefined && !bodiless && !isGiven('Content-Type') ? [contentTypeOf(body)] : []
    return {
      ...reply,
      problem: own ? undefined : reply.problem,
      headers: [...type, ...kept, ...given].flat(),
      body: bodiless ? undefined : own ? textOf(body) : reply.body,
    }
  }

  const changed = (given: Reply, kind: FaultKind, exchange: Exchange): Reply => {
    const reply = asOwn(given)
    return {
      ...reply,
      operation: reply.operation ?? operationOf(exchange),
      caller: reply.caller ?? callerOf(exchange),
      headers: withSource(reply.headers, `fault; kind="${kind}"`),
      body: kind === 'malformed' ? half(reply.body) : reply.body,
      list: kind === 'malformed' ? undefined : reply.list,
      cut: reply.cut && kind !== 'status',
      fault: kind,
      delivery: kind === 'status' || kind === 'malformed' ? undefined : kind,
    }
  }

  const delayed = (reply: Reply, delay: number): Reply => ({
    ...reply,
    headers: withSource(reply.headers, `${sourceOf(reply.headers)}; delay=${delay}`),
    delay,
  })

  const asSet = (entry: Entry): ActiveFault => {
    const left = leftOf(entry)
    const name = describeFault(entry.fault, (caller) =>
      /^caller-\d+$/.test(caller) ? caller : nameOf(caller),
    )
    return { id: entry.id, name, met: entry.met, ...(Number.isFinite(left) && { left }) }
  }

  return {
    handle(exchange) {
      if (entries.length === 0) return service.handle(exchange)
      const drawn = draw(exchange)
      if (drawn.length === 0) return service.handle(exchange)
      const failing = drawn.find((fault) => faultKinds.some((effect) => effect in fault))
      const delay = drawn.reduce((sum, fault) => sum + delayOf(fault.delay), 0)
      if (delay === 0) return play(failing, exchange)
      return wait(delay)
        .then(() => play(failing, exchange))
        .then((reply) => delayed(reply, delay))
    },
    add(fault) {
      const entry = entryOf(checkFault(fault), true)
      // Those that are spent stay for a look, but not without end.
      entries = [entry, ...entries.filter((one, i) => i < mostSpent || leftOf(one) > 0)]
      return entry.id
    },
    remove(id) {
      const kept = entries.filter((entry) => entry.id !== id)
      const removed = kept.length < entries.length
      entries = kept
      return removed
    },
    all: () => entries.map(asSet),
    pending: () =>
      entries
        .filter(
          (entry) => entry.own && (entry.fault.times === undefined ? entry.met === 0 : leftOf(entry) > 0),
        )
        .map(asSet),
    reset() {
      entries = fresh()
    },
    clear() {
      entries = []
    },
  }
}

const mostSpent = 100

/** An answer that came from elsewhere is not as it came any more: its bytes and their length are no longer true. */
const asOwn = (reply: Reply): Reply => {
  if (reply.forwarded === undefined) return reply
  const { by, violations } = reply.forwarded
  discardRest(reply.forwarded)
  const headers = pairsOf(reply.headers).filter(([name]) => !/^content-(?:length|encoding)$/i.test(name))
  return { ...reply, headers: headers.flat(), forwarded: { by, ...(violations && { violations }) } }
}

const leftOf = ({ fault: { times = Number.POSITIVE_INFINITY }, met }: Entry): number => times - met

const callerOf = (exchange: Exchange): Caller | undefined => {
  const credentials = authenticate(exchange.header('authorization'))
  return 'token' in credentials ? credentials.token : undefined
}

/** Half of a text. A list of no plants leaves its bracket open. */
const half = (body: string | undefined): string =>
  body === undefined ? '{' : body.slice(0, Math.ceil(body.length / 2))

const textOf = (body: unknown): string | undefined =>
  body === undefined || typeof body === 'string' ? body : JSON.stringify(body)

const contentTypeOf = (body: unknown): [string, string] => [
  'Content-Type',
  typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/json',
]

const pairsOf = (headers: readonly string[]): [string, string][] => {
  const pairs: [string, string][] = []
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i] ?? '', headers[i + 1] ?? ''])
  return pairs
}

const sourceOf = (headers: readonly string[]): string =>
  pairsOf(headers).find(([name]) => name === 'Plant-Mock-Source')?.[1] ?? 'contract'

const withSource = (headers: readonly string[], source: string): readonly string[] =>
  pairsOf(headers).flatMap(([name, value]) => [name, name === 'Plant-Mock-Source' ? source : value])
