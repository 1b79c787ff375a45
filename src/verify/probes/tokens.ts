import type { Assumptions } from '../../core/assumptions/registry.ts'
import { type Find, known, other, otherStatus, outcomeOf, partial, unseen } from '../finding.ts'
import { isTokenRefused, refused, succeeded } from '../send-request.ts'
import { createRequest, listRequest, otherMethod, otherPath, type TestRequest } from '../test-request.ts'

export const findScheme: Find<Assumptions['auth.scheme']> = async ({ client }) => {
  const response = await client.send({ ...listRequest('?limit=1'), scheme: 'bearer' })
  if (succeeded(response)) return 'any'
  const malformed = await client.send(withAuthorization('Basic eDp5'))
  // A refusal of this token is one of its scheme.
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

/** Compares requests that the contract does not name with a list, each without a token. */
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

/** Lists with a made-up token; in doubt, sends an invalid create with it, which adds nothing. */
export const findTokens: Find<Assumptions['auth.tokens']> = async ({ client, samples }) => {
  const list = await client.send(listRequest('?limit=1', 'unknown'))
  if (!succeeded(list)) return outcomeOf(list, 'any', 'listed')
  if (!client.canCreate) return partial('any', 'lists')
  const [create, control] = [
    await client.send(createRequest(samples.invalidBody(), { as: 'unknown' })),
    await client.send(createRequest(samples.invalidBody())),
  ]
  const isAboutToken = refused(create) && create.status !== control.status
  return isAboutToken ? other('lists accept any token, creates do not') : 'any'
}
