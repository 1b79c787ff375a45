import type { Assumptions } from '../../assumptions/registry.ts'
import { agreement, type Find, other, otherStatus, outcomeOf, unseen } from '../finding.ts'
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

export const findEmptyStrings: Find<Assumptions['create.emptyStrings']> = async ({ client, samples }) => {
  const tag = await client.send(createRequest({ ...samples.newPlant(), tag: '' }))
  const name = await client.send(createRequest({ ...samples.newPlant(), name: '' }))
  return agreement([
    ['an empty tag', outcomeOf(tag, 'accept', 'reject')],
    ['an empty name', outcomeOf(name, 'accept', 'reject')],
  ])
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
