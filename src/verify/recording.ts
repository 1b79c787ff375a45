import { maxFailureText } from './failure-text.ts'
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
    /** Whether the next exchange is drawn after the check. Those with which the client repeats and confirms it are not. */
    isUnseen: false,
    /** Sends a request, and keeps its response; without one, keeps nothing. */
    async record(request: TestRequest, send: (request: TestRequest) => Promise<TestResponse>): Promise<TestResponse> {
      const at = now()
      const response = await send(request)
      if (Array.isArray(response.json)) elements += response.json.length
      if (elements <= maxElements)
        exchanges.push({ request, response: withoutLongText(response), at, isUnseen: this.isUnseen })
      this.isUnseen = false
      return response
    },
  }
}

/** The text of a list is as large as its elements, and no template holds a longer failure. */
const withoutLongText = ({ as, status, headers, json, text, redact, curl }: TestResponse): TestResponse => {
  const kept = { as, status, headers, redact, curl }
  if (Array.isArray(json)) return { ...kept, json, text: '[…]' }
  return text.length > maxFailureText
    ? { ...kept, json: undefined, text: text.slice(0, maxFailureText) }
    : { ...kept, json, text }
}
