import {
  type AssumptionId,
  type Assumptions,
  type AssumptionValue,
  allValuesOf,
  findAssumption,
  maxBodySize,
} from '../assumptions/registry.ts'
import { headerValue } from '../http/headers.ts'
import { isSameReply, type Reply } from '../http/reply.ts'
import type { ServiceRequest } from '../model/request.ts'
import type { State } from '../model/state.ts'
import { step } from '../model/step.ts'
import type { ResolvedRequest } from '../operations/call.ts'

export type RecentStep = {
  readonly call: ResolvedRequest
  /** The id of the journal entry. 0 until the journal has recorded the request. */
  id: number
  readonly before: State
  readonly request: ServiceRequest
  readonly assumptions: Assumptions
  readonly reply: Reply
  readonly after: State
}

export type Alternatives = { readonly values: Assumptions; readonly alternatives: readonly AlternativeReply[] }

export type RecentSteps = ReturnType<typeof recentSteps>

export type Preview = { readonly differing: number; readonly total: number; readonly requests: readonly number[] }

export type AlternativeReply = {
  readonly id: AssumptionId
  readonly value: AssumptionValue
  readonly isSame: boolean
  readonly status: number
  readonly contentType: string | undefined
  readonly body?: string
}

const maxSteps = 20
const maxKeptBytes = maxSteps * 16_384

/** Keeps recent requests with their tokens: repeating a request needs its token, which the journal lacks. */
export const recentSteps = () => {
  let earlier: RecentStep[] = []
  let latest: RecentStep[] = []
  let bytes = 0
  const steps = (): readonly RecentStep[] => [...earlier, ...latest].slice(-maxSteps)
  return {
    recorded(call: ResolvedRequest, id: number): void {
      const one = lastOf(latest, call) ?? lastOf(earlier, call)
      if (one !== undefined) one.id = id
    },
    /** perf: fills short arrays, because a write to a ring would cost 1 % of a POST (`npm run bench`). */
    keep(one: RecentStep): void {
      if (latest.length === maxSteps) {
        for (const old of earlier) bytes -= keptBytes(old)
        earlier = latest
        latest = []
      }
      latest.push(one)
      bytes += keptBytes(one)
      while (bytes > maxKeptBytes) bytes -= keptBytes((earlier.shift() ?? latest.shift()) as RecentStep)
    },
    clear(): void {
      earlier = []
      latest = []
      bytes = 0
    },
    preview(values: Partial<Assumptions>): Preview {
      let total = 0
      let requests: number[] = []
      let last: { readonly after: State; readonly own: State } | undefined
      for (const one of steps()) {
        const { before, request, assumptions, after } = one
        const changed = { ...assumptions, ...values }
        // Leaves out requests up to a body that was not kept, because a larger `body.maxSize` might accept this body.
        if (isTooLarge(one) && maxBodySize(changed) > maxBodySize(assumptions)) {
          ;[total, requests, last] = [0, [], undefined]
          continue
        }
        const from = last?.after === before ? last.own : before
        const repeated = step(from, request, changed)
        if (!isSameFor(request, repeated.reply, one.reply)) requests.push(one.id)
        total++
        last = { after, own: repeated.state }
      }
      return { differing: requests.length, total, requests }
    },
    alternatives(id: number): Alternatives | undefined {
      const one = steps().find((one) => one.id === id)
      if (one === undefined) return undefined
      const alternatives = one.reply.meta.assumptions.flatMap((assumption) =>
        otherValues(assumption, one.assumptions).flatMap((value) => {
          const assume = { ...one.assumptions, [assumption]: value } as Assumptions
          if (isTooLarge(one) && maxBodySize(assume) > maxBodySize(one.assumptions)) return []
          const { reply } = step(one.before, one.request, assume)
          const { status, headers, body = '' } = reply
          const contentType = headerValue(headers, 'content-type')
          const shown = { status, contentType, ...(body !== '' && body.length <= maxShownBody && { body }) }
          return [{ id: assumption, value, isSame: isSameFor(one.request, reply, one.reply), ...shown }]
        }),
      )
      return { values: one.assumptions, alternatives }
    },
  }
}

const maxShownBody = 65_536

const otherValues = (id: AssumptionId, assume: Assumptions): readonly AssumptionValue[] => {
  const row = findAssumption(id)
  return row === undefined ? [] : [...new Set(allValuesOf(row))].filter((value) => value !== assume[id])
}

const isTooLarge = ({ request: { sent }, assumptions }: RecentStep): boolean =>
  sent !== undefined && sent.size > maxBodySize(assumptions)

const keptBytes = (one: RecentStep): number =>
  one.request.sent === undefined || isTooLarge(one) ? 0 : one.request.sent.size

const lastOf = (steps: readonly RecentStep[], call: ResolvedRequest): RecentStep | undefined => {
  for (let i = steps.length - 1; i >= 0; i--) if (steps[i]?.call === call) return steps[i]
  return undefined
}

/** Compares responses to HEAD by the length of the body, because clients see only `Content-Length`. */
const isSameFor = ({ method }: ServiceRequest, a: Reply, b: Reply): boolean =>
  isSameReply(a, method === 'HEAD' && byteLength(a) === byteLength(b) ? { ...b, body: a.body } : b)

const byteLength = ({ body = '' }: Reply): number => new TextEncoder().encode(body).length
