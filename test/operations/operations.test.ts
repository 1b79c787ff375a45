import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { as, type OpenTarget, post, targets } from '../support/targets.ts'

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }

/** One table for all targets: a request, and the status and problem type that answer it. */
type Case = readonly [title: string, init: RequestInit, status: number, problem: string]

const badBodies: readonly Case[] = [
  ['no body', { ...post(''), body: null }, 400, 'malformed-json'],
  ['an empty body', post(''), 400, 'malformed-json'],
  ['white space', post('  \n'), 400, 'malformed-json'],
  ['half an object', post('{"name":"x"'), 400, 'malformed-json'],
  ['a trailing comma', post('{"name":"x","id":1,"tag":"y",}'), 400, 'malformed-json'],
  ['single quotes', post("{'name':'x','id':1,'tag':'y'}"), 400, 'malformed-json'],
  ['NaN', post('{"name":"x","id":NaN,"tag":"y"}'), 400, 'malformed-json'],
  ['form data', post('name=x&id=1&tag=y'), 400, 'malformed-json'],
  ['null', post('null'), 400, 'invalid-plant'],
  ['a number', post('1'), 400, 'invalid-plant'],
  ['a string', post('"x"'), 400, 'invalid-plant'],
  ['an array', post('[]'), 400, 'invalid-plant'],
  ['an array of a plant', post([fern]), 400, 'invalid-plant'],
  ['an empty object', post({}), 400, 'invalid-plant'],
  ['no name', post({ id: 1, tag: 'y' }), 400, 'invalid-plant'],
  ['no id', post({ name: 'x', tag: 'y' }), 400, 'invalid-plant'],
  ['no tag', post({ name: 'x', id: 1 }), 400, 'invalid-plant'],
  ['a null name', post({ ...fern, name: null }), 400, 'invalid-plant'],
  ['a number for a name', post({ ...fern, name: 5 }), 400, 'invalid-plant'],
  ['an object for a tag', post({ ...fern, tag: {} }), 400, 'invalid-plant'],
  ['an array for a tag', post({ ...fern, tag: ['y'] }), 400, 'invalid-plant'],
  ['a string for an id', post({ ...fern, id: '7' }), 400, 'invalid-plant'],
  ['a fraction for an id', post({ ...fern, id: 1.5 }), 400, 'invalid-plant'],
  ['true for an id', post({ ...fern, id: true }), 400, 'invalid-plant'],
  ['a null id', post({ ...fern, id: null }), 400, 'invalid-plant'],
  ['an id of 2^53', post('{"name":"x","id":9007199254740992,"tag":"y"}'), 400, 'invalid-plant'],
  ['an id of 1e999', post('{"name":"x","id":1e999,"tag":"y"}'), 400, 'invalid-plant'],
  ['a name in another case', post({ Name: 'x', id: 1, tag: 'y' }), 400, 'invalid-plant'],
  ['fields behind __proto__', post('{"__proto__":{"name":"x","id":1,"tag":"y"}}'), 400, 'invalid-plant'],
  [
    'no Content-Type',
    { ...post(''), body: new Blob([JSON.stringify(fern)]), headers: { authorization: 'Bearer alice' } },
    415,
    'unsupported-media-type',
  ],
  ['text/plain', post(fern, { 'content-type': 'text/plain' }), 415, 'unsupported-media-type'],
  ['application/jsonp', post(fern, { 'content-type': 'application/jsonp' }), 415, 'unsupported-media-type'],
  [
    'bytes that are not UTF-8',
    { ...post(''), body: new Uint8Array([0x22, 0xff, 0x22]) },
    400,
    'malformed-json',
  ],
  ['a body over 1 MiB', post({ ...fern, name: 'x'.repeat(1024 * 1024) }), 413, 'body-too-large'],
]

const badTokens: readonly Case[] = [
  ['no Authorization', {}, 401, 'missing-token'],
  ['another scheme', { headers: { authorization: 'Basic YWxpY2U6c2VjcmV0' } }, 401, 'missing-token'],
  ['a token without a scheme', { headers: { authorization: 'alice' } }, 401, 'missing-token'],
  ['a scheme that runs on', { headers: { authorization: 'Bearers alice' } }, 401, 'missing-token'],
  ['a scheme without a token', { headers: { authorization: 'Bearer' } }, 401, 'invalid-token'],
  ['two tokens', { headers: { authorization: 'Bearer alice bob' } }, 401, 'invalid-token'],
  ['a quoted token', { headers: { authorization: 'Bearer "alice"' } }, 401, 'invalid-token'],
  ['a comma', { headers: { authorization: 'Bearer alice,bob' } }, 401, 'invalid-token'],
  ['an equals sign first', { headers: { authorization: 'Bearer =alice' } }, 401, 'invalid-token'],
  ['a letter beyond ASCII', { headers: { authorization: 'Bearer \u00E9mile' } }, 401, 'invalid-token'],
]

