import { createPlantMock, type Fault, PlantMockError } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { as, post } from '../support/targets.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const plant = (id: number, extra: string) => `{"id":${id},"name":"a","tag":"b","extra":${extra}}`

describe('JSON that is nested without end', () => {
  it('is a body like any other, and stands in the journal as text', async () => {
    const mock = createPlantMock()
    const body = plant(1, nested(100_000))
    expect((await mock.fetch('/plants', post(body))).status).toBe(201)
    const request = (await mock.requests.last())?.request
    expect([request?.body === body, request?.json]).toEqual([true, undefined])
  })

  it('is told from what is only long, or has brackets in its strings', async () => {
    const mock = createPlantMock()
    const bodies = [
      plant(1, `"${'[{'.repeat(2_000)}"`),
      plant(2, `["\\"${'['.repeat(2_000)}"]`),
      plant(3, `[${'[],'.repeat(2_000)}1]`),
      plant(4, nested(400)),
    ]
    for (const body of bodies) await mock.fetch('/plants', post(body))
    for (const { request } of await mock.requests.all())
      expect(request.json).toEqual(JSON.parse(request.body ?? ''))
  })
})

describe('the body of a fault', () => {
  const circle: Record<string, unknown> = {}
  circle.itself = circle

  it.each([
    ['a circle', circle],
    ['a bigint', 1n],
    ['a function', () => 1],
    ['nested without end', JSON.parse(nested(100_000)) as unknown],
  ])('is refused when it cannot be written: %s', async (_, body) => {
    const mock = createPlantMock()
    const refusal = mock.fail({ status: 500, body })
    await expect(refusal).rejects.toThrow(PlantMockError)
    await expect(refusal).rejects.toThrow('The fault cannot be used: its body cannot be written as JSON.')
    expect((await mock.fetch('/plants', as('alice'))).status).toBe(200)
  })

  it('stays as it was set', async () => {
    const mock = createPlantMock()
    const body: Record<string, unknown> = { reason: 'closed' }
    const fault: Fault = { status: 503, body }
    await mock.fail(fault)
    body.reason = body
    expect(await (await mock.fetch('/plants', as('alice'))).json()).toEqual({ reason: 'closed' })
  })
})

describe('an assumption', () => {
  it.each([
    ['{…}', { toString: 1, valueOf: 1 }],
    ['{…}', Object.create(null) as object],
    ['[…]', JSON.parse(nested(100_000)) as unknown],
    ['[…]', ['201']],
    ['Symbol(201)', Symbol('201')],
    [`${'2'.repeat(100)}…`, '2'.repeat(10_000_000)],
  ])('has no value that is no text and no number, or a long one: %s', async (shown, value) => {
    const mock = createPlantMock()
    const refusal = mock.assume({ 'create.status': value } as object)
    await expect(refusal).rejects.toThrow(PlantMockError)
    await expect(refusal).rejects.toThrow(
      `The assumption create.status cannot be "${shown}". It can be 201, 200.`,
    )
  })

  it('has no long name', async () => {
    const refusal = createPlantMock().assume({ ['x'.repeat(10_000_000)]: 1 } as object)
    await expect(refusal).rejects.toThrow(`There is no assumption "${'x'.repeat(100)}…". "plant-mock`)
  })
})
