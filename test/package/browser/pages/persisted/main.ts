import { Collection } from '@msw/data'
import { persist } from '@msw/data/extensions/persist'
import { bearer, createPlantMock } from 'plant-mock'
import { collectionStore } from 'plant-mock/data'
import * as v from 'valibot'
import { createFern, showOutcome, showPlants } from '../shared.ts'

const schema = v.object({
  id: v.optional(v.number()),
  name: v.string(),
  tag: v.string(),
  access: v.optional(v.array(v.string())),
})
const mock = createPlantMock({
  store: collectionStore(new Collection({ schema, extensions: [persist()] })),
  fixtures: [{ id: 1, name: 'Monstera deliciosa', tag: 'tropical' }],
})

document.querySelector('button')?.addEventListener('click', async () => {
  const created = await mock.fetch('/plants', createFern)
  showOutcome(`created ${created.status}`)
})

const caller = new URLSearchParams(location.search).get('caller') ?? 'alice'
const listed = await mock.fetch('/plants', { headers: bearer(caller) })
await showPlants(listed)
showOutcome(`listed ${listed.status}`)
