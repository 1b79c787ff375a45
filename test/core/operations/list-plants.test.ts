import { describe, expect, it } from 'vitest'
import { fern } from '../../support/plants.ts'
import { problemOf } from '../../support/problem.ts'
import { as, post, targetsFor } from '../../support/targets.ts'
import { useTarget } from '../../support/use-target.ts'

const invalidLimits = [
  '',
  '-1',
  '+1',
  '1.0',
  '1.5',
  '1e2',
  '0x10',
  'abc',
  '1%20',
  ' 1',
  '%20',
  'null',
  '1,2',
  '１',
  '5&limit=6',
  '∞',
]

describe.each(targetsFor('lists'))('GET /plants on $name', ({ open }) => {
  const target = useTarget(open)

  it('answers 200 with exactly name and tag of a created plant', async () => {
    await target.request('/plants', post(fern))
    const response = await target.request('/plants', as('alice'))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toBe('[{"name":"Nephrolepis exaltata","tag":"fern"}]')
  })

  it('omits plants that another caller created', async () => {
    await target.request('/plants', post(fern))
    expect(await (await target.request('/plants', as('bob'))).json()).toEqual([])
  })

  it('lists shared plants and the caller’s plants together, in the order in which they were added', async () => {
    const plant = (name: string, access?: string[]) => ({ name, tag: 't', ...(access && { access }) })
    await target.mock.seed([
      plant('1'),
      plant('2', ['alice']),
      plant('3', ['bob']),
      plant('4'),
      plant('5', ['bob', 'alice']),
    ])
    await target.request('/plants', post({ ...fern, name: '6' }))
    await target.mock.seed([plant('7')])
    const names = async (caller: string) => {
      const plants = (await (await target.request('/plants', as(caller))).json()) as { name: string }[]
      return plants.map(({ name }) => name).join('')
    }
    expect([await names('alice'), await names('bob'), await names('carol')]).toEqual(['124567', '13457', '147'])
  })

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 3],
    ['007', 3],
    ['99999999999999999999999', 3],
  ])('answers limit=%s with %i of 3 plants', async (limit, expected) => {
    await target.mock.seed([1, 2, 3].map((id) => ({ ...fern, id })))
    const response = await target.request(`/plants?limit=${limit}`, as('alice'))
    expect(await response.json()).toHaveLength(expected)
  })

  it('finds limit among other parameters and decodes it', async () => {
    await target.mock.seed([1, 2, 3].map((id) => ({ ...fern, id })))
    const response = await target.request('/plants?page=2&%6Cimit=%32&sort=name', as('alice'))
    expect(await response.json()).toHaveLength(2)
  })

  it.each(invalidLimits)('refuses limit=%s', async (limit) => {
    const response = await target.request(`/plants?limit=${limit}`, as('alice'))
    expect(response.status).toBe(400)
    expect(await problemOf(response)).toMatchObject({
      type: 'urn:problem-type:plant-mock:invalid-limit',
      errors: [{ parameter: 'limit' }],
    })
  })

  it('answers HEAD with the same status and headers, without a body', async () => {
    const response = await target.request('/plants', { method: 'HEAD', ...as('alice') })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      '',
    ])
  })
})
