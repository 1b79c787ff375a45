import { maxBodySize } from '../assumptions/body-size.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import { isSameReply, type Reply } from '../http/reply.ts'
import type { ServiceRequest } from '../model/request.ts'
import type { State } from '../model/state.ts'
import { step } from '../model/step.ts'

/** A request that the model handled. */
type RecentStep = {
  readonly before: State
  readonly request: ServiceRequest
  readonly assumptions: Assumptions
  readonly reply: Reply
  readonly after: State
}

export type RecentSteps = ReturnType<typeof recentSteps>

/** How many of the latest responses would differ under other assumptions. */
export type Preview = { readonly differing: number; readonly total: number }

const maxSteps = 20
/** The size of all kept bodies, in bytes. Each session keeps its own requests. */
const maxSize = maxSteps * 16_384

/** Keeps the latest steps of a mock instance, because requests in the journal lack the token to repeat them. */
export const recentSteps = () => {
  let steps: RecentStep[] = []
  let size = 0
  return {
    keep(one: RecentStep): void {
      steps.push(one)
      size += sizeOf(one)
      while (steps.length > maxSteps || size > maxSize) size -= sizeOf(steps.shift())
    },
    clear(): void {
      steps = []
      size = 0
    },
    /**
     * Repeats the requests as if the assumptions had been in force since the first request.
     * @param values The assumptions that differ.
     */
    preview(values: Partial<Assumptions>): Preview {
      let [differing, total] = [0, 0]
      let last: { readonly after: State; readonly own: State } | undefined
      for (const one of steps) {
        const { before, request, assumptions, after } = one
        const changed = { ...assumptions, ...values }
        // The body was not read, so its reply under a larger limit is unknown: the count starts after it.
        if (isTooLarge(one) && maxBodySize(changed) > maxBodySize(assumptions)) {
          ;[differing, total, last] = [0, 0, undefined]
          continue
        }
        // If a command changed the state after the previous request, continues from the recorded state.
        const from = last?.after === before ? last.own : before
        const repeated = step(from, request, changed)
        if (!isSameFor(request, repeated.reply, one.reply)) differing++
        total++
        last = { after, own: repeated.state }
      }
      return { differing, total }
    },
  }
}

const isTooLarge = ({ request: { sent }, assumptions }: RecentStep): boolean =>
  sent !== undefined && sent.size > maxBodySize(assumptions)

/** A body that is too large was not kept. */
const sizeOf = (one: RecentStep | undefined): number =>
  one === undefined || isTooLarge(one) ? 0 : (one.request.sent?.size ?? 0)

/** The response to HEAD has the length of the body, but not the body. */
const isSameFor = ({ method }: ServiceRequest, a: Reply, b: Reply): boolean =>
  isSameReply(a, method === 'HEAD' && byteLength(a) === byteLength(b) ? { ...b, body: a.body } : b)

const byteLength = ({ body = '' }: Reply): number => new TextEncoder().encode(body).length
