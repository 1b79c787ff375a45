import { createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { as, post } from '../../support/targets.ts'

const detailOf = async (response: Response): Promise<string> => ((await response.json()) as { detail: string }).detail
const plant = { id: 1, name: 'n', tag: 't' }

describe('the refusal of a create', () => {
  it('names the Content-Type that was sent, if there was one', async () => {
    const mock = createPlantMock()
    const bytes = new TextEncoder().encode(JSON.stringify(plant))
    const bare = await mock.fetch('/plants', { method: 'POST', ...as('alice'), body: bytes })
    expect(await detailOf(bare)).toBe('Send the header Content-Type: application/json; no Content-Type was sent.')
    const text = await mock.fetch('/plants', post(plant, { 'content-type': 'text/plain' }))
    expect(await detailOf(text)).toBe('Send the header Content-Type: application/json; text/plain was sent.')
  })

  it.each([
    ['1MiB', 1_048_577, 'The body is larger than 1MiB.'],
    ['16KiB', 16_385, 'The body is larger than 16KiB.'],
    [100, 101, 'The body is larger than 100 bytes.'],
  ] as const)('names the limit body.maxSize=%s', async (limit, size, detail) => {
    const mock = createPlantMock({ assume: { 'body.maxSize': limit } })
    const response = await mock.fetch('/plants', post('x'.repeat(size)))
    expect([response.status, await detailOf(response)]).toEqual([413, detail])
  })
})

describe('the refusal of a list', () => {
  it('counts values that are no numbers, too', async () => {
    const response = await createPlantMock().fetch('/plants?limit=x&limit=y', as('alice'))
    expect(await detailOf(response)).toBe('limit must be one whole number, 0 or more; it was given 2 times.')
  })

  it('names the value as decoded', async () => {
    const response = await createPlantMock().fetch('/plants?limit=%C3%BC', as('alice'))
    expect(await detailOf(response)).toBe('limit must be one whole number, 0 or more; it was "ü".')
  })
})
