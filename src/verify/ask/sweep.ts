import type { RuleId } from '../../core/contract/rules.ts'
import type { NewPlant } from '../../core/contract/schemas.ts'
import { succeeded } from '../read/response.ts'
import { createRequest, isList, listRequest, type TestRequest } from '../read/test-request.ts'
import { failed, type RuleVerdict } from '../read/verdict.ts'
import { maxCreated } from './client.ts'
import type { CheckContext } from './sample-plants.ts'
import { InconclusiveError, insteadOf, NoResponseError } from './send-request.ts'

/** Limits that careless services get wrong: small limits, and limits around powers of two and ten. */
const powers = [5, 6, 7, 8, 9, 10].flatMap((power) => [2 ** power - 1, 2 ** power, 2 ** power + 1])
const limits = [...Array.from({ length: 30 }, (_, i) => i + 1), ...powers, 50, 99, 100, 101, 1000]

const queries = ['', ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 20, 25, 50, 100, 1000].map((limit) => `?limit=${limit}`)]

const minPlantsOfOther = 2

/** Sends list requests with many limits as each caller: a service may break a rule only for some limits or callers. */
export const sweep = async ({ client, samples }: CheckContext, isKept: (id: RuleId) => boolean): Promise<void> => {
  const longest = samples.longest()
  const useful = limits.filter((limit) => limit < longest - 1)
  for (const limit of isKept('list.limit') && longest > 1 ? [...useful, longest - 1] : [])
    await client.send(listRequest(`?limit=${limit}`))
  if (isKept('list.access')) {
    for (let plants = 0; client.canCreate && plants < minPlantsOfOther; plants++)
      await client.send(createRequest(samples.newPlant(), { as: 'other' }))
    for (const query of queries) await client.send(listRequest(query, 'other'))
  }
  if (isKept('auth.list')) await untilSilence(queries.map((query) => listRequest(query, 'anonymous')))
  const headers = { 'content-type': 'application/json', authorization: 'Basic eDp5' }
  if (isKept('auth.create')) await untilSilence([createRequest(samples.newPlant(), { as: 'anonymous', headers })])

  /** Stops at the first missing response, because every request that a gateway drops takes the whole timeout. */
  async function untilSilence(requests: readonly TestRequest[]): Promise<void> {
    for (const request of requests) {
      const response = await client.send(request).catch(insteadOf(undefined, NoResponseError))
      if (response === undefined || (succeeded(response) && isList(request))) return
    }
  }
}

const batch = ['caller', 'other', 'caller', 'other', 'caller', 'other'] as const

export const createAtOnce = async ({ client, samples }: CheckContext): Promise<RuleVerdict | undefined> => {
  if (!client.canCreate || client.created.length + batch.length > maxCreated) return undefined
  const sent = batch
    .filter((as) => as === 'caller' || client.hasOther)
    .map((as) => ({ as, request: createRequest(samples.newPlant(), { as }) }))
  const responses = await Promise.all(
    sent.map(({ request }) => client.send(request).catch(insteadOf(undefined, NoResponseError, InconclusiveError))),
  )
  for (const as of ['other', 'caller'] as const) {
    const plants = sent.flatMap((one, i) => {
      const response = responses[i]
      return one.as === as && response !== undefined && succeeded(response) ? [one.request.json as NewPlant] : []
    })
    const lost = await samples.findMissing(plants, { as }).catch(insteadOf(undefined, InconclusiveError))
    const reason = `of ${plants.length} plants created at once, "${lost?.label}" is not listed`
    if (lost !== undefined) return failed(lost.list, reason)
  }
  return undefined
}
