import { bearer, createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { aloe } from '../../support/plants.ts'
import { as } from '../../support/targets.ts'

describe('the fetch of a mock', () => {
  it('takes a Request, alone or with changes', async () => {
    const mock = createPlantMock({ fixtures: [aloe] })
    const request = new Request('https://api.example.com/plants', { headers: bearer('alice') })
    expect((await mock.fetch(request.clone())).status).toBe(200)
    expect((await mock.fetch(request, { method: 'DELETE' })).status).toBe(405)
    expect((await mock.fetch(new URL('https://api.example.com/plants'))).status).toBe(401)
  })

  it('rejects like fetch when a fault resets the connection, with the reason', async () => {
    const mock = createPlantMock({ faults: [{ reset: true }] })
    const error: unknown = await mock.fetch('/plants', as('alice')).catch((error: unknown) => error)
    expect(error).toMatchObject({ name: 'TypeError', cause: 'A fault resets this connection.' })
  })
})
