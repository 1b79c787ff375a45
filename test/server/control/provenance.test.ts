import { startPlantMock } from 'plant-mock/node'
import { sharedState } from 'plant-mock/redis'
import { expect, it } from 'vitest'
import { skipsRedis, startRedis } from '../../support/redis-server.ts'
import { useServers } from '../../support/start.ts'

const { closers } = useServers()

const options = {
  assume: { 'list.order': 'name', 'create.status': 200 },
  provenance: { 'list.order': 'from --assume', 'create.status': 'learned' },
} as const

const provenance = async (url: string) => {
  const { registry } = (await (await fetch(`${url}/__plant-mock/assumptions`)).json()) as {
    registry: { id: string; provenance?: string }[]
  }
  return Object.fromEntries(registry.filter((row) => 'provenance' in row).map((row) => [row.id, row.provenance]))
}

const change = (url: string, assume: object) =>
  fetch(`${url}/__plant-mock/assumptions`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(assume),
  })

it('the control interface tells where the value of an assumption comes from, until it is changed', async () => {
  const { url, close } = await startPlantMock(options)
  closers.push(close)
  expect(await provenance(url)).toEqual(options.provenance)
  await change(url, { 'list.order': 'added' })
  expect(await provenance(url)).toEqual({ 'create.status': 'learned' })
})

it.skipIf(skipsRedis)(
  'a replica that joins later does not tell that a changed value is the one of its start',
  async () => {
    const redis = await startRedis()
    closers.push(redis.close)
    const start = async () => {
      const { url, close } = await startPlantMock({ ...options, store: sharedState({ url: redis.url }) })
      closers.push(close)
      return url
    }
    await change(await start(), { 'list.order': 'added' })
    expect(await provenance(await start())).toEqual({ 'create.status': 'learned' })
  },
)
