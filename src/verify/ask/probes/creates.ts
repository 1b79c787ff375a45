import type { Assumptions, AssumptionValue } from '../../../core/assumptions/registry.ts'
import type { NewPlant } from '../../../core/contract/schemas.ts'
import { isJsonObject } from '../../../util/json.ts'
import { agreement, known, other, otherStatus, unseen, valueIn } from '../../read/finding.ts'
import { elementsOf, refused, succeeded } from '../../read/response.ts'
import { createRequest, type TestRequest } from '../../read/test-request.ts'
import type { CheckContext, Find } from '../check-context.ts'
import { requireCreated } from '../sample-creates.ts'
import type { Samples } from '../sample-plants.ts'
import { InconclusiveError } from '../send-request.ts'
import { bisect } from './bisect.ts'

type Change = (plant: NewPlant, field: keyof NewPlant) => object

/** The fields whose change is refused; or the status of a response that is neither success nor refusal. */
const refusedFields = async (samples: Samples, fields: readonly (keyof NewPlant)[], change: Change) => {
  const rejected: string[] = []
  for (const field of fields) {
    const response = await samples.tryChanged((plant) => change(plant, field))
    if (refused(response)) rejected.push(field)
    else if (!succeeded(response)) return otherStatus(response)
  }
  return rejected
}

export const findRequired: Find<Assumptions['create.required']> = async ({ samples }) => {
  const required = await refusedFields(samples, ['name', 'id', 'tag'], (plant, field) => ({
    ...plant,
    [field]: undefined,
  }))
  return Array.isArray(required) ? known('create.required', required.join('+') || 'none') : required
}

type ShownTag = Assumptions['create.missingTag'] | ReturnType<typeof other> | ReturnType<typeof unseen>

/** How the response to a changed create and a list show the tag; `undefined` if the create is refused. */
const tagAfter = async (samples: Samples, change: (plant: NewPlant) => object) => {
  const creation = await samples.tryChanged(change)
  if (refused(creation)) return undefined
  if (!succeeded(creation)) return otherStatus(creation)
  const list = await samples.listUntil(creation.plant)
  const listed = elementsOf(list).find((element) => samples.keyOf(element) === samples.keyOf(creation.plant))
  return agreement([
    ['in the create', tagIn(creation.json)],
    ...(listed === undefined ? [] : [['in a list', tagIn(listed)] as const]),
  ])
}

const tagIn = (plant: unknown): ShownTag => {
  if (!isJsonObject(plant)) return unseen('the create does not return an object')
  if (plant.tag === undefined) return 'omit'
  if (plant.tag === null) return 'null'
  return plant.tag === '' ? 'empty' : other(`it is ${JSON.stringify(plant.tag)}`)
}

export const findMissingTag: Find<Assumptions['create.missingTag']> = async ({ samples }) =>
  (await tagAfter(samples, ({ name, id }) => ({ name, id }))) ?? unseen('a create without a tag is refused')

/** If plants without a tag are shown with `null` too, a stored `null` looks like an absent tag. */
export const findNullTag: Find<Assumptions['create.nullTag']> = async ({ samples, findings }) => {
  const shown = await tagAfter(samples, (plant) => ({ ...plant, tag: null }))
  if (shown === undefined) return 'reject'
  if (shown === (valueIn(findings.get('create.missingTag')) ?? 'empty')) return 'absent'
  if (shown === 'null' || (typeof shown === 'object' && !('value' in shown))) return shown
  return other(shown === 'omit' ? 'no tag is shown' : 'an empty tag is shown')
}

export const findEmptyStrings: Find<Assumptions['create.emptyStrings']> = async ({ samples }) => {
  const rejected = await refusedFields(samples, ['name', 'tag'], (plant, field) => ({ ...plant, [field]: '' }))
  if (!Array.isArray(rejected)) return rejected
  if (rejected.length === 2) return 'reject'
  return rejected[0] === undefined ? 'accept' : known('create.emptyStrings', `reject-${rejected[0]}`)
}

/** How many lists lacked a plant before a list showed it; `undefined` if no list shows it. */
const listsWithout = async (samples: Samples, plant: NewPlant): Promise<number | undefined> => {
  let lists = 0
  const found = await samples.listUntilSteady(plant, () => lists++)
  if (samples.shows(found, plant)) return lists
  await samples.requireComplete(found)
  return undefined
}

/** In milliseconds: more than the time of a few lists. */
const minDelay = 100

/**
 * Lists a second plant only after a pause: shows whether the first plant appeared after a time or a number of lists.
 */
