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

type RecentStep = {
  readonly call: ResolvedRequest
  id: number
  readonly before: State
  readonly request: ServiceRequest
  readonly assumptions: Assumptions
  readonly reply: Reply
  readonly after: State
  readonly bytes: number
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
  const ring: (RecentStep | undefined)[] = []
  let [first, next] = [0, 0]
  let totalBytes = 0
  const at = (number: number): RecentStep | undefined => ring[number % maxSteps]
  const steps = (): readonly RecentStep[] =>
    Array.from({ length: next - first }, (_, i) => at(first + i)).filter((one) => one !== undefined)
  const drop = (): void => {
    totalBytes -= at(first)?.bytes ?? 0
    ring[first++ % maxSteps] = undefined
  }
  return {
    recorded(call: ResolvedRequest, id: number): void {
      for (let number = next - 1; number >= first; number--) {
        const one = at(number)
        if (one?.call !== call) continue
        one.id = id
        return
      }
    },
    keep({ call, before, request, assumptions, reply, after }: Omit<RecentStep, 'id' | 'bytes'>): void {
      if (next - first === maxSteps) drop()
      const one = { call, id: 0, before, request, assumptions, reply, after, bytes: keptBytes(request, assumptions) }
      ring[next++ % maxSteps] = one
      totalBytes += one.bytes
      while (totalBytes > maxKeptBytes) drop()
    },
    clear(): void {
      while (first < next) drop()
    },
    preview(values: Partial<Assumptions>): Preview {
      let total = 0
      let requests: number[] = []
      let last: { readonly after: State; readonly own: State } | undefined
      for (const one of steps()) {
        const { before, request, assumptions, after } = one
        const changed = { ...assumptions, ...values }
        // After a body that was too large to keep, starts again: its response under a larger `body.maxSize` is unknown.
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

const isTooLarge = ({ request: { sent }, bytes }: RecentStep): boolean => sent !== undefined && sent.size > bytes

const keptBytes = ({ sent }: ServiceRequest, assumptions: Assumptions): number =>
  sent === undefined || sent.size > maxBodySize(assumptions) ? 0 : sent.size

/** Compares responses to HEAD by the length of the body, because clients see only `Content-Length`. */
const isSameFor = ({ method }: ServiceRequest, a: Reply, b: Reply): boolean =>
  isSameReply(a, method === 'HEAD' && byteLength(a) === byteLength(b) ? { ...b, body: a.body } : b)

const byteLength = ({ body = '' }: Reply): number => new TextEncoder().encode(body).length
