import { randomUUID } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Origin } from '../http/exchange.ts'
import { PlantMockError } from '../util/errors.ts'
import { createForwarder, type Forwarder } from './forward.ts'
import { defaultTimeout, type UpstreamOptions } from './options.ts'
import { type Observed, upstreamOrigin } from './responder.ts'
import { targetOf } from './target.ts'

/** A real service behind the mock. */
export type Upstream = {
  /** Answers the contract's operations; `undefined` where the model does. */
  readonly origin: Origin | undefined
  /** Takes everything else. */
  readonly forwarder: Forwarder
  /** Lets go of connections that are kept open. */
  readonly close: () => void
}

/**
 * Makes a way to the upstream. Nothing is sent before the first request.
 * @throws PlantMockError when the options cannot be used.
 */
export const createUpstream = (
  options: UpstreamOptions,
  onAnswer?: (observed: Observed) => void,
): Upstream => {
  const { timeout = defaultTimeout, for: what = 'rest', check, record, fallback } = options
  const target = targetOf(options.url)
  if (what === 'rest' && (check !== undefined || fallback || record !== undefined))
    throw new PlantMockError(
      'To check, record or fall back, the operations of the contract must go to the upstream: --upstream-for plants.',
    )
  const agent =
    target.protocol === 'https:' ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true })
  const shared = { target, timeout, agent, station: `plant-mock-${randomUUID()}` }
  return {
    origin:
      what === 'rest'
        ? undefined
        : upstreamOrigin({
            ...shared,
            ...(check !== undefined && { check }),
            ...(fallback !== undefined && { fallback }),
            onAnswer: record === undefined ? undefined : onAnswer,
          }),
    forwarder: createForwarder(shared),
    close: () => agent.destroy(),
  }
}
