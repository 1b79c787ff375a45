import { toExchange, toResponse } from '../http/fetch.ts'
import { resolveCall } from '../service/call.ts'
import { checkOptions } from '../util/check-options.ts'
import { PlantMockError } from '../util/errors.ts'
import { isPromise } from '../util/maybe-promise.ts'
import { createMockInstances, type MockInstances, type MockInternals } from './instances.ts'
import { mockOptionNames, otherMockNames, type PlantMockOptions } from './options.ts'
import type { PlantMock } from './plant-mock.ts'
import { sessionHeader } from './session-id.ts'

/** A mock in this process, which handlers and servers can use. */
export interface LocalPlantMock extends PlantMock {
  session(id: string): LocalPlantMock
  /** The instances behind the mock, for adapters. */
  readonly instances: MockInstances
}

/**
 * Creates a mock of the plant store service.
 * @throws PlantMockError for an unknown option, and an invalid fixture, token, fault or assumption.
 */
export const createPlantMock = (options: PlantMockOptions = {}): LocalPlantMock => {
  checkOptions(options, mockOptionNames, 'createPlantMock', otherMockNames)
  return mockOf(createMockInstances(options))
}

/** Creates a mock with options that users do not set, such as an upstream that handles its operations. */
export const createInternalMock = (options: PlantMockOptions, internals: MockInternals): LocalPlantMock =>
  mockOf(createMockInstances(options, internals))

/** The mock over these instances. */
export const mockOf = (instances: MockInstances): LocalPlantMock => {
  const respond = responder(instances)
  return {
    ...instances.root.api,
    fetch: async (input, init) => {
      const request = input instanceof Request && init === undefined ? input : new Request(absolute(input), init)
      const response = await respond(request)
      if (response.type === 'error') throw new TypeError('fetch failed', { cause: 'A fault resets this connection.' })
      return response
    },
    session: (id) => {
      const root = instances.session(id)
      // Its requests stay in the session, whatever their header says.
      return mockOf({ ...instances, root, handlerFor: () => root })
    },
    sessions: instances.sessions,
    instances,
  }
}

/**
 * The mock itself, of which handlers and servers need the instances.
 * @param user What uses it, for the message.
 * @throws PlantMockError for a mock that is not in this process.
 */
export const localMock = (mock: PlantMock, user: string): LocalPlantMock => {
  if (typeof mock !== 'object' || mock === null)
    throw new PlantMockError(`${user} needs a mock: the result of createPlantMock().`)
  if ('instances' in mock) return mock as LocalPlantMock
  throw new PlantMockError(
    `${user} needs a mock of this process, from createPlantMock(). One of connectPlantMock() has a server already: send the requests there.`,
  )
}

/** Only path and query count, so that any host is right for a relative URL. */
const absolute = (input: string | URL | Request): URL | Request =>
  input instanceof Request ? input : new URL(input, 'http://plant-mock.invalid')

/** Responds to a `Request`. `path` replaces the path of its URL, where the caller has matched that already. */
export type Respond = (request: Request, path?: string) => Promise<Response>

/** A mock as a function from `Request` to `Response`. A connection reset becomes `Response.error()`. */
export const responder =
  ({ handlerFor }: Pick<MockInstances, 'handlerFor'>): Respond =>
  async (request, path) => {
    const handler = handlerFor(request.headers.get(sessionHeader) ?? undefined)
    const exchange = await toExchange(request, handler.maxBodySize, path)
    const reply = handler.handle(resolveCall(exchange))
    return toResponse(isPromise(reply) ? await reply : reply, request.method)
  }
