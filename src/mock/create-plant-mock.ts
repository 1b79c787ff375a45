import type { PlantMockOptions } from './options.ts'
import type { PlantMock } from './plant-mock.ts'
import { sessionHeader } from './session-id.ts'
import { type Answering, createWorlds, type Worlds } from './instances.ts'
import { bodyNotUtf8, bodyTooLarge, type Exchange, type Reply } from '../http/exchange.ts'

/** A mock in this process, for handlers and servers to stand on. */
export interface LocalPlantMock extends PlantMock {
  session(id: string): LocalPlantMock
  /** The worlds behind the mock. For adapters. */
  readonly worlds: Worlds
}

/**
 * Makes a mock of the plant store service.
 * @throws PlantMockError for a fixture, token, fault or assumption that cannot be used.
 */
export const createPlantMock = (options: PlantMockOptions = {}): LocalPlantMock =>
  mockOf(createWorlds(options))

/** A mock over its worlds: operations of the root, and a fetch. */
const mockOf = (worlds: Worlds): LocalPlantMock => {
  const respond = responder(worlds)
  return {
    ...worlds.root.operations,
    fetch: async (input, init) => {
      const request =
        input instanceof Request && init === undefined ? input : new Request(absolute(input), init)
      const response = await respond(request)
      if (response.type === 'error')
        throw new TypeError('fetch failed', { cause: 'The mock was asked to reset the connection.' })
      return response
    },
    session: (id) => {
      const root = worlds.session(id)
      // What is asked of a session stays in it, whatever a header says.
      return mockOf({ ...worlds, root, answering: () => root })
    },
    sessions: worlds.sessions,
    worlds,
  }
}

/** Any host will do for a relative URL: only path and query are looked at. */
const absolute = (input: string | URL | Request): URL | Request =>
  input instanceof Request ? input : new URL(input, 'http://plant-mock.invalid')

/**
 * Turns a mock's worlds into a function from Request to Response. A connection that is to be reset comes as
 * `Response.error()`. `path` stands for the URL's own path where the caller has matched that already.
 */
export const responder = ({ answering }: Pick<Worlds, 'answering'>) => {
  const utf8 = new TextDecoder('utf-8', { fatal: true })

  return async (request: Request, path?: string): Promise<Response> => {
    const { headers, method, url } = request
    const world: Answering = answering(headers.get(sessionHeader) ?? undefined)
    const content = request.body === null ? nothing : await readBody(request, world.bodyLimit, utf8)
    const reply = world.handle({
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
