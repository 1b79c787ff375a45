import { randomUUID } from 'node:crypto'
import { checkOptions } from '../../util/check-options.ts'
import { PlantMockError } from '../../util/errors.ts'
import { createForwarder } from './forward.ts'
import { type CheckMode, upstreamHandler } from './handler.ts'
import { originCheck } from './origins.ts'
import type { Recorder } from './recorder.ts'
import { routeTo } from './route.ts'
import { parseTarget } from './send.ts'

/** Which requests go to a real service, and how they are checked. */
export type UpstreamOptions = {
  /** The base URL of the real service. Its path precedes the path of each request. */
  readonly url: string | URL
  /** `rest` forwards requests outside of the contract, `all` forwards everything. Default: `rest`. */
  readonly for?: 'rest' | 'all'
  /** How long the upstream may take to respond, in milliseconds. Default: 30000. */
  readonly timeout?: number
  /** `report` shows violations in log, journal and `Plant-Mock-Violations`; `strict` sends 502. Default: none. */
  readonly check?: CheckMode
  /** A .har file that collects the exchanges with the operations, without tokens. */
  readonly record?: string
}

export type Upstream = ReturnType<typeof createUpstream>

/** @throws PlantMockError for invalid options. */
export const createUpstream = (
  options: UpstreamOptions,
  {
    host,
    allowOrigins,
    basePath,
  }: { readonly host: string; readonly allowOrigins: readonly string[]; readonly basePath: string },
  observe: Recorder['observe'],
) => {
  const names = { url: true, for: true, timeout: 'amount', check: true, record: 'text' } as const
  checkOptions(options, names, 'upstream', { target: 'url' })
  const { timeout = 30_000, for: scope = 'rest', check, record } = options
  const target = parseTarget(options.url)
  if (scope !== 'rest' && scope !== 'all')
    throw new PlantMockError(`The option upstream.for must be 'rest' or 'all', not ${JSON.stringify(scope)}.`)
  if (scope === 'rest' && (check !== undefined || record !== undefined))
    throw new PlantMockError('check and record need --upstream-for all, which forwards the operations of the contract.')
  const route = routeTo(target, timeout)
  const agent = route.agent({ keepAlive: true })
  const connection = { target, timeout, route, agent, basePath, viaName: `plant-mock-${randomUUID()}` }
  return {
    handler: scope === 'rest' ? undefined : upstreamHandler({ ...connection, check, ...(record && { observe }) }),
    ...createForwarder(connection),
    operations: scope === 'all',
    refusalFor: originCheck(allowOrigins, host),
    close: () => agent.destroy(),
  }
}
