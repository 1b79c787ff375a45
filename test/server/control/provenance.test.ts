import { startPlantMock } from 'plant-mock/node'
import { expect, it } from 'vitest'

it('the control interface tells where the value of an assumption comes from, until it is changed', async () => {
  const { url, close } = await startPlantMock({
    assume: { 'list.order': 'name', 'create.status': 200 },
    provenance: { 'list.order': 'from --assume', 'create.status': 'learned' },
  })
  const provenance = async () => {
    const { registry } = (await (await fetch(`${url}/__plant-mock/assumptions`)).json()) as {
      registry: { id: string; provenance?: string }[]
    }
    return Object.fromEntries(registry.filter((row) => 'provenance' in row).map((row) => [row.id, row.provenance]))
  }
  expect(await provenance()).toEqual({ 'list.order': 'from --assume', 'create.status': 'learned' })
  await fetch(`${url}/__plant-mock/assumptions`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: '{"list.order":"added"}',
  })
  expect(await provenance()).toEqual({ 'create.status': 'learned' })
  await close()
})
