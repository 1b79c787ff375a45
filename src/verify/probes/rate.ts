import type { Assumptions } from '../../core/assumptions/registry.ts'
import type { Client } from '../client.ts'
import { type Find, known, other, unseen } from '../finding.ts'
import { InconclusiveError } from '../send-request.ts'
import { listRequest } from '../test-request.ts'

/** How often a request of `caller` must have been sent before a rate limit of one in ten shows for certain. */
export const minRequests = 20
/** In milliseconds. The window of a rate limit is rarely shorter than a second. */
const minPause = 1_000

/** Counts the requests of the whole check, and sends only those that are missing. */
export const findRateLimit: Find<Assumptions['rate.limit']> = async ({ client }) => {
  const { rateLimited } = client
  try {
    while (rateLimited.length < minRequests) await client.send(listRequest('?limit=1'))
  } catch (error) {
    if (!(error instanceof InconclusiveError && rateLimited.includes(true))) throw error
  }
  const numbers = rateLimited.flatMap((isLimited, i) => (isLimited ? [i] : []))
  if (numbers.length === 0) return client.stopped === undefined ? 'none' : unseen(client.stopped)
  // Without numbers, which would differ from check to check.
  const behaviour = 'some requests get 429'
  const nth = distanceOf(numbers)
  if (nth === undefined || !(await staysAfterPause(client, nth))) return other(behaviour)
  return known('rate.limit', `every:${nth}`, behaviour)
}

/** The distance of the numbers, if it is always the same. The service may have counted earlier requests. */
const distanceOf = ([first = 0, second = Number.NaN, ...others]: readonly number[]): number | undefined => {
  const distance = second - first
  const isSame = others.every((number, i) => number === second + distance * (i + 1))
  return isSame && first < distance ? distance : undefined
}

/** A limit for each window of time looks the same, until a pause begins another window. */
const staysAfterPause = async (client: Client, nth: number): Promise<boolean> => {
  const { rateLimited } = client
  const next = rateLimited.lastIndexOf(true) + nth
  while (rateLimited.length < next) await client.send(listRequest('?limit=1'))
  await client.wait(Math.max(minPause, client.longestPause))
  await client.send(listRequest('?limit=1'))
  return rateLimited[next] === true
}
