import type { PlantMockOptions } from '../mock/options.ts'
import type { PlantMock } from '../mock/plant-mock.ts'
import { sessionHeader } from '../mock/session-id.ts'
import type { World } from '../mock/world.ts'
import { type Answering, createWorlds, type Worlds } from '../mock/worlds.ts'
import { bodyLimit } from '../service/body-limit.ts'
import { bodyNotUtf8, bodyTooLarge, type Exchange, type Reply } from '../service/exchange.ts'

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
export const createPlantMock = (options: PlantMockOptions = {}): LocalPlantMock => {
  return mockOf(createWorlds(options))
}

/** A mock over its worlds: operations of the root, and a fetch. */
const mockOf = (worlds: Worlds): LocalPlantMock => {
  const respond = responder(worlds)
  return {
    ...operationsOf(worlds.root),
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

/** What users may ask of a world, apart from what adapters need. */
const operationsOf = ({
  plants,
  requests,
  violations,
  assumptions,
  assume,
  seed,
  snapshot,
  reset,
  load,
  fail,
  faults,
  pending,
  clearFaults,
  coverage,
  clearCoverage,
}: World): Omit<PlantMock, 'fetch' | 'session' | 'sessions'> => ({
  plants,
  requests,
  violations,
  assumptions,
  assume,
  seed,
  snapshot,
  reset,
  load,
  fail,
  faults,
  pending,
  clearFaults,
  coverage,
  clearCoverage,
})

/** Any host will do for a relative URL: only path and query are looked at. */
const absolute = (input: string | URL | Request): URL | Request =>
  input instanceof Request ? input : new URL(input, 'http://plant-mock.invalid')

/**
 * Turns a mock's worlds into a function from Request to Response. A connection that is to be reset comes as
 * `Response.error()`. `path` stands for the URL's own path where the caller has matched that already.
 */
export const responder =
  ({ answering }: Pick<Worlds, 'answering'>) =>
  async (request: Request, path?: string): Promise<Response> => {
    const url = new URL(request.url)
    const { headers } = request
    const world: Answering = answering(headers.get(sessionHeader) ?? undefined)
    const reply = await world.handle({
      method: request.method,
      path: path ?? url.pathname,
      query: url.search.slice(1),
      header: (name) => headers.get(name) ?? undefined,
      headers: () => [...headers].flat(),
      body: await readBody(request, bodyLimit(world.inForce)),
    })
    return toResponse(reply, request.method)
  }

const readBody = async (request: Request, limit: number): Promise<Exchange['body']> => {
  if (request.body === null) return undefined
  const bytes = await request.arrayBuffer()
  if (bytes.byteLength > limit) return bodyTooLarge
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return bodyNotUtf8
  }
}

const toResponse = ({ status, headers, body = '', delivery }: Reply, method: string): Response => {
  if (delivery === 'reset') return Response.error()
  const pairs: [string, string][] = []
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i] ?? '', headers[i + 1] ?? ''])
  if (method === 'HEAD' || body === '') return new Response(null, { status, headers: pairs })
  return new Response(delivery === undefined ? body : broken(body, delivery), { status, headers: pairs })
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
