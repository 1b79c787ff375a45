import { createWorld, type PlantMockOptions, type World } from '../mock/world.ts'
import { bodyLimit } from '../service/body-limit.ts'
import { bodyNotUtf8, bodyTooLarge, type Exchange, type Reply } from '../service/exchange.ts'

/** A mock in this process: a world, and a `fetch` of its own. */
export interface PlantMock extends World {
  /**
   * Answers as the service would, without a network or interception: for clients that take a `fetch`.
   * A relative URL such as `/plants?limit=1` will do; of an absolute one, only path and query count.
   */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
}

/**
 * Makes a mock of the plant store service.
 * @throws PlantMockError for a fixture, token or assumption that cannot be used.
 */
export const createPlantMock = (options: PlantMockOptions = {}): PlantMock => {
  const world = createWorld(options)
  const respond = responder(world)
  return {
    ...world,
    get assumptions() {
      return world.assumptions
    },
    fetch: (input, init) =>
      respond(input instanceof Request && init === undefined ? input : new Request(absolute(input), init)),
  }
}

/** Any host will do for a relative URL: only path and query are looked at. */
const absolute = (input: string | URL | Request): URL | Request =>
  input instanceof Request ? input : new URL(input, 'http://plant-mock.invalid')

/**
 * Turns a world into a function from Request to Response.
 * `path` stands for the URL's own path where the caller has matched that already.
 */
export const responder =
  (world: World) =>
  async (request: Request, path?: string): Promise<Response> => {
    const url = new URL(request.url)
    const reply = await world.handle({
      method: request.method,
      path: path ?? url.pathname,
      query: url.search.slice(1),
      header: (name) => request.headers.get(name) ?? undefined,
      body: await readBody(request, bodyLimit(world.assumptions)),
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

const toResponse = ({ status, headers, body }: Reply, method: string): Response => {
  const pairs: [string, string][] = []
  for (let i = 0; i < headers.length; i += 2) pairs.push([headers[i] ?? '', headers[i + 1] ?? ''])
  return new Response(method === 'HEAD' ? null : (body ?? null), { status, headers: pairs })
}
