import type { RequestListener } from 'node:http'
import { nodeListener } from '../adapters/node/listener.ts'
import { dashboardListener } from '../dashboard/listener.ts'
import type { LocalPlantMock } from '../mock/create-plant-mock.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { handlersFirst } from './handlers-first.ts'
import type { StartOptions } from './options.ts'

/**
 * Composes the listener of a server. In this order, the first that takes a request responds: the user's handlers, the
 * dashboard page, the control interface, the mock, the upstream.
 * @param url The address of the server, which is known once it listens.
 */
export const composeListener = (
  { respond, onRequest, onNotice, controlKey: key, provenance, host }: ListenerOptions,
  { instances }: LocalPlantMock,
  upstream: Upstream | undefined,
  closing: AbortSignal,
  url: () => string,
): RequestListener => {
  const next = nodeListener(instances, {
    cors: true,
    anyMethod: upstream !== undefined || respond !== undefined,
    onRequest,
    closing,
    first: dashboardListener(instances, { key, host, closing, provenance }),
    elsewhere: upstream?.forwarder.web,
  })
  return respond === undefined ? next : handlersFirst({ respond, url, next, log: { instances, onRequest }, onNotice })
}

type ListenerOptions = StartOptions & Required<Pick<StartOptions, 'host' | 'onNotice'>>
