import { describe, expect, it } from 'vitest'
import { mocksFor, useMock } from '../../support/mocks.ts'
import { aloe } from '../../support/plants.ts'
import { as } from '../../support/targets.ts'

describe.each(mocksFor('filters'))('a filter of a mock $name', ({ open }) => {
  const opened = useMock(open)

  it('that is async is refused, because a promise would select everything', async () => {
    const mock = await opened({ fixtures: [aloe] })
    const filter = (async () => false) as unknown as () => boolean
    await mock.fetch('/plants', as('alice'))
    for (const act of [
      () => mock.plants.remove(filter),
      () => mock.plants.all(filter),
      () => mock.requests.count(filter),
      () => mock.requests.all(filter),
    ])
      await expect(act()).rejects.toThrow('A filter must return true or false, not a promise.')
    expect(await mock.plants.all()).toHaveLength(1)
  })

  it('cannot change the mock, which would be lost', async () => {
    const mock = await opened({ fixtures: [aloe, { ...aloe, id: 2 }] })
    await mock.plants.all()
    let seeded: unknown
    await mock.plants.remove(({ id }) => {
      seeded ??= mock.seed([{ ...aloe, id: 3 }]).catch((error: Error) => error.message)
      return id === aloe.id
    })
    const isRefused =
      (await seeded) === 'A filter function cannot change the mock. Change the mock before or after the call.'
    expect((await mock.plants.all()).map(({ id }) => id)).toEqual(isRefused ? [2] : [2, 3])
  })

  it('has no misspelt options of a wait', async () => {
    const mock = await opened()
    const options = { timout: 3 } as object
    await expect(mock.requests.waitFor({}, options)).rejects.toThrow('Did you mean "timeout"?')
  })
})
