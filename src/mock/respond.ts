import { toExchange, toResponse } from '../http/fetch.ts'
import { resolveCall } from '../service/call.ts'
import type { MockInstances } from './instances.ts'
import { sessionHeader } from './session-id.ts'

/** Responds to a `Request`. `path` replaces the path of its URL, where the caller has matched that already. */
export type Respond = (request: Request, path?: string) => Promise<Response>

/** A mock as a function from `Request` to `Response`. A connection reset becomes `Response.error()`. */
export const responder =
  ({ handlerFor }: Pick<MockInstances, 'handlerFor'>): Respond =>
  async (request, path) => {
    const handler = handlerFor(request.headers.get(sessionHeader) ?? undefined)
    const exchange = await toExchange(request, handler.maxBodySize, path)
    const reply = handler.handle(resolveCall(exchange))
    return toResponse(reply instanceof Promise ? await reply : reply, request.method)
  }
