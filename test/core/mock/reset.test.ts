import { createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { fern } from '../../support/plants.ts'
import { as, post, targetsFor } from '../../support/targets.ts'
import { useTarget } from '../../support/use-target.ts'

describe.each(targetsFor('resets'))('a mock behind $name', ({ open }) => {
  const target = useTarget(open)

  it('restores a snapshot repeatedly, plants and assumptions', async () => {
    await target.mock.seed([fern])
    const restore = await target.mock.snapshot()
    for (const id of [1, 2]) {
      await target.request('/plants', post({ ...fern, id }))
      await target.mock.assume({ 'create.status': 200 })
      await restore()
      expect(await target.mock.plants.all()).toEqual([fern])
      expect((await target.mock.assumptions())['create.status']).toBe(201)
    }
  })

  it('resets to its fixtures and initial assumptions', async () => {
    await target.reopen({ fixtures: [fern], assume: { 'create.status': 200 } })
    await target.request('/plants', post({ ...fern, id: 8 }))
    await target.mock.seed([{ ...fern, id: 9 }])
    await target.mock.assume({ 'create.status': 201, 'list.order': 'newest' })
    await target.mock.reset()
    expect(await target.mock.plants.all()).toEqual([fern])
    expect(await target.mock.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'added' })
  })
})

describe('a mock', () => {
  const begun = async () => {
    const mock = createPlantMock({ fixtures: [fern], assume: { 'rate.limit': 'every:2' } })
    const status = async () => (await mock.fetch('/plants', as('alice'))).status
    return { mock, status }
  }

  it('counts requests for a limit from the start again after reset, load and the restoration of a snapshot', async () => {
    const { mock, status } = await begun()
    const restore = await mock.snapshot()
    for (const again of [mock.reset, () => mock.load([fern]), restore]) {
      expect(await status()).toBe(200)
      await again()
    }
    expect([await status(), await status()]).toEqual([200, 429])
  })
})
