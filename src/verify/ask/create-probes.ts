import type { Assumptions } from '../../core/assumptions/registry.ts'
import type { NewPlant } from '../../core/contract/schemas.ts'
import { known, other, otherStatus, roundNumber, unseen } from '../read/finding.ts'
import { refused, succeeded } from '../read/response.ts'
import { createRequest, type TestRequest } from '../read/test-request.ts'
import { requireCreated } from './sample-creates.ts'
import type { CheckContext, Probe, Samples } from './sample-plants.ts'
import { InconclusiveError, insteadOf } from './send-request.ts'

const countListsWithout = async (samples: Samples, plant: NewPlant): Promise<number | undefined> => {
  let lists = 0
  const found = await samples.listUntil(plant, { isSteady: true, onList: () => lists++ })
  if (samples.shows(found, plant)) return lists
  await samples.requireComplete(found)
  return undefined
}

const minDelay = 100

/** A pause before the first list shows whether a service hides new plants for a time or for a number of lists. */
export const findVisibility: Probe<Assumptions['create.visibility']> = async (context) => {
  const { client, samples } = context
  await samples.list()
  const sent = client.options.now()
  const lists = await countListsWithout(samples, requireCreated(await samples.create()).plant)
  const delay = Math.max(minDelay, client.options.now() - sent)
  if (lists === undefined) return other(`no list shows a created plant within ${client.options.timeout / 1000} s`)
  if (lists === 0) return 'immediate'
  // Two different lists in a row suggest random order, in which a truncated list may omit the new plant by chance.
  const [one, another] = [await samples.list(), await samples.list()]
  if (one.text !== another.text) await samples.requireComplete(another)
  const { plant } = requireCreated(await samples.create())
  await client.options.wait(2 * delay)
  const listsAfterPause = await countListsWithout(samples, plant)
  if (listsAfterPause === 0) return known('create.visibility', `after-ms:${await measureDelay(context, delay)}`)
  return listsAfterPause === lists
    ? known('create.visibility', `after-lists:${lists}`)
    : other('a created plant appears after a varying number of lists')
}

const maxMeasured = 8
const maxError = 0.05

const measureDelay = async ({ client, samples }: CheckContext, shownAfter: number): Promise<number> => {
  const { now, wait } = client.options
  let [low, high] = [0, shownAfter]
  for (let plants = 0; plants < maxMeasured && high - low > Math.max(2, maxError * high); plants++) {
    const sent = now()
    const { plant } = requireCreated(await samples.create())
    const created = now()
    await wait((low + high) / 2)
    const asked = now()
    const isShown = samples.shows(await samples.list(), plant)
    if (isShown) {
      high = Math.min(high, now() - sent)
      continue
    }
    low = Math.max(low, asked - created)
    // Lets a cached list without the plant expire before the next create, because the service may cache lists.
    await wait(high)
    await samples.list()
  }
  return roundNumber(low, high)
}

export const createTwice = async ({ client, samples }: CheckContext) => {
  const { plant: first, status } = requireCreated(await samples.create())
  const second = { ...samples.newPlant(), id: first.id }
  return { first, status, second, response: await client.send(createRequest(second)) }
}

export const findDuplicateId: Probe<Assumptions['create.duplicateId']> = async (context) => {
  const { client, samples } = context
  const { first, second, response } = await createTwice(context)
  if (refused(response)) {
    if (!client.hasOther) return { value: 'conflict', evidence: 'one caller' }
    const elsewhere = await client.send(createRequest({ ...samples.newPlant(), id: first.id }, { as: 'other' }))
    if (succeeded(elsewhere)) return 'conflict'
    if (elsewhere.status >= 500) return otherStatus(elsewhere)
    // Also sends an unused id as the other caller. If this create is refused too, the id was not the reason.
    const control = await samples.tryChanged((plant) => plant, { as: 'other' })
    if (control.status >= 500) return otherStatus(control)
    if (!succeeded(control)) return { value: 'conflict', evidence: 'one caller' }
    if (!refused(elsewhere)) return 'conflict'
    // Repeats with another id, because a create that was retried after a lost response conflicts with itself.
    const { first: another } = await createTwice(context)
    const confirmed = await client.send(createRequest({ ...samples.newPlant(), id: another.id }, { as: 'other' }))
    return refused(confirmed) ? 'conflict-everywhere' : 'conflict'
  }
  if (!succeeded(response)) return otherStatus(response)
  // Waits until a list shows a plant created later: such a list also shows both earlier plants if they are stored.
  const later = requireCreated(await samples.create())
  const list = await samples.listUntil(later.plant)
  const [hasFirst, hasSecond] = [samples.shows(list, first), samples.shows(list, second)]
  if (hasFirst && hasSecond) return 'accept'
  if (!samples.shows(list, later.plant)) await samples.requireComplete(list)
  if (hasSecond) {
    await checkOwner(context, second).catch(insteadOf(undefined, InconclusiveError))
    return 'replace'
  }
  return hasFirst ? 'idempotent' : unseen('the list shows neither of the two plants')
}

/** The other caller must not replace a plant that it cannot access (contract.md, 4.1). */
const checkOwner = async ({ client, samples }: CheckContext, plant: NewPlant): Promise<void> => {
  if (!client.hasOther) return
  await client.send(createRequest({ ...samples.newPlant(), id: plant.id }, { as: 'other' }))
  const list = await samples.list()
  if (samples.shows(list, plant)) return
  await samples.requireComplete(list)
  const reason = `"${samples.labelOf(plant)}" is not listed any more after the other caller created a plant with its id`
  client.violations.note('create.stored', list, reason)
}

const bodySizes = [16 * 1024, 100 * 1024, 1024 * 1024]

/** Makes a large body with fields of wrong types, because a service would store a large valid plant. */
export const createOfSize = (samples: Samples, size: number): TestRequest => {
  const body = { ...samples.invalidBody(), padding: '' }
  return createRequest({ ...body, padding: 'x'.repeat(Math.max(0, size - JSON.stringify(body).length)) })
}

export const findMaxBodySize: Probe<Assumptions['body.maxSize']> = async ({ client, samples }) => {
  requireCreated(await samples.first())
  const isTaken = async (size: number): Promise<boolean> => {
    const response = await client.send(createOfSize(samples, size))
    if (succeeded(response))
      throw new InconclusiveError('a create with wrong types is accepted, so no large body was sent')
    if (!refused(response)) throw new InconclusiveError(`a create with wrong types returns ${response.status}`)
    return response.status !== 413
  }
  let taken = 0
  for (const size of bodySizes) {
    if (!(await isTaken(size + 1)))
      return known('body.maxSize', (await isTaken(size)) ? size : await bisect(taken, size, isTaken))
    taken = size + 1
  }
  return { value: 'none', upTo: taken }
}

export const bisect = async (
  accepted: number,
  rejected: number,
  isAccepted: (number: number) => Promise<boolean>,
): Promise<number> => {
  let [low, high] = [accepted, rejected]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (await isAccepted(middle)) low = middle
    else high = middle
  }
  return low
}