export const findVisibility: Find<Assumptions['create.visibility']> = async (context) => {
  const { client, samples } = context
  // Finds the largest limit first, so that a list is the very next request after the create.
  await samples.list()
  const sent = client.options.now()
  const lists = await listsWithout(samples, requireCreated(await samples.create()).plant)
  const delay = Math.max(minDelay, client.options.now() - sent)
  if (lists === undefined) return other(`no list shows it within ${client.options.timeout / 1000} s`)
  if (lists === 0) return 'immediate'
  // A shuffled and truncated list shows a given plant only sometimes.
  const [one, another] = [await samples.list(), await samples.list()]
  if (one.text !== another.text) await samples.requireComplete(another)
  const { plant } = requireCreated(await samples.create())
  // Twice the delay, because delays differ from plant to plant.
  await client.options.wait(2 * delay)
  const listsAfterPause = await listsWithout(samples, plant)
  if (listsAfterPause === 0) return known('create.visibility', `after-ms:${await measureDelay(context, delay)}`)
  return listsAfterPause === lists
    ? known('create.visibility', `after-lists:${lists}`)
    : other('it appears in a later list')
}

const maxMeasured = 8
/** The relative error of a measured delay. */
const maxError = 0.05

/**
 * The time after which a plant is listed, in milliseconds, by bisection. The exact times of creation and listing are
 * unknown: each is between request and response.
 * @param shownAfter A time after which a plant was listed.
 */
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
    // After this wait, a cached list has expired.
    await wait(high)
    await samples.list()
  }
  return roundNumber(low, high)
}

/** The roundest whole number above `low` and up to `high`. */
const roundNumber = (low: number, high: number): number => {
  const steps = [1000, 500, 250, 100, 50, 25, 10, 5]
  const step = steps.find((one) => Math.floor(high / one) * one > low) ?? 1
  return Math.max(1, Math.floor(high / step) * step)
}

export const createTwice = async ({ client, samples }: CheckContext) => {
  const { plant: first, status } = requireCreated(await samples.create())
  const second = { ...samples.newPlant(), id: first.id }
  return { first, status, second, response: await client.send(createRequest(second)) }
}

export const findDuplicateId: Find<Assumptions['create.duplicateId']> = async (context) => {
  const { client, samples } = context
  const { first, second, response } = await createTwice(context)
  if (refused(response)) {
    if (!client.hasOther) return { value: 'conflict', evidence: 'one caller' }
    const elsewhere = await client.send(createRequest({ ...samples.newPlant(), id: first.id }, { as: 'other' }))
    if (succeeded(elsewhere)) return 'conflict'
    if (elsewhere.status >= 500) return otherStatus(elsewhere)
    // If a caller may not create at all, its refusals say nothing about ids.
    const control = await samples.tryChanged((plant) => plant, { as: 'other' })
    if (control.status >= 500) return otherStatus(control)
    if (!succeeded(control)) return { value: 'conflict', evidence: 'one caller' }
    if (!refused(elsewhere)) return 'conflict'
    // If a response was lost, the retried create may conflict with the first try.
    const { first: another } = await createTwice(context)
    const confirmed = await client.send(createRequest({ ...samples.newPlant(), id: another.id }, { as: 'other' }))
    return refused(confirmed) ? 'conflict-everywhere' : 'conflict'
  }
  if (!succeeded(response)) return otherStatus(response)
  // A list that shows a later plant also shows every plant that the two creates made.
  const later = requireCreated(await samples.create())
  const list = await samples.listUntil(later.plant)
  const [hasFirst, hasSecond] = [samples.shows(list, first), samples.shows(list, second)]
  if (hasFirst && hasSecond) return 'accept'
  if (!samples.shows(list, later.plant)) await samples.requireComplete(list)
  if (hasSecond) return 'replace'
  return hasFirst ? 'idempotent' : unseen('the list shows neither of the two plants')
}

export const findDuplicateStatus: Find<Assumptions['create.duplicateStatus']> = async (context) => {
  const { status, response } = await createTwice(context)
  if (succeeded(response) && response.status !== status)
    return other(`the second create succeeds with ${response.status}, the first with ${status}`)
  if (succeeded(response)) return unseen('a second create with the same id is not refused')
  if (!refused(response)) return otherStatus(response)
  return known('create.duplicateStatus', response.status, `it responds with ${response.status}`)
}

/** Limits of the registry and of common frameworks, smallest first, in bytes. */
const bodySizes = [16 * 1024, 100 * 1024, 1024 * 1024]

/** The largest accepted size of a body; `undefined` if the check found no maximum. */
export const bytesOf = (found: AssumptionValue | undefined): number | undefined => {
  if (typeof found === 'number') return found
  const size = /^(\d+)([KM])iB$/.exec(String(found))
  return size === null ? undefined : Number(size[1]) * 1024 ** (size[2] === 'K' ? 1 : 2)
}

/** A create of this size with wrong types: a service refuses it at any size, and creates nothing. */
export const createOfSize = (samples: Samples, size: number): TestRequest => {
  const body = { ...samples.invalidBody(), padding: '' }
  return createRequest({ ...body, padding: 'x'.repeat(Math.max(0, size - JSON.stringify(body).length)) })
}

export const findMaxBodySize: Find<Assumptions['body.maxSize']> = async ({ client, samples }) => {
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
