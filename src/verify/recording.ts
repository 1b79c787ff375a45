import type { TestResponse } from './send-request.ts'
import type { TestRequest } from './test-request.ts'

/** One exchange of a check. */
export type Recorded = {
  readonly request: TestRequest
  readonly response: TestResponse
  /** When it was sent, in milliseconds. */
  readonly at: number
  /** Drawn after the check, so that nothing was learned from it. */
  readonly isUnseen: boolean
}

/** Elements of all lists together. Later lists are not kept, so that a large store does not fill the memory. */
const maxElements = 500_000

export type Recording = ReturnType<typeof createRecording>

/** Keeps the exchanges of a check in order, those that a client repeats included. */
export const createRecording = (now: () => number) => {
  const exchanges: Recorded[] = []
  let elements = 0
  return {
    exchanges: exchanges as readonly Recorded[],
    /** Whether the exchanges from now on are drawn after the check. */
    isUnseen: false,
    /** Sends a request, and keeps its response; without one, keeps nothing. */
    async record(request: TestRequest, send: (request: TestRequest) => Promise<TestResponse>): Promise<TestResponse> {
      const at = now()
      const response = await send(request)
      const { as, status, headers, json, redact, curl } = response
      if (Array.isArray(json)) elements += json.length
      // The text of a list is as large as its elements, and nothing needs it.
      const kept = { as, status, headers, json, redact, curl, text: Array.isArray(json) ? '[…]' : response.text }
      if (elements <= maxElements) exchanges.push({ request, response: kept, at, isUnseen: this.isUnseen })
      return response
    },
  }
}
