import { bodyNotUtf8, bodyTooLarge, type Exchange, type Reply } from '../http/exchange.ts'
import { type Answering, createMockInstances, type MockInstances } from './instances.ts'
import type { PlantMockOptions } from './options.ts'
import type { PlantMock } from './plant-mock.ts'
import { sessionHeader } from './session-id.ts'

/** A mock in this process, for handlers and servers to stand on. */
export interface LocalPlantMock extends PlantMock {
  session(id: string): LocalPlantMock
  /** The instances behind the mock. For adapters. */
  readonly instances: MockInstances
}

/**
 * Makes a mock of the plant store service.
 * @throws PlantMockError for a fixture, token, fault or assumption that cannot be used.
 */
export const createPlantMock = (options: PlantMockOptions = {}): LocalPlantMock =>
  mockOf(createMockInstances(options))

/** A mock over its instances: operations of the root, and a fetch. */
const mockOf = (instances: MockInstances): LocalPlantMock => {
  const respond = responder(instances)
  return {
    ...instances.root.operations,
    fetch: async (input, init) => {
      const request =
        input instanceof Request && init === undefined ? input : new Request(absolute(input), init)
      const response = await respond(request)
      if (response.type === 'error')
        throw new TypeError('fetch failed', { cause: 'The mock was asked to reset the connection.' })
      return response
    },
    session: (id) => {
      const root = instances.session(id)
      // What is asked of a session stays in it, whatever a header says.
      return mockOf({ ...instances, root, answering: () => root })
    },
    sessions: instances.sessions,
    instances,
  }
}

/** Any host will do for a relative URL: only path and query are looked at. */
const absolute = (input: string | URL | Request): URL | Request =>
  input instanceof Request ? input : new URL(input, 'http://plant-mock.invalid')

/**
 * Turns a mock's instances into a function from Request to Response. A connection that is to be reset comes as
 * `Response.error()`. `path` stands for the URL's own path where the caller has matched that already.
 */
export const responder = ({ answering }: Pick<MockInstances, 'answering'>) => {
  const utf8 = new TextDecoder('utf-8', { fatal: true })

  return async (request: Request, path?: string): Promise<Response> => {
    const { headers, method, url } = request
    const instance: Answering = answering(headers.get(sessionHeader) ?? undefined)
    const content = request.body === null ? nothing : await readBody(request, instance.bodyLimit, utf8)
    const reply = instance.handle({
      method,
      path: path ?? new URL(url).pathname,
      query: queryOf(url),
      header: (name) => headers.get(name) ?? undefined,
      headers: () => pairsOf(headers),
      ...content,
    })
    return toResponse(reply instanceof Promise ? await reply : reply, method)
  }
}

/** Names and values in turn. Where they are walked through by an iterator, it costs several times as much. */
const pairsOf = (headers: Headers): string[] => {
  const pairs: string[] = []
  headers.forEach((value, name) => {
    pairs.push(name, value)
  })
  return pairs
}

/** The query of an absolute URL, which a Request has in its normal form. */
const queryOf = (url: string): string => {
  const [beforeFragment = ''] = url.split('#', 1)
  const mark = beforeFragment.indexOf('?')
  return mark === -1 ? '' : beforeFragment.slice(mark + 1)
}

type Content = Pick<Exchange, 'body' | 'bytes'>

const nothing: Content = { body: undefined }

const readBody = async (request: Request, limit: number, utf8: TextDecoder): Promise<Content> => {
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length > limit) return { body: bodyTooLarge }
  try {
    return { body: utf8.decode(bytes), bytes }
  } catch {
    return { body: bodyNotUtf8, bytes }
  }
}

const toResponse = ({ status, headers, body = '', delivery, forwarded }: Reply, method: string): Response => {
  if (delivery === 'reset') return Response.error()
  const pairs: [string, string][] = []
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i] ?? '', headers[i + 1] ?? ''])
  const init = { status, headers: pairs }
  if (method === 'HEAD' || status === 204 || status === 304) return new Response(null, init)
  if (delivery !== undefined) return new Response(broken(body, delivery), init)
  if (forwarded?.bytes !== undefined) return new Response(whole(forwarded.bytes, forwarded.rest), init)
  return new Response(body === '' ? null : body, init)
}

const whole = (first: Uint8Array, rest: AsyncIterable<Uint8Array> | undefined): BodyInit => {
  if (rest === undefined) return first as BodyInit
  const reader = rest[Symbol.asyncIterator]()
  return new ReadableStream({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      const { done, value } = await reader.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await reader.return?.()),
  })
}

/** A body that breaks off in the middle, or that a drop is added to now and then. */
const broken = (body: string, delivery: 'truncate' | 'drip'): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder()
  let timer: ReturnType<typeof setTimeout> | undefined
  let begun = false
  return new ReadableStream({
    pull(controller) {
      if (delivery === 'drip')
        return new Promise((resolve) => {
          timer = setTimeout(() => {
            controller.enqueue(encoder.encode(' '))
            resolve()
          }, dripInterval)
        })
      if (begun) controller.error(new TypeError('terminated', { cause: 'The mock was asked to truncate.' }))
      else controller.enqueue(encoder.encode(body.slice(0, Math.ceil(body.length / 2))))
      begun = true
      return undefined
    },
    cancel: () => clearTimeout(timer),
  })
}

/** How long a drop takes that never completes a body, in milliseconds. White space may stand in front of JSON. */
export const dripInterval = 100
