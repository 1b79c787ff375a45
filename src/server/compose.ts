import type { RequestListener } from 'node:http'
import { nodeListener } from '../adapters/node/listener.ts'
import { logWhenFinished } from '../adapters/node/logged-request.ts'
import { controlListener } from '../control/listener.ts'
import { oneOf, pageListener } from '../dashboard/listener.ts'
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
  { respond, onRequest, onNotice = warn, controlKey, provenance, host }: StartOptions & { readonly host: string },
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
    first: oneOf(
      pageListener({ hasKey: controlKey !== undefined, host }),
      controlListener(instances, { key: controlKey, host, closing, provenance }),
    ),
    elsewhere: upstream?.forwarder.web,
  })
  if (respond === undefined) return next
  return handlersFirst({
    respond,
    url,
    next,
    onResponse: (req, res) => logWhenFinished({ instances, onRequest }, req, res, 'handlers'),
    onError: (error) => onNotice(`a handler threw: ${error instanceof Error ? error.stack : error}`),
  })
}

/** The default of `onNotice`. */
export const warn = (text: string): void => console.warn(`plant-mock: ${text}`)
