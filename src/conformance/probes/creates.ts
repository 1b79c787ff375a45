import type { Assumptions } from '../../assumptions/registry.ts'
import { agreement, type Find, otherStatus, outcomeOf, unseen } from '../finding.ts'
import { refused, succeeded } from '../send-request.ts'
import { createRequest } from '../test-request.ts'

const requiredSets = [
  'name+id+tag',
  'name+id',
  'name',
  'none',
] as const satisfies readonly Assumptions['create.required'][]

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
  const value = requiredSets.find((set) => set === found)
  return value === undefined ? { other: `it requires ${required.join(' and ')}` } : { value }
}

export const findEmptyStrings: Find<Assumptions['create.emptyStrings']> = async ({ client, samples }) => {
  const tag = await client.send(createRequest({ ...samples.newPlant(), tag: '' }))
  const name = await client.send(createRequest({ ...samples.newPlant(), name: '' }))
  return agreement(
    [
      ['an empty tag', outcomeOf(tag, 'accept', 'reject')],
      ['an empty name', outcomeOf(name, 'accept', 'reject')],
    ],
    'accept',
    'reject',
  )
}

export const findVisibility: Find<Assumptions['create.visibility']> = async ({ samples }) => {
  // Finds the largest limit first, so that the list after the create is the very next request.
  await samples.list()
  const { plant, response } = await samples.create()
  if (!succeeded(response)) return unseen('no create succeeds')
  if ((await samples.list()).names.includes(plant.name)) return { value: 'immediate' }
  const later = await samples.listUntil(plant.name)
  if (await samples.mayBeTruncated(later)) return unseen(`the list may be truncated at ${later.length} plants`)
  return later.names.includes(plant.name) ? { value: 'eventual' } : { other: 'no list shows it' }
}

export const findDuplicateId: Find<Assumptions['create.duplicateId']> = async ({ client, samples }) => {
  const { plant: first, response } = await samples.create()
  if (!succeeded(response)) return unseen('no create succeeds')
  const second = { ...first, name: samples.newPlant().name }
  const duplicate = await client.send(createRequest(second))
  if (duplicate.status === 409) return { value: 'conflict' }
  if (!succeeded(duplicate)) return otherStatus(duplicate)
  const list = await samples.listUntil(second.name)
  const [hasFirst, hasSecond] = [list.names.includes(first.name), list.names.includes(second.name)]
  if (hasFirst && hasSecond) return { value: 'accept' }
  if (await samples.mayBeTruncated(list)) return unseen(`the list may be truncated at ${list.length} plants`)
  if (hasSecond) return { value: 'replace' }
  return hasFirst
    ? { other: `it responds with ${duplicate.status}, and the first plant stays as it was` }
    : unseen('the list shows neither of the two plants')
}
