import { Collection } from '@msw/data'
import { persist } from '@msw/data/extensions/persist'
import { bearer, createPlantMock } from 'plant-mock'
import { collectionStore } from 'plant-mock/data'
import * as v from 'valibot'

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

const say = (text: string) => document.querySelector('output')?.replaceChildren(text)

document.querySelector('button')?.addEventListener('click', async () => {
  const created = await mock.fetch('/plants', {
    method: 'POST',
    headers: { ...bearer('alice'), 'Content-Type': 'application/json' },
    body: JSON.stringify({ id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }),
  })
  say(`created ${created.status}`)
})

const caller = new URLSearchParams(location.search).get('caller') ?? 'alice'
const listed = await mock.fetch('/plants', { headers: bearer(caller) })
for (const { name, tag } of (await listed.json()) as { name: string; tag: string }[]) {
  const item = document.createElement('li')
  item.append(`${name}, ${tag}`)
  document.querySelector('ul')?.append(item)
}
say(`listed ${listed.status}`)
