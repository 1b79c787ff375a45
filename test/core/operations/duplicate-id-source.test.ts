import { createPlantMock } from 'plant-mock'
import { expect, it } from 'vitest'
import { post } from '../../support/targets.ts'

it.each([
  ['replace', 'a create that replaces a plant'],
  ['accept', 'a create with an id'],
  ['conflict', 'a create that is refused'],
] as const)('under create.duplicateId=%s, the source of %s names that assumption', async (value, _) => {
  const mock = createPlantMock({ assume: { 'create.duplicateId': value } })
  const plant = { id: 7, name: 'Fern', tag: 'fern' }
  await mock.fetch('/plants', post(plant))
  const names = (await mock.fetch('/plants', post(plant))).headers.get('plant-mock-source') ?? ''
  expect(names.match(/names="(.*)"/)?.[1]?.split(' ')).toContain('create.duplicateId')
})
