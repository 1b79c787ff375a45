import { createPlantMock, type PlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { fern } from '../../support/plants.ts'
import { as, post } from '../../support/targets.ts'

const mebi = 1024 * 1024

const heapUsed = async (): Promise<number> => {
  // One collection is too few: it leaves objects that only weak references or finalizers held.
  for (let round = 0; round < 3; round++) await collectGarbage()
  return process.memoryUsage().heapUsed
}

const plantsOf = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `Plant ${id}`,
    tag: ['fern', 'climber', 'tree'][id % 3] ?? '',
  }))

const createAndListPlants = async (mock: PlantMock, session: number): Promise<void> => {
  for (let count = 0; count < 5; count++)
    await mock.fetch('/plants', post({ id: 1_000_000 + count, name: `of session ${session}`, tag: 't' }))
  await mock.fetch('/plants?limit=10', as('alice'))
}

describe('the memory of a mock over 100,000 plants', () => {
  it('grows by at most 20 MiB for 200 sessions that have created plants', async () => {
    const mock = createPlantMock({ fixtures: plantsOf(100_000), sessions: 200 })
    await createAndListPlants(mock, 0)
    const before = await heapUsed()
    for (let session = 1; session <= 200; session++)
      await createAndListPlants(mock.session(`session ${session}`), session)
    expect(((await heapUsed()) - before) / mebi).toBeLessThan(20)
    expect(await mock.session('session 200').plants.all()).toHaveLength(100_005)
  })

  it('grows by less than one copy of them for a snapshot of each of 1,000 creates', async () => {
    const mock = createPlantMock({ fixtures: plantsOf(100_000) })
    const before = await heapUsed()
    const restores: (() => Promise<void>)[] = []
    for (let id = 100_000; id < 101_000; id++) {
      await mock.fetch('/plants', post({ id, name: 'n', tag: 't' }))
      restores.push(await mock.snapshot())
    }
    expect(((await heapUsed()) - before) / mebi).toBeLessThan(10)
    await restores[499]?.()
    expect(await mock.plants.all()).toHaveLength(100_500)
  })
})

it('a mock that is gone keeps none of its plants, also after a clear', async () => {
  const useOnce = async (name: string): Promise<void> => {
    const mock = createPlantMock({ journal: 0 })
    for (const prepare of [mock.reset, mock.plants.clear]) {
      await prepare()
      for (let id = 0; id < 10; id++)
        await mock.fetch('/plants', post({ id, name: `${name}${'x'.repeat(500_000)}`, tag: 't' }))
    }
  }
  const before = await heapUsed()
  for (const name of ['a', 'b', 'c']) await useOnce(name)
  expect(((await heapUsed()) - before) / mebi).toBeLessThan(3)
})

it('fixtures keep no plant that was created before a reset', async () => {
  const mock = createPlantMock({ fixtures: [fern], journal: 0 })
  const before = await heapUsed()
  for (let id = 0; id < 20; id++) await mock.fetch('/plants', post({ id, name: 'x'.repeat(500_000), tag: 't' }))
  await mock.reset()
  expect(((await heapUsed()) - before) / mebi).toBeLessThan(3)
})
