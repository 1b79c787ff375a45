import type { Assumptions } from '../../assumptions/registry.ts'
import { plural } from '../../util/words.ts'
import { agreement, byOutcome, type Find, type Observation, otherStatus, outcomeOf, unseen } from '../finding.ts'
import { lengthOf, refused, succeeded } from '../send-request.ts'
import { listRequest } from '../test-request.ts'

const returned = (plants: number): string => `it returns ${plural(plants, 'plant')}`

export const findZeroLimit: Find<Assumptions['list.zeroLimit']> = async ({ client, samples }) => {
  if (client.canCreate) await samples.listUntil((await samples.first()).plant.name)
  const response = await client.send(listRequest('?limit=0'))
  if (lengthOf(response) > 0) return { other: returned(lengthOf(response)) }
  if (succeeded(response) && (await samples.list()).length === 0)
    return unseen('there are no plants, so every list is empty')
  return byOutcome(response, 'empty', 'reject')
}

/** Compares each list with one that has no limit, which shows whether the service ignores an invalid limit. */
export const findInvalidLimit: Find<Assumptions['list.invalidLimit']> = async ({ client }) => {
  const unlimitedLength = async () => lengthOf(await client.send(listRequest()))
  // A plant created just before may be missing from the first list.
  await unlimitedLength()
  const observations: Observation[] = []
  for (const query of ['limit=-1', 'limit=abc', 'limit=1.5', 'limit=1&limit=2']) {
    const response = await client.send(listRequest(`?${query}`))
    const length = lengthOf(response)
    const isIgnored = succeeded(response) && length === (await unlimitedLength())
    // With one or two plants, the service may have read the query as limit=1 or limit=2.
    if (isIgnored && length < 3) return unseen('there are too few plants to tell')
    observations.push([query, outcomeOf(response, isIgnored ? 'ignore' : returned(length), 'reject')])
  }
  return agreement(observations, 'reject', 'ignore')
}

export const findMaxLimit: Find<Assumptions['list.maxLimit']> = async ({ client, samples }) => {
  const { aboveMax, minPlants, maxLength } = await samples.fill()
  if (refused(aboveMax))
    return succeeded(await client.send(listRequest('?limit=100')))
      ? { value: 'reject' }
      : { other: 'a limit of 100 is refused too' }
  if (!succeeded(aboveMax)) return otherStatus(aboveMax)
  if (!Array.isArray(aboveMax.json)) return unseen('no list is an array')
  if (maxLength === 100) return { value: 'clamp' }
  if (maxLength !== undefined) return { other: `no list exceeds ${plural(maxLength, 'plant')}` }
  if (lengthOf(aboveMax) > 101) return { other: `limit=101 returns ${plural(lengthOf(aboveMax), 'plant')}` }
  return minPlants === 101 ? { value: 'none' } : unseen(`only ${plural(minPlants, 'plant')} in the store`)
}

export const findDefaultLimit: Find<Assumptions['list.defaultLimit']> = async ({ client, samples }) => {
  const { minPlants, maxLength } = await samples.fill()
  const response = await client.send(listRequest())
  if (!succeeded(response)) return otherStatus(response)
  if (!Array.isArray(response.json)) return unseen('no list is an array')
  const { length } = response.json
  if (length > 100) return { value: 'none' }
  if (length === maxLength) return unseen(`no list exceeds ${plural(length, 'plant')}, with or without a limit`)
  if (length >= minPlants) return unseen(`only ${plural(length, 'plant')} in the store`)
  const value = ([10, 20, 100] as const).find((limit) => limit === length)
  return value === undefined ? { other: returned(length) } : { value }
}
