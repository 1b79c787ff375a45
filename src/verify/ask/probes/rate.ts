import type { Assumptions } from '../../../core/assumptions/registry.ts'
import { known, minRequests, other, partial, statusOf, steadyRate, unseen } from '../../read/finding.ts'
import { listRequest, optionsRequest, otherMethod } from '../../read/test-request.ts'
import type { Find } from '../check-context.ts'
import type { Client } from '../client.ts'
import { InconclusiveError } from '../send-request.ts'

/** In milliseconds. A rate limit rarely has a window shorter than a second. */
const minPause = 1_000

/** Counts the requests of the whole check, and sends only the missing requests. */
export const findRateLimit: Find<Assumptions['rate.limit']> = async ({ client }) => {
  const { rateLimited } = client
  try {
    while (rateLimited.length < minRequests) await client.send(listRequest('?limit=1'))
  } catch (error) {
    if (!(error instanceof InconclusiveError && rateLimited.includes(true))) throw error
  }
  if (!rateLimited.includes(true))
    return client.stopped === undefined ? { value: 'none', upTo: rateLimited.length } : unseen(client.stopped)
  // Omits the numbers of these requests, which differ from check to check.
  const behaviour = 'some requests get 429'
  const nth = steadyRate(rateLimited)?.every
  if (nth === undefined || !(await staysAfterPause(client, nth))) return other(behaviour)
  return known('rate.limit', `every:${nth}`, behaviour)
}

/** A limit per time window looks like a limit of every nth request, until a pause starts the next window. */
const staysAfterPause = async (client: Client, nth: number): Promise<boolean> => {
  const { rateLimited } = client
  const next = rateLimited.lastIndexOf(true) + nth
  while (rateLimited.length < next) await client.send(listRequest('?limit=1'))
  await client.options.wait(Math.max(minPause, client.longestPause))
  await client.send(listRequest('?limit=1'))
  return rateLimited[next] === true
}

/** Safe methods only; about others, HTTP tells: `Allow` of a 405 (RFC 9110, 15.5.6), 501 for unknown (15.6.2). */
export const findOtherMethods: Find<Assumptions['operation.other']> = async ({ client }) => {
  const response = await client.send(otherMethod('caller'))
  const { status, headers } = response
  const found = statusOf('operation.other', response)
  if (found.unseen !== undefined) return found
  const allowed = headers.get('allow')
  if (status === 405 && allowed !== null)
    return partial(found, /\b(?:PUT|PATCH|DELETE)\b/.test(allowed) ? 'PROPFIND' : undefined)
  const known = await client.send(optionsRequest('caller'))
  if (known.status === status) return found
  if (status === 501)
    return unseen(
      `PROPFIND is unknown (501), OPTIONS returns ${known.status}; neither shows what PUT or DELETE returns`,
    )
  return partial(found, 'PROPFIND')
}