const badLimits = [
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

describe.each(targets)('$name', ({ open, seesOtherPaths }) => {
  let target: OpenTarget
  beforeEach(async () => {
    await target?.close()
    target = await open()
  })
  afterAll(() => target.close())

  const problemOf = async (response: Response) => {
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const problem = (await response.json()) as {
      type: string
      title: string
      status: number
      detail: string
      errors?: object[]
    }
    expect(problem).toMatchObject({
      status: response.status,
      title: expect.any(String),
      detail: expect.stringMatching(/\.$/),
    })
    return problem
  }

  it('answers a create with 201 and exactly name and tag', async () => {
    const response = await target.request('/plants', post(fern))
    expect(response.status).toBe(201)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toBe('{"name":"Nephrolepis exaltata","tag":"fern"}')
  })

  it('lists a created plant with exactly name and tag', async () => {
    await target.request('/plants', post(fern))
    const response = await target.request('/plants', as('alice'))
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toBe('[{"name":"Nephrolepis exaltata","tag":"fern"}]')
  })

  it('lists nothing of what another caller created', async () => {
    await target.request('/plants', post(fern))
    expect(await (await target.request('/plants', as('bob'))).json()).toEqual([])
  })

  it('lists shared and own plants in one order, as added', async () => {
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
    expect([await names('alice'), await names('bob'), await names('carol')]).toEqual([
      '124567',
      '13457',
      '147',
    ])
  })

  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
    [4, 3],
    ['007', 3],
    ['99999999999999999999999', 3],
  ])('answers limit=%s with %i of three plants', async (limit, expected) => {
    await target.mock.seed([1, 2, 3].map((id) => ({ ...fern, id })))
    const response = await target.request(`/plants?limit=${limit}`, as('alice'))
    expect(await response.json()).toHaveLength(expected)
  })

  it('reads limit among other parameters, and percent-encoded', async () => {
    await target.mock.seed([1, 2, 3].map((id) => ({ ...fern, id })))
    const response = await target.request('/plants?page=2&%6Cimit=%32&sort=name', as('alice'))
    expect(await response.json()).toHaveLength(2)
  })

  it.each(badLimits)('refuses limit=%s', async (limit) => {
    const response = await target.request(`/plants?limit=${limit}`, as('alice'))
    expect(response.status).toBe(400)
    expect(await problemOf(response)).toMatchObject({
      type: 'urn:problem-type:plant-mock:invalid-limit',
      errors: [{ parameter: 'limit' }],
    })
  })

  it.each(badBodies)('refuses a create with %s', async (_, init, status, type) => {
    const response = await target.request('/plants', init)
    expect(response.status).toBe(status)
    expect((await problemOf(response)).type).toBe(`urn:problem-type:plant-mock:${type}`)
    expect(await target.mock.plants.all()).toEqual([])
  })

  it.each(badTokens)('refuses a list with %s', async (_, init, status, type) => {
    const response = await target.request('/plants', init)
    expect(response.status).toBe(status)
    expect(response.headers.get('www-authenticate')).toBe(
      type === 'missing-token' ? 'Bearer realm="plants"' : 'Bearer realm="plants", error="invalid_token"',
    )
    expect((await problemOf(response)).type).toBe(`urn:problem-type:plant-mock:${type}`)
  })

  it.each(badTokens)('refuses a create with %s, and stores nothing', async (_, init) => {
    const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) }
    const response = await target.request('/plants', { method: 'POST', headers, body: JSON.stringify(fern) })
    expect(response.status).toBe(401)
    expect(await target.mock.plants.all()).toEqual([])
  })

  it.each(['Bearer alice', 'bearer alice', 'BEARER alice', 'Bearer   alice'])(
    'takes "%s" for the caller alice',
    async (authorization) => {
      await target.request('/plants', post(fern))
      expect(await (await target.request('/plants', { headers: { authorization } })).json()).toHaveLength(1)
    },
  )

  it('takes every character of a bearer token', async () => {
    const caller = 'aZ09-._~+/=='
    await target.request('/plants', post(fern, { authorization: `Bearer ${caller}` }))
    expect(await target.mock.plants.visibleTo(caller)).toEqual([{ ...fern, access: [caller] }])
  })

  it('points to each field in fault', async () => {
    const problem = await problemOf(await target.request('/plants', post({ name: 1, id: 1.5 })))
    expect(problem.errors).toEqual([
      { pointer: '#/name', detail: 'must be a string, not a number' },
      { pointer: '#/id', detail: 'must be an integer, not 1.5' },
      { pointer: '#/tag', detail: 'is required' },
    ])
  })

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;foo=bar'])(
    'reads a create sent as %s',
    async (type) => {
      expect((await target.request('/plants', post(fern, { 'content-type': type }))).status).toBe(201)
    },
  )

  it.each([0, -0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])('takes the id %i', async (id) => {
    expect((await target.request('/plants', post({ ...fern, id }))).status).toBe(201)
    expect((await target.request('/plants', post({ ...fern, id }))).status).toBe(409)
  })

  it.each([
    ['markup', '<script>alert(1)</script>'],
    ['emoji', '🌵🪴'],
    ['right-to-left text', 'صبار'],
    ['control characters', '\u0000\u001F\u007F'],
    ['a lone surrogate', '\uD800'],
    ['line separators', '\u2028\u2029'],
    ['quotes and backslashes', '"\\/\''],
    ['nothing', ''],
  ])('gives back a name of %s unchanged', async (_, name) => {
    const created = await target.request('/plants', post({ ...fern, name }))
    expect(await created.json()).toEqual({ name, tag: 'fern' })
    expect(await (await target.request('/plants', as('alice'))).json()).toEqual([{ name, tag: 'fern' }])
  })

  it('drops fields that the contract does not name, __proto__ among them', async () => {
    const body =
      '{"name":"x","id":1,"tag":"y","colour":"green","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
    expect(await (await target.request('/plants', post(body))).json()).toEqual({ name: 'x', tag: 'y' })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('answers 409 when the caller already has a plant with that id, and keeps the first', async () => {
    await target.request('/plants', post(fern))
    const response = await target.request('/plants', post({ ...fern, name: 'Another' }))
    expect(response.status).toBe(409)
    expect(await problemOf(response)).toMatchObject({
      type: 'urn:problem-type:plant-mock:duplicate-id',
      errors: [{ pointer: '#/id' }],
    })
    expect(await target.mock.plants.all()).toEqual([{ ...fern, access: ['alice'] }])
  })

  it('answers 409 for the id of a shared plant, and 201 for the id of a plant that another caller has', async () => {
    await target.mock.seed([
      { ...fern, id: 1 },
      { ...fern, id: 2, access: ['bob'] },
    ])
    expect((await target.request('/plants', post({ ...fern, id: 1 }))).status).toBe(409)
    expect((await target.request('/plants', post({ ...fern, id: 2 }))).status).toBe(201)
  })

  it('lets one of forty concurrent creates with one id succeed', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await target.request('/plants', post(fern))).status),
    )
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(39)
  })

  it('answers HEAD like GET, without a body', async () => {
    const response = await target.request('/plants', { method: 'HEAD', ...as('alice') })
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
      200,
      'application/json',
      '',
    ])
  })

  it.each(['PUT', 'PATCH', 'DELETE', 'PROPFIND'])(
    'answers %s on /plants with 405 and Allow',
    async (method) => {
      const response = await target.request('/plants', { method, ...as('alice') })
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS, POST'])
      expect((await problemOf(response)).type).toBe('urn:problem-type:plant-mock:method-not-allowed')
    },
  )

  it('answers OPTIONS on /plants with what there is', async () => {
    const response = await target.request('/plants', { method: 'OPTIONS' })
    expect([response.status, response.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS, POST'])
  })

  it.skipIf(!seesOtherPaths)(
    'answers 404 elsewhere (handlers leave other paths to other handlers)',
    async () => {
      for (const path of ['/', '/plants/', '/plants/1', '/Plants', '/v1/plants', '/%70lants', '//plants']) {
        const response = await target.request(path, as('alice'))
        expect([path, response.status]).toEqual([path, 404])
        expect((await problemOf(response)).type).toBe('urn:problem-type:plant-mock:not-found')
      }
    },
  )

  it('brings back what a snapshot held, as often as wanted', async () => {
    await target.mock.seed([fern])
    const restore = await target.mock.snapshot()
    for (const id of [1, 2]) {
      await target.request('/plants', post({ ...fern, id }))
      await target.mock.assume({ 'create.status': 200 })
      await restore()
      expect(await target.mock.plants.all()).toEqual([fern])
      expect((await target.mock.assumptions())['create.status']).toBe(201)
    }
  })

  it('resets to its fixtures and assumptions, and not to nothing', async () => {
    await target.close()
    target = await open({ fixtures: [fern], assume: { 'create.status': 200 } })
    await target.request('/plants', post({ ...fern, id: 8 }))
    await target.mock.seed([{ ...fern, id: 9 }])
    await target.mock.assume({ 'create.status': 201, 'list.order': 'newest' })
    await target.mock.reset()
    expect(await target.mock.plants.all()).toEqual([fern])
    expect(await target.mock.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'added' })
  })

  it('accepts only the tokens it was given and those that plants name, when tokens were given', async () => {
    await target.close()
    target = await open({ tokens: ['alice'], fixtures: [{ ...fern, access: ['bob'] }] })
    const status = async (caller: string) => (await target.request('/plants', as(caller))).status
    expect([await status('alice'), await status('bob'), await status('carol')]).toEqual([200, 200, 401])
  })
})
