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

/** How many of the latest responses would differ under other assumptions. */
export type Preview = { readonly differing: number; readonly total: number }

const maxSteps = 20
/** In bytes. A larger body is not kept, because each session keeps its own requests. */
const maxSize = 16_384

/** Keeps the latest steps of a mock instance, because requests in the journal lack the token to repeat them. */
export const recentSteps = () => {
  let steps: RecentStep[] = []
  let next = 0
  return {
    keep(one: RecentStep): void {
      if ((one.request.sent?.size ?? 0) > maxSize) return
      steps[next] = one
      next = (next + 1) % maxSteps
    },
    clear(): void {
      steps = []
      next = 0
    },
    /**
     * Repeats the requests as if the assumptions had been in force since the first request.
     * @param values The assumptions that differ.
     */
    preview(values: Partial<Assumptions>): Preview {
      const inOrder = [...steps.slice(next), ...steps.slice(0, next)]
      let differing = 0
      let last: { readonly after: State; readonly own: State } | undefined
      for (const { before, request, assumptions, reply, after } of inOrder) {
        // If a command has changed the state in between, continues from the changed state.
        const from = last?.after === before ? last.own : before
        const repeated = step(from, request, { ...assumptions, ...values })
        if (!isSameReply(repeated.reply, reply)) differing++
        last = { after, own: repeated.state }
      }
      return { differing, total: inOrder.length }
    },
  }
}
