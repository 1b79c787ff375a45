import type { Assumptions } from '../../assumptions/registry.ts'
import { type Find, other, otherStatus, unseen } from '../finding.ts'
import { requireCreated } from '../sample-plants.ts'
import { namesOf, refused, succeeded } from '../send-request.ts'
import { createRequest } from '../test-request.ts'

const requiredSets: readonly Assumptions['create.required'][] = ['name+id+tag', 'name+id', 'name', 'none']

/** Leaves out one field at a time. */
export const findRequired: Find<Assumptions['create.required']> = async ({ client, samples }) => {
  const required: string[] = []
  for (const field of ['name', 'id', 'tag'] as const) {
    const { [field]: _, ...others } = samples.newPlant()
    const response = await client.send(createRequest(others))
    if (refused(response)) required.push(field)
    else if (!succeeded(response)) return otherStatus(response)
  }
  const found = required.join('+') || 'none'
  return requiredSets.find((set) => set === found) ?? other(`it requires ${required.join(' and ')}`)
}

export const findVisibility: Find<Assumptions['create.visibility']> = async ({ samples }) => {
  // Finds the largest limit first, so that the list after the create is the very next request.
  await samples.list()
  const { plant } = requireCreated(await samples.create())
  if (namesOf(await samples.list()).includes(plant.name)) return 'immediate'
  const later = await samples.listUntil(plant.name)
  await samples.requireComplete(later)
  return namesOf(later).includes(plant.name) ? 'eventual' : other('no list shows it')
}

export const findDuplicateId: Find<Assumptions['create.duplicateId']> = async ({ client, samples }) => {
  const { plant: first } = requireCreated(await samples.create())
  const second = { ...first, name: samples.newPlant().name }
  const duplicate = await client.send(createRequest(second))
  if (duplicate.status === 409) return 'conflict'
  if (!succeeded(duplicate)) return otherStatus(duplicate)
  const list = await samples.listUntil(second.name)
  const [hasFirst, hasSecond] = [first, second].map(({ name }) => namesOf(list).includes(name))
  if (hasFirst && hasSecond) return 'accept'
  await samples.requireComplete(list)
  if (hasSecond) return 'replace'
  return hasFirst
    ? other(`it responds with ${duplicate.status}, and the first plant stays as it was`)
    : unseen('the list shows neither of the two plants')
}

/** Smallest first, in bytes. */
const bodySizes = [
  [16 * 1024, '16KiB'],
  [1024 * 1024, '1MiB'],
] as const

/** The bodies have wrong types, so that a service refuses them at any size and creates nothing. */
export const findMaxBodySize: Find<Assumptions['body.maxSize']> = async ({ client, samples }) => {
  const send = (size: number) => {
    const body = { ...samples.invalidBody(), padding: '' }
    return client.send(createRequest({ ...body, padding: 'x'.repeat(size - JSON.stringify(body).length) }))
  }
  let accepted = ''
  for (const [size, value] of bodySizes) {
    const tooLarge = await send(size + 1)
    if (succeeded(tooLarge)) return unseen('a create with wrong types is accepted, so no larger one was sent')
    if (tooLarge.status === 413) return (await send(size)).status === 413 ? other(`under ${value}${accepted}`) : value
    accepted = `, over ${value}`
  }
  return other('a body over 1 MiB is not refused with 413')
}
