import { createPlantMock, type PlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { collectGarbage } from '../../support/collect-garbage.ts'
import { fern } from '../../support/plants.ts'
import { as, post } from '../../support/targets.ts'

const mebi = 1024 * 1024

const heapUsed = async (): Promise<number> => {
  // The first collection leaves what only weak references and finalizers held.
  for (let round = 0; round < 3; round++) await collectGarbage()
  return process.memoryUsage().heapUsed
}

const plantsOf = (count: number) =>
  Array.from({ length: count }, (_, id) => ({
    id,
    name: `Plant ${id}`,
    tag: ['fern', 'climber', 'tree'][id % 3] ?? '',
  }))

const use = async (mock: PlantMock, session: number): Promise<void> => {
  for (let count = 0; count < 5; count++)
    await mock.fetch('/plants', post({ id: 1_000_000 + count, name: `of session ${session}`, tag: 't' }))
  await mock.fetch('/plants?limit=10', as('alice'))
}

describe('the memory of a mock over 20,000 plants', () => {
  it('grows by at most 10 MiB for 100 sessions that have created plants', async () => {
    const mock = createPlantMock({ fixtures: plantsOf(20_000), sessions: 100 })
    await use(mock, 0)
    const before = await heapUsed()
    for (let session = 1; session <= 100; session++) await use(mock.session(`session ${session}`), session)
    expect(((await heapUsed()) - before) / mebi).toBeLessThan(10)
    expect(await mock.session('session 100').plants.all()).toHaveLength(20_005)
  })

  it('grows by at most 5 MiB for a snapshot of each of 300 creates', async () => {
    const mock = createPlantMock({ fixtures: plantsOf(20_000) })
    const before = await heapUsed()
    const restores: (() => Promise<void>)[] = []
    for (let id = 20_000; id < 20_300; id++) {
      await mock.fetch('/plants', post({ id, name: 'n', tag: 't' }))
      restores.push(await mock.snapshot())
    }
    expect(((await heapUsed()) - before) / mebi).toBeLessThan(5)
    await restores[149]?.()
    expect(await mock.plants.all()).toHaveLength(20_150)
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
