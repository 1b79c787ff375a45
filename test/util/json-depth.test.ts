import { createPlantMock, type Fault, PlantMockError } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { as, post } from '../support/targets.ts'

const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const plant = (id: number, extra: string) => `{"id":${id},"name":"a","tag":"b","extra":${extra}}`

describe('deeply nested JSON', () => {
  it('is accepted as a body, and the journal keeps it as text', async () => {
    const mock = createPlantMock()
    const body = plant(1, nested(100_000))
    expect((await mock.fetch('/plants', post(body))).status).toBe(201)
    const request = (await mock.requests.last())?.request
    expect([request?.body === body, request?.json]).toEqual([true, undefined])
  })
})

describe('the body of a fault', () => {
  it('is copied when it is set', async () => {
    const mock = createPlantMock()
    const body: Record<string, unknown> = { reason: 'closed' }
    const fault: Fault = { status: 503, body }
    await mock.fail(fault)
    body.reason = body
    expect(await (await mock.fetch('/plants', as('alice'))).json()).toEqual({ reason: 'closed' })
  })
})

describe('the error of an invalid assumption', () => {
  it.each([
    ['{…}', { toString: 1, valueOf: 1 }],
    ['{…}', Object.create(null) as object],
    ['[…]', JSON.parse(nested(100_000)) as unknown],
    ['[…]', ['201']],
    ['Symbol(201)', Symbol('201')],
    [`${'2'.repeat(99)}…`, '2'.repeat(10_000_000)],
  ])('shows an object, an array, a symbol or a long text as %s', async (shown, value) => {
    const mock = createPlantMock()
    const refusal = mock.assume({ 'create.status': value } as object)
    await expect(refusal).rejects.toThrow(PlantMockError)
    await expect(refusal).rejects.toThrow(
      `The assumption create.status cannot be "${shown}". Use one of 201, 200, 202.`,
    )
  })

  it('truncates a long id', async () => {
    const refusal = createPlantMock().assume({ ['x'.repeat(10_000_000)]: 1 } as object)
    await expect(refusal).rejects.toThrow(`Unknown assumption "${'x'.repeat(99)}…". "plant-mock`)
  })
})
