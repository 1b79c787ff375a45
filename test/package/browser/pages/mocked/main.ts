import { setupWorker } from 'msw/browser'
import { bearer, createPlantMock } from 'plant-mock'
import { plantHandlers, unhandled } from 'plant-mock/msw'

const mock = createPlantMock({ fixtures: [{ id: 1, name: 'Monstera deliciosa', tag: 'tropical' }] })
const worker = setupWorker(...plantHandlers(mock, { baseUrl: '/api' }))
await worker.start({ ...unhandled('bypass'), quiet: true })

const created = await fetch('/api/plants', {
  method: 'POST',
  headers: { ...bearer('alice'), 'Content-Type': 'application/json' },
  body: JSON.stringify({ id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }),
})
const listed = await fetch('/api/plants', { headers: bearer('alice') })
for (const { name, tag } of (await listed.json()) as { name: string; tag: string }[]) {
  const item = document.createElement('li')
  item.append(`${name}, ${tag}`)
  document.querySelector('ul')?.append(item)
}
const refused = await fetch('/api/plants')
document
  .querySelector('output')
  ?.append(`created ${created.status}, listed ${listed.status}, without a token ${refused.status}`)
