import type { LoggedRequest } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { as, post } from '../support/targets.ts'
import { useUpstream } from '../support/upstream.ts'

const { serve, startProxy } = useUpstream()

describe('the check of exchanges with the upstream', () => {
  const check = async (body: unknown, { status = 200, strict = false, contentType = 'application/json' } = {}) => {
    const logged: LoggedRequest[] = []
    const { url: upstream } = await serve((_, res) => {
      res.writeHead(status, { 'content-type': contentType }).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    const started = await startProxy(
      upstream,
      { for: 'plants', check: strict ? 'strict' : 'report' },
      { onRequest: (request) => logged.push(request) },
    )
    return { ...started, logged }
  }
  const list = '/plants?limit=2'
  const create = post({ id: 1, name: 'a', tag: 'b' })

  it.each<[string, string, RequestInit, unknown, object, string[]]>([
    ['a valid list', list, as('alice'), [{ name: 'a', tag: 'b' }], {}, []],
    [
      'a failure in JSON',
      list,
      as('alice'),
      { error: 1 },
      { status: 500, contentType: 'application/problem+json' },
      [],
    ],
    ['a list that is an object', list, as('alice'), { plants: [] }, {}, ['response 4.2: The body is not an array.']],
    [
      'an element with an id',
      list,
      as('alice'),
      [
        { name: 'a', tag: 'b' },
        { id: 1, name: 'a', tag: 'b' },
      ],
      {},
      ['response 2.2, 4.2: Element 1: id is not a field of a plant.'],
    ],
    [
      'more plants than limit',
      list,
      as('alice'),
      Array(3).fill({ name: 'a', tag: 'b' }),
      {},
      ['response 4.2, 8: The list has 3 plants, more than limit=2.'],
    ],
    ['a body that is not JSON', list, as('alice'), '<html>', { status: 502 }, ['response 1: The body is not JSON.']],
    [
      'JSON with another Content-Type',
      list,
      as('alice'),
      [],
      { contentType: 'text/html' },
      ['response 1: The body is JSON, but Content-Type is text/html.'],
    ],
    [
      'a created plant with its id',
      '/plants',
      create,
      { id: 1, name: 'a', tag: 'b' },
      {},
      ['response 2.1, 4.1: id is not a field of a plant.'],
    ],
    [
      'a created plant of another name',
      '/plants',
      create,
      { name: 'x', tag: 'b' },
      {},
      ['response 4.1: name differs from the request.'],
    ],
    [
      'an invalid request',
      '/plants?page=1',
      as('alice'),
      [],
      {},
      ['request 4.2: A list has no query parameter page; it has limit.'],
    ],
  ])('reports the violations of %s', async (_, path, init, body, responseOptions, violations) => {
    const { url, mock, logged } = await check(body, responseOptions)
    const response = await fetch(`${url}${path}`, init)
    expect(await response.text()).toBe(typeof body === 'string' ? body : JSON.stringify(body))
    const expected = violations.length === 0 ? '"none"' : violations.map((text) => `"${text}"`).join(', ')
    expect(response.headers.get('plant-mock-violations')).toBe(expected)
    const format = (list: readonly { in: string; section: string; detail: string }[]) =>
      list.map((violation) => `${violation.in} ${violation.section}: ${violation.detail}`)
    expect(format(await mock.violations())).toEqual(violations)
    expect(format(logged[0]?.violations ?? [])).toEqual(violations)
  })

  it('answers 502 with the violations when it is strict, and does not forward an invalid request', async () => {
    const { url } = await check({ plants: [] }, { strict: true })
    const response = await fetch(`${url}/plants`, as('alice'))
    expect([response.status, await response.json()]).toMatchObject([
      502,
      {
        type: 'urn:problem-type:plant-mock:upstream-violation',
        detail: 'The response violates contract 4.2: The body is not an array. Read it: npx plant-mock contract 4.2',
        violations: [{ in: 'response', section: '4.2' }],
      },
    ])
    const request = await fetch(`${url}/plants?page=1`, as('alice'))
    expect([request.status, await request.json()]).toMatchObject([502, { violations: [{ in: 'request' }] }])
  })

  it('accepts an id of any size, about which the contract says nothing', async () => {
    const { url } = await check({ name: 'a', tag: 'b' }, { strict: true, status: 201 })
    const body = '{"name":"a","tag":"b","id":1234567890123456789}'
    expect((await fetch(`${url}/plants`, { ...create, body })).status).toBe(201)
  })

  it('skips a body that it cannot decode', async () => {
    const { url: service } = await serve((_, res) => res.writeHead(200, { 'content-encoding': 'zstd' }).end('x'))
    const { url } = await startProxy(service, { for: 'plants', check: 'strict' })
    expect((await fetch(`${url}/plants`, as('a'))).status).toBe(200)
  })
})
