import { describe, expect, it } from 'vitest'
import { problemOf } from '../../support/problem.ts'
import { as, targetsFor } from '../../support/targets.ts'
import { useTarget } from '../../support/use-target.ts'

describe.each(targetsFor('dispatch'))('the service on $name', ({ open, seesOtherPaths }) => {
  const target = useTarget(open)

  it.each(['PUT', 'PATCH', 'DELETE', 'PROPFIND'])('answers %s on /plants with 405 and Allow', async (method) => {
    const response = await target.request('/plants', { method, ...as('alice') })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
    expect((await problemOf(response)).type).toBe('urn:problem-type:plant-mock:method-not-allowed')
  })

  it('answers OPTIONS on /plants with the allowed methods', async () => {
    const response = await target.request('/plants', { method: 'OPTIONS' })
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
  })

  if (seesOtherPaths)
    it('answers 404 on other paths', async () => {
      for (const path of ['/plants/', '/plants/1', '/Plants', '/v1/plants', '/%70lants', '//plants']) {
        const response = await target.request(path, as('alice'))
        expect([path, response.status]).toEqual([path, 404])
        expect((await problemOf(response)).type).toBe('urn:problem-type:plant-mock:not-found')
      }
    })
})
