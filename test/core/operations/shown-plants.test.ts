import { createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { as, post } from '../../support/targets.ts'

const plant = { id: 1, name: 'n', tag: 't' }

describe('a list', () => {
  it('of more than a thousand plants is cut at limit', async () => {
    const fixtures = Array.from({ length: 1_003 }, (_, id) => ({ id, name: `n${id}`, tag: 't' }))
    const response = await createPlantMock({ fixtures }).fetch('/plants?limit=1001', as('alice'))
    const names = ((await response.json()) as readonly { name: string }[]).map(({ name }) => name)
    expect([names.length, names.at(-1)]).toEqual([1_001, 'n1000'])
  })

  it('shows the plants of its caller, also after a list of another caller with as many', async () => {
    const mock = createPlantMock({
      fixtures: ['alice', 'bob'].map((name) => ({ id: 1, name, tag: 't', access: [name] })),
    })
    for (const caller of ['alice', 'bob', 'bob', 'alice'])
      expect(await (await mock.fetch('/plants', as(caller))).json()).toEqual([{ name: caller, tag: 't' }])
  })

  it('shows a plant that was replaced at once, because only created ones appear later', async () => {
    const mock = createPlantMock({
      fixtures: [plant],
      assume: { 'create.duplicateId': 'replace', 'create.visibility': 'eventual' },
    })
    await mock.fetch('/plants', post({ ...plant, name: 'other' }))
    expect(await (await mock.fetch('/plants', as('alice'))).json()).toEqual([{ name: 'other', tag: 't' }])
  })
})
