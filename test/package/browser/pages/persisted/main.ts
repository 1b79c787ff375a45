import { Collection } from '@msw/data'
import { persist } from '@msw/data/extensions/persist'
import { sync } from '@msw/data/extensions/sync'
import { bearer, createPlantMock } from 'plant-mock'
import { mirrorPlants } from 'plant-mock/data'
import * as v from 'valibot'
import { createFern, showOutcome, showPlants } from '../shared.ts'

const schema = v.object({
  id: v.optional(v.number()),
  name: v.string(),
  tag: v.string(),
  access: v.optional(v.array(v.string())),
})
const mock = createPlantMock({ fixtures: [{ id: 1, name: 'Monstera deliciosa', tag: 'tropical' }] })
const plants = new Collection({ schema, extensions: [persist(), sync(), mirrorPlants(mock)] })

const exposed = { mock, plants }
export type PersistedPage = typeof exposed
Object.assign(window, exposed)

document.querySelector('button')?.addEventListener('click', async () => {
  const created = await mock.fetch('/plants', createFern)
  showOutcome(`created ${created.status}`)
})

const caller = new URLSearchParams(location.search).get('caller') ?? 'alice'
const listed = await mock.fetch('/plants', { headers: bearer(caller) })
await showPlants(listed)
showOutcome(`listed ${listed.status}`)
