import { checkOptions } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import { isPromise } from '../../util/maybe-promise.ts'
import { problemDocument, problemTypes } from '../contract/problems.ts'
import { fromFetchHeaders } from '../http/headers.ts'
import { failureText } from '../journal/redact.ts'
import { resolveRequest } from '../operations/call.ts'
import { toReceivedRequest, toResponse } from './fetch.ts'
import type { MockInstance } from './instance.ts'
import { type Carrier, type InstanceApi, instanceApi } from './instance-api.ts'
import { createMockInstances, type MockInstances, type MockInternals } from './instances.ts'
import { mockOptionNames, otherMockNames, type PlantMockOptions } from './options.ts'
import type { PlantMock } from './plant-mock.ts'
import { sessionHeader } from './sessions.ts'

export interface LocalPlantMock extends PlantMock {
  session(id: string): LocalPlantMock
  readonly instances: MockInstances
}

/** Creates a mock. @throws PlantMockError for an unknown option, or an invalid fixture, token, fault or assumption. */
export const createPlantMock = (options: PlantMockOptions = {}): LocalPlantMock => {
  checkOptions(options, mockOptionNames, 'createPlantMock', otherMockNames)
  return mockOf(createMockInstances(options))
}

export const createInternalMock = (options: PlantMockOptions, internals: MockInternals): LocalPlantMock =>
  mockOf(createMockInstances(options, internals))

export const mockOf = (instances: MockInstances): LocalPlantMock =>
  mockWith(instances, Object.getOwnPropertyDescriptors(instances.root.api))

const sessionMock = (id: string, instances: MockInstances): LocalPlantMock => {
  const current = () => instances.session(id)
  const session: MockInstances = {
    ...instances,
    get root() {
      return current()
    },
    handlerFor: current,
  }
  return mockWith(session, Object.getOwnPropertyDescriptors(instanceApi(sessionCarrier(current))))
}

/** Looks up the session for each command, because a deleted session may exist again as a new instance. */
const sessionCarrier = (current: () => MockInstance): Carrier => {
  const { isRemote, sameState, snapshot } = current().carrier
  return {
    isRemote,
    run: ((name, argument) => current().carrier.run(name, argument as never)) as Carrier['run'],
    listen: (onEntry) => current().carrier.listen(onEntry),
    ...(sameState && { sameState }),
    ...(snapshot && {
      snapshot: async () => {
        const restore = await current().carrier.snapshot?.()
        return async () => {
          current()
          await restore?.()
        }
      },
    }),
  }
}

const mockWith = (instances: MockInstances, methods: PropertyDescriptorMap): LocalPlantMock => {
  const respond = responder(instances)
  const others: Omit<LocalPlantMock, keyof InstanceApi> = {
    fetch: async (input, init) => {
      const target = input instanceof Request ? input : new URL(input, 'http://plant-mock.invalid')
      const request = target instanceof Request && init === undefined ? target : new Request(target, init)
      const response = await untilAborted(request.signal, () => respond(request))
      if (response.type === 'error') throw new TypeError('fetch failed', { cause: 'A fault resets this connection.' })
      return response
    },
    session: (id) => sessionMock(id, instances),
    sessions: instances.sessions,
    instances,
  }
  return Object.defineProperties(others as LocalPlantMock, methods)
}

export const localMock = (mock: PlantMock, user: string): LocalPlantMock => {
  if (typeof mock !== 'object' || mock === null)
    throw new PlantMockError(`${user} needs a mock: the result of createPlantMock().`)
  if ('instances' in mock) return mock as LocalPlantMock
  throw new PlantMockError(
    `${user} needs a mock of this process, from createPlantMock(). A mock of connectPlantMock() already has a server: send the requests to that server.`,
  )
}

const untilAborted = <T>(signal: AbortSignal, run: () => Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) {
      abort()
      return
    }
    signal.addEventListener('abort', abort)
    run()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', abort))
  })

export const responder =
  ({ handlerFor, reportFailure }: Pick<MockInstances, 'handlerFor' | 'reportFailure'>) =>
  async (request: Request, path?: string): Promise<Response> => {
    const handler = handlerFor(request.headers.get(sessionHeader) ?? undefined)
    const received = await toReceivedRequest(request, handler.maxBodySize, path)
    try {
      const handled = handler.handle(resolveRequest(received, handler.inForce))
      const { reply } = isPromise(handled) ? await handled : handled
      return toResponse(reply, request.method, request.signal)
    } catch (error) {
      reportFailure(error, { headers: fromFetchHeaders(request.headers) })
      const { status } = problemTypes['internal-error']
      const body = JSON.stringify(problemDocument('internal-error', status, failureText))
      return new Response(body, { status, headers: { 'Content-Type': 'application/problem+json' } })
    }
  }
