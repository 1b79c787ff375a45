import { bodyNotUtf8, bodyTooLarge, type ReceivedRequest } from '../http/exchange.ts'
import { fromFetchHeaders, headerEntries } from '../http/headers.ts'
import type { Delivery, Reply } from '../http/reply.ts'
import { responseHeaders } from '../http/source.ts'
import { hasNullBody } from '../http/status.ts'

export const toReceivedRequest = async (
  request: Request,
  maxBodySize: number,
  path?: string,
): Promise<ReceivedRequest> => {
  const { headers, method } = request
  const { pathname, search } = new URL(request.url)
  const content = request.body === null ? { body: undefined } : await readBody(request, maxBodySize)
  return {
    method,
    path: path ?? pathname,
    query: search.slice(1),
    header: (name) => headers.get(name) ?? undefined,
    headers: () => fromFetchHeaders(headers),
    signal: request.signal,
    ...content,
  }
}

const readBody = async (request: Request, maxBodySize: number): Promise<Pick<ReceivedRequest, 'body' | 'bytes'>> => {
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length > maxBodySize) return { body: bodyTooLarge }
  try {
    return { body: new TextDecoder('utf-8', { fatal: true }).decode(bytes), bytes }
  } catch {
    return { body: bodyNotUtf8, bytes }
  }
}

export const toResponse = (reply: Reply, method: string, signal?: AbortSignal): Response => {
  const { status, body = '', meta } = reply
  const { delivery, forwarded } = meta
  if (delivery === 'reset') return Response.error()
  const init = { status, headers: headerEntries(responseHeaders(reply)) }
  if (method === 'HEAD' || hasNullBody(status)) return new Response(null, init)
  if (delivery !== undefined) return new Response(until(signal, brokenBody(body, delivery)), init)
  if (forwarded?.rest !== undefined)
    return new Response(until(signal, forwardedBody(forwarded.bytes, forwarded.rest)), init)
  if (forwarded?.bytes !== undefined) return new Response(forwarded.bytes as BodyInit, init)
  return new Response(body === '' ? null : body, init)
}

const until = (signal: AbortSignal | undefined, body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  signal === undefined ? body : body.pipeThrough(new TransformStream<Uint8Array, Uint8Array>(), { signal })

const forwardedBody = (first: Uint8Array | undefined, rest: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> => {
  const chunks = rest[Symbol.asyncIterator]()
  return new ReadableStream({
    start(controller) {
      if (first !== undefined) controller.enqueue(first)
    },
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await chunks.return?.()),
  })
}

/** Milliseconds between the spaces that an endless response sends. JSON may begin with spaces. */
export const spaceInterval = 100

const brokenBody = (body: string, delivery: Exclude<Delivery, 'reset'>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasBegun = false
  return new ReadableStream({
    pull(controller) {
      if (delivery === 'endless')
        return new Promise((resolve) => {
          timer = setTimeout(() => {
            controller.enqueue(encoder.encode(' '))
            resolve()
          }, spaceInterval)
        })
      if (hasBegun) controller.error(new TypeError('terminated', { cause: 'A fault truncates this response.' }))
      else controller.enqueue(encoder.encode(body.slice(0, Math.ceil(body.length / 2))))
      hasBegun = true
      return undefined
    },
    cancel: () => clearTimeout(timer),
  })
}
