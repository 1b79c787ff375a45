import { describe, expect, it } from 'vitest'
import { mocksFor, useMock } from '../../support/mocks.ts'
import { fern } from '../../support/plants.ts'
import { post } from '../../support/targets.ts'

describe.each(mocksFor('assumptions'))('the assumptions of a mock $name', ({ open }) => {
  const start = useMock(open)

  it('change with the next request, and a reset restores the initial ones', async () => {
    const mock = await start({ assume: { 'list.order': 'newest' } })
    await mock.assume({ 'create.status': 200 })
    expect((await mock.fetch('/plants', post(fern))).status).toBe(200)
    await mock.reset()
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 201, 'list.order': 'newest' })
  })

  it('are refused with the closest id when an id is unknown', async () => {
    const mock = await start()
    const wrong = { 'create.statsu': 200 } as unknown as { 'create.status': 200 }
    await expect(mock.assume(wrong)).rejects.toThrow('Did you mean "create.status"?')
  })
})
