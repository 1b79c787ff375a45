import { createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { aloe, fern } from '../../support/plants.ts'
import { as, post, targetsFor } from '../../support/targets.ts'
import { useTarget } from '../../support/use-target.ts'

const remove = (caller = 'alice'): RequestInit => ({ method: 'DELETE', ...as(caller) })

describe.each(targetsFor('deletes'))('DELETE /plants/{id} on $name', ({ open }) => {
  const target = useTarget((options) => open({ assume: { 'operation.delete': 204 }, ...options }))
  const names = async (caller = 'alice') => {
    const plants = await (await target.request('/plants', as(caller))).json()
    return plants.map(({ name }: { readonly name: string }) => name)
  }

  it('answers 204 without a body, and the plant is no longer listed', async () => {
    await target.request('/plants', post(fern))
    await target.request('/plants', post({ ...fern, id: 8, name: 'Other' }))
    const response = await target.request('/plants/7', remove())
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([204, null, ''])
    expect(await names()).toEqual(['Other'])
    expect((await target.request('/plants', post(fern))).status).toBe(201)
  })

  it('answers 404 for a plant of another caller, and keeps it', async () => {
    await target.request('/plants', post(fern))
    expect((await target.request('/plants/7', remove('bob'))).status).toBe(404)
    expect(await names()).toEqual([fern.name])
  })

  it('needs a token', async () => {
    await target.request('/plants', post(fern))
    expect((await target.request('/plants/7', { method: 'DELETE' })).status).toBe(401)
    expect(await names()).toEqual([fern.name])
  })
})

describe('DELETE /plants/{id}', () => {
  const fixtures = [aloe, { id: 3, name: 'Rosa', tag: 'flower' }, { id: 2 ** 53 - 1, name: 'Large', tag: 'x' }]

  it.each([
    ['none', 'DELETE', 404, '/plants/8'],
    ['none', 'GET', 404, '/plants/8'],
    [204, 'GET', 405, '/plants/8'],
    [204, 'DELETE', 405, '/plants'],
    [200, 'DELETE', 404, '/plants/9'],
    [200, 'DELETE', 404, '/plants/08'],
    [200, 'DELETE', 404, '/plants/8.0'],
    [200, 'DELETE', 404, '/plants/aloe'],
    [200, 'DELETE', 404, '/plants/99999999999999999999'],
    [200, 'DELETE', 404, '/plants/8/'],
    [200, 'DELETE', 200, '/plants/9007199254740991'],
    [200, 'DELETE', 200, '/plants/%38'],
  ] as const)('operation.delete=%s: %s answers %i at %s', async (value, method, status, path) => {
    const mock = createPlantMock({ fixtures, assume: { 'operation.delete': value } })
    expect((await mock.fetch(path, { method, ...as('alice') })).status).toBe(status)
    expect((await mock.plants.all()).length).toBe(status === 200 ? 2 : 3)
  })

  it('answers with the removed plant under operation.delete=200', async () => {
    const mock = createPlantMock({ fixtures, assume: { 'operation.delete': 200 } })
    const response = await mock.fetch('/plants/8', remove())
    expect(await response.json()).toEqual({ name: 'Aloe vera', tag: 'succulent' })
  })

  it('removes the plant for all of its callers, and every plant with the id that its caller may access', async () => {
    const shared = [
      { ...fern, access: ['alice', 'bob'] },
      { ...fern, name: 'Twin' },
      { ...fern, access: ['bob'] },
    ]
    const mock = createPlantMock({ fixtures: shared, assume: { 'operation.delete': 204 } })
    await mock.fetch('/plants/7', remove())
    expect(await mock.plants.all()).toEqual([shared[2]])
  })

  it.each([204, 400, 404] as const)('answers %i for a missing plant under delete.missingStatus', async (status) => {
    const mock = createPlantMock({ assume: { 'operation.delete': 204, 'delete.missingStatus': status } })
    expect((await mock.fetch('/plants/1', remove())).status).toBe(status)
    const last = await mock.requests.last()
    expect(last).toMatchObject({ operation: 'deletePlant', violations: [] })
    expect(last?.assumptions).toEqual(expect.arrayContaining(['operation.delete', 'delete.missingStatus']))
  })

  it('is outside of the contract unless an assumption adds it, and its source names that assumption', async () => {
    const mock = createPlantMock({ fixtures })
    const response = await mock.fetch('/plants/8', remove())
    expect(response.headers.get('plant-mock-source')).toContain('operation.delete')
    expect(await mock.requests.last()).toMatchObject({ violations: [{ section: '4' }] })
  })

  it('deletes a plant that is not yet listed', async () => {
    const mock = createPlantMock({ assume: { 'operation.delete': 204, 'create.visibility': 'after-lists:2' } })
    await mock.fetch('/plants', post(fern))
    await mock.fetch('/plants', post({ ...fern, id: 8, name: 'Next' }))
    expect((await mock.fetch('/plants/7', remove())).status).toBe(204)
    const lists = [1, 2, 3].map(async () => (await mock.fetch('/plants', as('alice'))).json())
    expect((await Promise.all(lists)).at(-1)).toEqual([{ name: 'Next', tag: 'fern' }])
  })

  it('takes faults by its name', async () => {
    const mock = createPlantMock({ fixtures, assume: { 'operation.delete': 204 } })
    await mock.fail({ operation: 'deletePlant', status: 503 })
    expect((await mock.fetch('/plants/8', remove())).status).toBe(503)
    expect((await mock.fetch('/plants', as('alice'))).status).toBe(200)
  })
})
