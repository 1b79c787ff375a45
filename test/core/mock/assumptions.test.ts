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

  it.each<[string, unknown, string]>([
    ['a function', () => 1, 'cannot be "()=>1"'],
    ['a symbol', Symbol('s'), 'cannot be "Symbol(s)"'],
    ['a BigInt', 1n, 'cannot be "1"'],
    ['NaN', Number.NaN, 'cannot be "NaN"'],
    ['a date', new Date(0), 'cannot be "{…}"'],
  ])('refuse %s in the same words everywhere, and keep their values', async (_, value, message) => {
    const mock = await start()
    await expect(mock.assume({ 'create.status': value } as never)).rejects.toThrow(
      new RegExp(`create\\.status ${message.replace(/[()>{}=]/g, (character) => `\\s*\\${character}\\s*`)}`),
    )
    for (const all of [undefined, 'x', []])
      await expect(mock.assume(all as never)).rejects.toThrow('Assumptions must be an object such as')
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 201 })
  })

  it('do not change with the object that a caller got', async () => {
    const mock = await start()
    Object.assign(await mock.assumptions(), { 'create.status': 200 })
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 201 })
  })
})
