import { randomUUID } from 'node:crypto'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { UpstreamHandler } from '../../core/mock/instance.ts'
import { checkOptions } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import { parseTarget } from './failure.ts'
import { createForwarder, type Forwarder } from './forward.ts'
import { type ObservedResponse, upstreamHandler } from './handler.ts'
import { defaultUpstreamTimeout, type UpstreamOptions, upstreamOptionNames } from './options.ts'
import { isOrigin, type OriginCheck, originCheck } from './origins.ts'

export type Upstream = {
  /** Handles the operations of the contract; `undefined` when the model does. */
  readonly handler: UpstreamHandler | undefined
  readonly forwarder: Forwarder
  /** Why a page may not reach the upstream, to be asked before anything is forwarded. */
  readonly refusalFor: OriginCheck
  readonly close: () => void
}

/**
 * Prepares an upstream. It sends nothing before the first request.
 * @param host The address to which the mock is bound.
 * @param onResponse Receives successful responses to the contract's operations, when `record` is set.
 * @throws PlantMockError for invalid options.
 */
export const createUpstream = (
  options: UpstreamOptions,
  host: string,
  onResponse?: (observed: ObservedResponse) => void,
): Upstream => {
  checkOptions(options, upstreamOptionNames, 'upstream', { target: 'url', allowOrigin: 'allowOrigins' })
  const { timeout = defaultUpstreamTimeout, for: scope = 'rest', check, record, fallback, allowOrigins = [] } = options
  const target = parseTarget(options.url)
  if (scope !== 'rest' && scope !== 'all')
    throw new PlantMockError(`The option for of an upstream must be 'rest' or 'all', not ${JSON.stringify(scope)}.`)
  if (scope === 'rest' && (check !== undefined || fallback || record !== undefined))
    throw new PlantMockError(
      'check, record and fallback need the operations of the contract at the upstream: --upstream-for all.',
    )
  const invalid = allowOrigins.find((origin) => !isOrigin(origin))
  if (invalid !== undefined)
    throw new PlantMockError(
      `The allowed origin ${JSON.stringify(invalid)} is not one such as https://app.example.com, without a path or wildcard.`,
    )
  const refusalFor = originCheck(allowOrigins, host)
  const agent = new (target.protocol === 'https:' ? HttpsAgent : HttpAgent)({ keepAlive: true })
  const connection = { target, timeout, agent, viaName: `plant-mock-${randomUUID()}` }
  return {
    handler:
      scope === 'rest'
        ? undefined
        : upstreamHandler({
            ...connection,
            check,
            fallback,
            onResponse: record === undefined ? undefined : onResponse,
          }),
    forwarder: createForwarder(connection),
    refusalFor,
    close: () => agent.destroy(),
  }
}
