import type { Entry } from '../../core/assumptions/file.ts'
import type { Assumptions } from '../../core/assumptions/registry.ts'
import { maxLimitIn } from '../../core/operations/limit.ts'
import { plural } from '../../util/words.ts'
import { known, minRequests, other, otherStatus, partial, statusOf, steadyRate, unseen } from '../read/finding.ts'
import { lengthOf, refused, succeeded } from '../read/response.ts'
import { createRequest, listRequest, optionsRequest, otherMethod } from '../read/test-request.ts'
import type { Client } from './client.ts'
import { bisect } from './create-probes.ts'
import { requireCreated } from './sample-creates.ts'
import { requireArray } from './sample-lists.ts'
import { aboveMaxLimit, type CheckContext, type PlanRow, type Probe } from './sample-plants.ts'
import { InconclusiveError, insteadOf } from './send-request.ts'

const minPlants = 6
/** Milliseconds. Longer than a second, because timestamps in whole seconds do not order plants of the same second. */
const second = 1_100

export const sendOrder: PlanRow = async ({ client, samples }) => {
  while (client.canCreate && samples.created.length < minPlants) requireCreated(await samples.create())
  const newest = samples.created.at(-1)
  if (newest !== undefined) await samples.listUntil(newest)
  for (let lists = 0; lists < 3; lists++) requireArray(await samples.list())
  if (!client.canCreate) return
  await client.options.wait(second)
  const creation = await samples.create()
  if (!succeeded(creation)) return
  await samples.listUntil(creation.plant)
  await samples.list()
}

const triedLimits = [1, 10, 100, 1_000, 10_000, 100_000]

const largestAccepted = async (client: Client): Promise<number | undefined> => {
  const isAccepted = async (limit: number): Promise<boolean> => {
    const response = await client.send(listRequest(`?limit=${limit}`))
    if (succeeded(response) || refused(response)) return succeeded(response)
    throw new InconclusiveError(`limit=${limit} returns ${response.status}`)
  }
  let accepted = 0
  for (const limit of triedLimits) {
    if (await isAccepted(limit)) {
      accepted = limit
      continue
    }
    const largest = await bisect(accepted, limit, isAccepted)
    if (await isAccepted(largest + 1)) throw new InconclusiveError(`limit=${largest + 1} is refused only sometimes`)
    return largest
  }
  return undefined
}

export const findMaxLimit: Probe<Assumptions['list.maxLimit'], undefined> = async (context) => {
  const { client, samples } = context
  const { aboveMax, minPlants, isStuck } = await samples.fill()
  const accepted = await largestAccepted(client)
  if (accepted !== undefined) return known('list.maxLimit', `reject:${accepted}`, 'every limit is refused')
  requireArray(aboveMax)
  if (!isStuck) {
    if (minPlants < aboveMaxLimit) throw new InconclusiveError(`only ${plural(minPlants, 'plant')} in the store`)
    const atMax = await client.send(listRequest(`?limit=${aboveMaxLimit - 1}`))
    const longest = await samples.list()
    const mayGrow = () => samples.grows().catch(insteadOf(true, InconclusiveError))
    if (lengthOf(longest) <= aboveMaxLimit || (await samples.isAtLimit(longest)) || (await mayGrow()))
      return lengthOf(atMax) === aboveMaxLimit - 1 ? { value: 'none', upTo: lengthOf(longest) } : undefined
  }
  return (await losesPlants(context)) ? other(losing) : undefined
}

/** Omits the length of the list, because other clients may change the length between two checks. */
const losing = 'a list of all plants loses the oldest when a plant is created'

/** Creates a missing plant again with the same id. The service accepts this id only if it has dropped the plant. */
const losesPlants = async ({ client, samples, findings }: CheckContext): Promise<boolean> => {
  if (!client.canCreate) return false
  const before = requireArray(await samples.list())
  const creation = await samples.create()
  if (!succeeded(creation)) return false
  const list = await samples.listUntil(creation.plant)
  const listed = new Set(requireArray(list).map((element) => JSON.stringify(element)))
  const gone = before.filter((element) => !listed.has(JSON.stringify(element)))
  const isNewestLast = samples.shows({ ...list, json: requireArray(list).slice(-1) }, creation.plant)
  if (isNewestLast && requireArray(list).length <= before.length) return true
  if (!String(findings.get('create.duplicateId')?.value).startsWith('conflict')) return false
  const oldest = samples.created.findIndex((plant) => samples.shows(list, plant))
  const plants = [...gone, ...samples.created.slice(0, oldest === -1 ? undefined : oldest)]
  const [hidden] = plants.flatMap((plant) => samples.idOf(plant) ?? [])
  if (hidden === undefined) return false
  return succeeded(await client.send(createRequest({ ...samples.newPlant(), id: hidden })))
}

export const findDefaultLimit: Probe<Assumptions['list.defaultLimit'], undefined> = async (context) => {
  const { client, samples, findings } = context
  const { minPlants, isStuck } = await samples.fill()
  const list = await client.send(listRequest())
  if (!succeeded(list)) return otherStatus(list)
  const shown = requireArray(list).length
  let plants = Math.max(minPlants, shown)
  const max = rejectedOver(findings.get('list.maxLimit'))
  for (const isCut = shown < plants; max !== undefined && !isCut && client.canCreate && plants <= max; plants++)
    await samples.listUntil(requireCreated(await samples.create()).plant)
  const { length } = max === undefined ? requireArray(list) : requireArray(await client.send(listRequest()))
  await samples.list()
  if (!isStuck && length >= plants) {
    if (length > (max ?? aboveMaxLimit - 1)) return undefined
    throw new InconclusiveError(`only ${plural(length, 'plant')} in the store`)
  }
  if (client.canCreate) await samples.listUntil(requireCreated(await samples.create()).plant)
  await client.send(listRequest())
  return undefined
}

const rejectedOver = (finding: Entry | undefined): number | undefined => {
  const value = finding?.value
  const limit = value === undefined ? undefined : maxLimitIn(value as Assumptions['list.maxLimit'])
  return limit?.kind === 'reject' ? limit.max : undefined
}

const minPause = 1_000

export const findRateLimit: Probe<Assumptions['rate.limit']> = async ({ client }) => {
  const { rateLimited } = client
  try {
    while (rateLimited.length < minRequests) await client.send(listRequest('?limit=1'))
  } catch (error) {
    if (!(error instanceof InconclusiveError && rateLimited.includes(true))) throw error
  }
  if (!rateLimited.includes(true))
    return client.stopReason === undefined ? { value: 'none', upTo: rateLimited.length } : unseen(client.stopReason)
  const behaviour = 'some requests get 429'
  const nth = steadyRate(rateLimited)?.every
  if (nth === undefined || !(await staysAfterPause(client, nth))) return other(behaviour)
  return known('rate.limit', `every:${nth}`, behaviour)
}

/** Pauses, because a limit per time window can look like a limit on every nth request until the next window begins. */
const staysAfterPause = async (client: Client, nth: number): Promise<boolean> => {
  const { rateLimited } = client
  const next = rateLimited.lastIndexOf(true) + nth
  while (rateLimited.length < next) await client.send(listRequest('?limit=1'))
  await client.options.wait(Math.max(minPause, client.longestPause))
  await client.send(listRequest('?limit=1'))
  return rateLimited[next] === true
}

/** Sends only safe methods: the `Allow` header of a 405 shows support for PUT, PATCH and DELETE (RFC 9110, 15.5.6). */
export const findOtherMethods: Probe<Assumptions['operation.other']> = async ({ client }) => {
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
