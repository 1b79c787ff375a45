import { Collection } from '@msw/data'
import { persist } from '@msw/data/extensions/persist'
import { bearer, createPlantMock } from 'plant-mock'
import { collectionStore } from 'plant-mock/data'
import * as v from 'valibot'
import { createFern, say, showPlants } from '../shared.ts'

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
  say(`created ${created.status}`)
})

const caller = new URLSearchParams(location.search).get('caller') ?? 'alice'
const listed = await mock.fetch('/plants', { headers: bearer(caller) })
await showPlants(listed)
say(`listed ${listed.status}`)
