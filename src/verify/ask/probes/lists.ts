import { maxLimitIn } from '../../../core/assumptions/max-limit.ts'
import type { Assumptions } from '../../../core/assumptions/registry.ts'
import { plural } from '../../../util/words.ts'
import { known, other, otherStatus, type ProbeFinding, valueIn } from '../../read/finding.ts'
import { lengthOf, refused, succeeded, type TestResponse } from '../../read/response.ts'
import { createRequest, listRequest } from '../../read/test-request.ts'
import type { CheckContext, Find } from '../check-context.ts'
import type { Client } from '../client.ts'
import { requireCreated } from '../sample-creates.ts'
import { requireArray } from '../sample-lists.ts'
import { aboveMaxLimit } from '../sample-plants.ts'
import { InconclusiveError, insteadOf } from '../send-request.ts'
import { bisect } from './bisect.ts'

const listWith = async (client: Client, limit: string | number): Promise<TestResponse | undefined> => {
  const response = await client.send(listRequest(`?limit=${limit}`))
  if (succeeded(response) || refused(response)) return succeeded(response) ? response : undefined
  throw new InconclusiveError(`to limit=${limit}, it responds with ${response.status}`)
}

const triedLimits = [1, 10, 100, 1_000, 10_000, 100_000]

/** The largest accepted limit; `undefined` if no limit is refused. The deciding refusal is repeated. */
const largestAccepted = async (client: Client): Promise<number | undefined> => {
  const isAccepted = async (limit: number) => (await listWith(client, limit)) !== undefined
  let accepted = 0
  for (const limit of triedLimits) {
    if (await isAccepted(limit)) {
      accepted = limit
      continue
    }
    const largest = await bisect(accepted, limit, isAccepted)
    if (await isAccepted(largest + 1)) throw new InconclusiveError(`limit=${largest + 1} is refused now and then`)
    return largest
  }
  return undefined
}

export const findMaxLimit: Find<Assumptions['list.maxLimit'], undefined> = async (context) => {
  const { client, samples } = context
  const { aboveMax, minPlants, isStuck } = await samples.fill()
  const accepted = await largestAccepted(client)
  if (accepted !== undefined) return known('list.maxLimit', `reject:${accepted}`, 'every limit is refused')
  requireArray(aboveMax)
  if (!isStuck) {
    if (minPlants < aboveMaxLimit) throw new InconclusiveError(`only ${plural(minPlants, 'plant')} in the store`)
    await client.send(listRequest(`?limit=${aboveMaxLimit - 1}`))
    const longest = await samples.list()
    // If the check may not create plants, lists may still grow through other clients.
    const mayGrow = () => samples.grows().catch(insteadOf(true, InconclusiveError))
    if (lengthOf(longest) <= aboveMaxLimit || (await samples.isAtLimit(longest)) || (await mayGrow())) return undefined
  }
  return (await losesPlants(context)) ? other(losing) : undefined
}

/** Contains no numbers, because the length of a list differs from check to check if callers share the store. */
const losing = 'a list of all plants loses the oldest when a plant is created'

/** A store that is full removes its oldest plants, and forgets their ids. A list that is only cut does neither. */
const losesPlants = async ({ client, samples, findings }: CheckContext): Promise<boolean> => {
  if (!client.canCreate) return false
  const before = requireArray(await samples.list())
  const creation = await samples.create()
  if (!succeeded(creation)) return false
  const list = await samples.listUntil(creation.plant)
  const listed = new Set(requireArray(list).map((element) => JSON.stringify(element)))
  const gone = before.filter((element) => !listed.has(JSON.stringify(element)))
  const isNewestLast = samples.shows({ ...list, json: requireArray(list).slice(-1) }, creation.plant)
  if (isNewestLast && gone.length > 0 && gone[0] === before[0]) return true
  if (!String(valueIn(findings.get('create.duplicateId'))).startsWith('conflict')) return false
  const oldest = samples.created.findIndex((plant) => samples.shows(list, plant))
  const plants = [...gone, ...samples.created.slice(0, oldest === -1 ? undefined : oldest)]
  const [hidden] = plants.flatMap((plant) => samples.idOf(plant) ?? [])
  if (hidden === undefined) return false
  return succeeded(await client.send(createRequest({ ...samples.newPlant(), id: hidden })))
}

export const findDefaultLimit: Find<Assumptions['list.defaultLimit'], undefined> = async (context) => {
  const { client, samples, findings } = context
  const { minPlants, isStuck } = await samples.fill()
  const list = await client.send(listRequest())
  if (!succeeded(list)) return otherStatus(list)
  let plants = Math.max(minPlants, requireArray(list).length)
  // Creates more plants than the largest accepted limit: a larger default would have no effect.
  const max = rejectedOver(findings.get('list.maxLimit'))
  for (; max !== undefined && client.canCreate && plants <= max; plants++)
    await samples.listUntil(requireCreated(await samples.create()).plant)
  const { length } = max === undefined ? requireArray(list) : requireArray(await client.send(listRequest()))
  await samples.list()
  if (!isStuck && length >= plants) {
    if (length > (max ?? aboveMaxLimit - 1)) return undefined
    throw new InconclusiveError(`only ${plural(length, 'plant')} in the store`)
  }
  // With a default limit, the length stays the same when plants are added.
  if (client.canCreate) await samples.listUntil(requireCreated(await samples.create()).plant)
  await client.send(listRequest())
  return undefined
}

const rejectedOver = (finding: ProbeFinding | undefined): number | undefined => {
  const value = valueIn(finding)
  const limit = value === undefined ? undefined : maxLimitIn(value as Assumptions['list.maxLimit'])
  return limit?.kind === 'reject' ? limit.max : undefined
}
