import { matchRequestUrl } from 'msw'
import { maxHeldBody } from '../core/http/exchange.ts'
import { fromFetchHeaders } from '../core/http/headers.ts'
import { localMock } from '../core/mock/create-plant-mock.ts'
import { toReceivedRequest } from '../core/mock/fetch.ts'
import type { MockInstances } from '../core/mock/instances.ts'
import { recordOverride } from '../core/mock/overrides.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import { sessionHeader } from '../core/mock/sessions.ts'
import { clock } from '../core/mock/time.ts'
import { resolveRequest } from '../core/operations/call.ts'
import { contractPaths } from '../core/operations/operations.ts'
import { checkOptions } from '../util/check-options.ts'
import { fillIn, hasResponded, type PlantHandlersOptions, patternOf } from './msw.ts'

export type Network = {
  readonly events: {
    readonly on: (...args: never[]) => unknown
    readonly removeListener: (...args: never[]) => unknown
  }
}

export type OverrideWatch = {
  /** Resolves once all responses that clients have received so far have been checked. */
  settled(): Promise<void>
  stop(): void
}

/**
 * Checks responses for `/plants` from handlers other than `plantHandlers` against the contract, for example from
 * `server.use()`, `worker.use()` or a story, and records them in the mock's journal.
 * @param network The result of `setupServer` or `setupWorker`.
 * @param mock A mock of this process, from `createPlantMock`.
 * @throws PlantMockError for a mock of `connectPlantMock`, and for an unknown option.
 */
export const checkOverrides = (
  network: Network,
  mock: PlantMock,
  options: PlantHandlersOptions = {},
): OverrideWatch => {
  checkOptions(options, { baseUrl: 'text' }, 'checkOverrides')
  const { instances } = localMock(mock, 'checkOverrides')
  const { baseUrl = '*' } = options
  const watched: WatchedMock = { instances, baseUrl, onViolation: instances.overrides.report, reading: new Set() }
  return { settled: () => settled(watched), stop: watchNetwork(network, () => watched) }
}

export type WatchedMock = Required<PlantHandlersOptions> & {
  readonly onViolation: (text: string) => void
  readonly instances: MockInstances
  readonly reading: Set<Promise<void>>
}

type LifeCycle = { readonly request: Request; readonly requestId: string; readonly response: Response }

const maxPending = 1_000

export const watchNetwork = (network: Network, mockOf: () => WatchedMock | undefined): (() => void) => {
  const pending = new Map<string, (response: Response) => void>()
  const onStart = ({ request, requestId }: LifeCycle): void => {
    const watched = mockOf()
    const path = watched && pathIn(request, watched.baseUrl)
    if (watched === undefined || path === undefined) return
    if (pending.size >= maxPending) pending.clear()
    const [receivedAt, sent] = [clock(), request.clone()]
    pending.set(requestId, (response) => {
      const check = checkOverride(watched, sent, path, receivedAt, response).catch(() => undefined)
      watched.reading.add(check)
      check.finally(() => watched.reading.delete(check))
    })
  }
  const onResponse = ({ requestId, response }: LifeCycle): void => {
    const check = pending.get(requestId)
    pending.delete(requestId)
    if (!hasResponded(requestId)) check?.(response)
  }
  const events = network.events as unknown as Record<'on' | 'removeListener', Subscribe>
  events.on('request:start', onStart)
  events.on('response:mocked', onResponse)
  return () => {
    events.removeListener('request:start', onStart)
    events.removeListener('response:mocked', onResponse)
  }
}

const checkOverride = async (
  watched: WatchedMock,
  request: Request,
  path: string,
  receivedAt: number,
  response: Response,
): Promise<void> => {
  const { status, headers } = response
  const milliseconds = clock() - receivedAt
  const [received, body] = await Promise.all([toReceivedRequest(request, maxHeldBody, path), response.clone().text()])
  const { problem } = recordOverride(watched.instances, request.headers.get(sessionHeader) ?? undefined, {
    call: resolveRequest(received),
    status,
    headers: fromFetchHeaders(headers),
    body,
    receivedAt,
    milliseconds,
  })
  if (problem !== undefined) watched.onViolation(problem)
}

type Subscribe = (type: string, listener: (event: LifeCycle) => void) => void

/** Waits for pending checks of responses, but at most one event-loop task, because a response may be endless. */
export const settled = async ({ reading }: WatchedMock): Promise<void> => {
  // msw reports the response to a node:http request one event-loop task after the client has received the response.
  await nextTask()
  await Promise.race([Promise.all(reading), nextTask()])
}

// Keeps the original `setTimeout`, because tests may install fake timers.
const { setTimeout } = globalThis

/** Uses `setTimeout` in jsdom, which lacks MessageChannel. Does not wait for fake timers, which may never fire. */
const nextTask = (): Promise<void> =>
  new Promise((resolve) => {
    if (typeof MessageChannel === 'undefined') return 'clock' in setTimeout ? resolve() : void setTimeout(resolve)
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(0)
  })

const pathIn = ({ url }: Request, baseUrl: string): string | undefined => {
  for (const template of contractPaths) {
    const { matches, params } = matchRequestUrl(new URL(url), patternOf(template, baseUrl))
    if (matches) return fillIn(template, params ?? {})
  }
  return undefined
}
