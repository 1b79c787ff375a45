import type { Assumptions } from '../../../core/assumptions/registry.ts'
import { known, other, otherStatus, partial, statusOf, unseen } from '../../read/finding.ts'
import { steadyRate } from '../../read/rate.ts'
import { isTokenRefused, refused, succeeded } from '../../read/response.ts'
import { anyForListsAlone, minRequests } from '../../read/seen.ts'
import {
  createRequest,
  listRequest,
  optionsRequest,
  otherMethod,
  otherPath,
  type TestRequest,
} from '../../read/test-request.ts'
import type { Find } from '../check-context.ts'
import type { Client } from '../client.ts'
import { InconclusiveError } from '../send-request.ts'

export const findScheme: Find<Assumptions['auth.scheme']> = async ({ client }) => {
  const response = await client.send({ ...listRequest('?limit=1'), scheme: 'bearer' })
  if (succeeded(response)) return 'any'
  const malformed = await client.send(withAuthorization('Basic eDp5'))
  // To an exact service, `bearer` is malformed, so both refusals have the same status.
  if (refused(malformed) && response.status === malformed.status) return 'exact'
  return isTokenRefused(response) ? other(`it responds with ${response.status}`) : otherStatus(response)
}

export const findMalformedStatus: Find<Assumptions['auth.malformedStatus']> = async ({ client }) => {
  const missing = await client.send(listRequest('?limit=1', 'anonymous'))
  const statuses: number[] = []
  for (const authorization of ['Basic eDp5', 'Bearer', 'Bearer @']) {
    const response = await client.send(withAuthorization(authorization))
    const found = otherStatus(response)
    if ('unseen' in found) return found
    statuses.push(response.status)
  }
  const [status = 0] = statuses
  if (statuses.some((one) => one !== status)) return other(`it responds with ${[...new Set(statuses)].join(' or ')}`)
  return status === missing.status ? 'same' : known('auth.malformedStatus', status, `it responds with ${status}`)
}

const withAuthorization = (authorization: string) => listRequest('?limit=1', 'anonymous', { authorization })

/** Compares requests outside of the contract with a list, each without a token. */
export const findScope: Find<Assumptions['auth.scope']> = async ({ client }) => {
  const missing = await client.send(listRequest('?limit=1', 'anonymous'))
  if (!refused(missing)) return unseen('a missing token is not refused')
  const { status: refusal } = missing
  const needsToken = async (request: (as: 'caller' | 'anonymous') => TestRequest): Promise<boolean | undefined> => {
    const [without, known] = [await client.send(request('anonymous')), await client.send(request('caller'))]
    if (known.status === refusal) return undefined
    return without.status === refusal
  }
  const [atPath, elsewhere] = [await needsToken(otherMethod), await needsToken(otherPath)]
  if (atPath === undefined || elsewhere === undefined)
    return unseen(`a refused token and an unknown path both return ${refusal}`)
  if (elsewhere) return atPath ? 'everywhere' : other('other paths need a token, but other methods of /plants do not')
  return atPath ? 'path' : 'operations'
}

/** Lists with a made-up token. If the list succeeds, also sends an invalid create, which adds no plant. */
export const findTokens: Find<Assumptions['auth.tokens']> = async ({ client, samples }) => {
  const list = await client.send(listRequest('?limit=1', 'unknown'))
  if (refused(list)) {
    // A service may accept any token without `-`.
    const word = client.options.tokens.unknown.replaceAll('-', '_')
    return succeeded(await client.send(withAuthorization(`Bearer ${word}`))) ? other(anyWord) : 'listed'
  }
  if (!succeeded(list)) return otherStatus(list)
  if (!client.canCreate) return partial('any', 'lists')
  const [create, control] = [
    await client.send(createRequest(samples.invalidBody(), { as: 'unknown' })),
    await client.send(createRequest(samples.invalidBody())),
  ]
  const isAboutToken = refused(create) && create.status !== control.status
  return isAboutToken ? other(anyForListsAlone) : 'any'
}

const anyWord = 'a token of letters, digits and _ is accepted, one with - is refused'

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

/**
 * Sends safe methods only. For PUT, PATCH and DELETE, uses rules of HTTP: with 405, the path decides, and
 * `Allow` names the methods that exist (RFC 9110, 15.5.6); with 501, the method is unknown (15.6.2).
 */
export const findOtherMethods: Find<Assumptions['operation.other']> = async ({ client }) => {
  const response = await client.send(otherMethod('caller'))
  const { status, headers } = response
  const found = statusOf('operation.other', response)
  if (typeof found === 'object' && 'unseen' in found) return found
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
