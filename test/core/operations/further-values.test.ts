import { type Assume, createPlantMock, type FixturePlant } from 'plant-mock'
import { describe, expect, it } from 'vitest'

const url = 'http://plants.example/plants'

const mockWith = (assume: Assume, fixtures: readonly FixturePlant[] = [], tokens?: readonly string[]) => {
  const mock = createPlantMock({ assume, fixtures, ...(tokens && { tokens }) })
  const as = (token: string) => ({ authorization: `Bearer ${token}` })
  return {
    list: (query = '', token = 'alice') => mock.fetch(`${url}${query}`, { headers: as(token) }),
    names: async (query = '', token = 'alice') => {
      const response = await mock.fetch(`${url}${query}`, { headers: as(token) })
      return ((await response.json()) as { name: string }[]).map(({ name }) => name)
    },
    create: (body: object | string, token = 'alice') =>
      mock.fetch(url, {
        method: 'POST',
        headers: { ...as(token), 'content-type': 'application/json' },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    send: (init: RequestInit) => mock.fetch(url, init),
  }
}

const plants = (count: number): readonly FixturePlant[] =>
  Array.from({ length: count }, (_, i) => ({ id: i, name: `p${i}`, tag: 't' }))

const fern = { id: 1, name: 'Fern', tag: 'shade' }

describe('limits with a number', () => {
  it('list.defaultLimit=7 returns seven plants without a limit', async () => {
    const mock = mockWith({ 'list.defaultLimit': 7 }, plants(30))
    expect(await mock.names()).toHaveLength(7)
    expect(await mock.names('?limit=9')).toHaveLength(9)
  })

  it('list.maxLimit=clamp:5 cuts every list at five plants', async () => {
    const mock = mockWith({ 'list.maxLimit': 'clamp:5' }, plants(30))
    for (const query of ['', '?limit=6', '?limit=200']) expect(await mock.names(query)).toHaveLength(5)
    expect(await mock.names('?limit=4')).toHaveLength(4)
  })

  it('list.maxLimit=reject:5 refuses limit=6 and takes limit=5', async () => {
    const mock = mockWith({ 'list.maxLimit': 'reject:5' }, plants(30))
    expect(await mock.names('?limit=5')).toHaveLength(5)
    const refused = await mock.list('?limit=6')
    expect(refused.status).toBe(400)
    expect(await refused.text()).toContain('limit must be at most 5')
  })

  it('list.maxLimit=clamp:5 cuts a larger default limit too', async () => {
    const mock = mockWith({ 'list.maxLimit': 'clamp:5', 'list.defaultLimit': 7 }, plants(30))
    expect(await mock.names()).toHaveLength(5)
  })
})

describe('texts of limit', () => {
  it.each([
    ['number', ['2.0', '%202', '2e0', '0x2', '%2B2'], ['1.5', '2abc', '', '%20', '-1']],
    ['prefix', ['2.9', '%202', '2e1', '2abc', '2,3'], ['abc', '', '-1']],
    ['digits', ['2', '002'], ['2.0', '+2', '2abc', '%201']],
  ] as const)('list.limitFormat=%s reads %j as 2 and refuses %j', async (format, texts, refused) => {
    const mock = mockWith({ 'list.limitFormat': format }, plants(5))
    for (const text of texts) expect(await mock.names(`?limit=${text}`)).toHaveLength(2)
    for (const text of refused) expect((await mock.list(`?limit=${text}`)).status).toBe(400)
  })

  it.each(['number', 'prefix'] as const)('list.limitFormat=%s reads zero in its other forms', async (format) => {
    const mock = mockWith({ 'list.limitFormat': format }, plants(5))
    expect(await mock.names(`?limit=${format === 'number' ? '-0' : '0x'}`)).toHaveLength(0)
  })

  it('list.repeatedLimit=reject refuses it where an invalid limit is ignored', async () => {
    const mock = mockWith({ 'list.repeatedLimit': 'reject', 'list.invalidLimit': 'ignore' }, plants(5))
    expect((await mock.list('?limit=1&limit=2')).status).toBe(400)
    expect(await mock.names('?limit=abc')).toHaveLength(5)
  })
})

describe('orders', () => {
  const mixed: readonly FixturePlant[] = [
    { name: 'x', tag: 't' },
    { id: 3, name: 'c', tag: 't' },
    { id: -1, name: 'a', tag: 't' },
    { name: 'Y', tag: 't' },
    { id: 10, name: 'd', tag: 't' },
    { id: 2, name: 'b', tag: 't' },
    { id: 2, name: 'B', tag: 't' },
  ]

  it.each([
    ['id', 'abBcdxY'],
    ['id-descending', 'dcbBaxY'],
    ['name', 'BYabcdx'],
    ['name-ignoring-case', 'abBcdxY'],
  ] as const)(
    'list.order=%s lists %s; equal plants stay as added, and those without an id come last',
    async (order, names) => {
      expect((await mockWith({ 'list.order': order }, mixed).names()).join('')).toBe(names)
    },
  )
})

describe('duplicate ids', () => {
  it('create.duplicateId=idempotent succeeds, changes nothing and returns the existing plant', async () => {
    const mock = mockWith({ 'create.duplicateId': 'idempotent' })
    await mock.create(fern)
    const again = await mock.create({ ...fern, name: 'Moss' })
    expect([again.status, await again.json()]).toEqual([201, { name: 'Fern', tag: 'shade' }])
    expect(await mock.names()).toEqual(['Fern'])
  })

  it('create.duplicateId=conflict-everywhere refuses the id of a plant of another caller', async () => {
    const mock = mockWith({ 'create.duplicateId': 'conflict-everywhere' })
    expect((await mock.create(fern, 'bob')).status).toBe(201)
    expect((await mock.create(fern, 'alice')).status).toBe(409)
    expect((await mock.create({ ...fern, id: 2 }, 'alice')).status).toBe(201)
    expect((await mock.create({ ...fern, id: 2 }, 'bob')).status).toBe(409)
    expect(await mock.names('', 'alice')).toEqual(['Fern'])
  })

  it.each([400, 403, 422] as const)('create.duplicateStatus=%i is the status of the refusal', async (status) => {
    const mock = mockWith({ 'create.duplicateStatus': status })
    await mock.create(fern)
    const refused = await mock.create(fern)
    expect(refused.status).toBe(status)
    expect(await refused.json()).toMatchObject({ status, type: 'urn:problem-type:plant-mock:duplicate-id' })
  })
})

describe('fields of a create', () => {
  it('create.contentType=invalid refuses another Content-Type with the status of an invalid body', async () => {
    const mock = mockWith({ 'create.contentType': 'invalid', 'error.invalidStatus': 422 })
    const headers = { authorization: 'Bearer alice', 'content-type': 'text/plain' }
    const refused = await mock.send({ method: 'POST', headers, body: JSON.stringify(fern) })
    expect([refused.status, await mock.names()]).toEqual([422, []])
    expect((await mock.create(fern)).status).toBe(201)
  })
})

describe('visibility', () => {
  it('create.visibility=after-lists:2 leaves a plant out of two lists of its creator', async () => {
    const mock = mockWith({ 'create.visibility': 'after-lists:2' })
    await mock.create(fern)
    expect([await mock.names(), await mock.names(), await mock.names(), await mock.names()]).toEqual([
      [],
      [],
      ['Fern'],
      ['Fern'],
    ])
  })
})

describe('statuses of refusals', () => {
  it.each([400, 402, 404] as const)('auth.status=%i is that of a missing token', async (status) => {
    const response = await mockWith({ 'auth.status': status }).send({})
    expect([response.status, response.headers.has('www-authenticate')]).toEqual([status, false])
  })

  it.each([400, 401, 402, 403, 404] as const)('auth.unknownStatus=%i is that of an unknown token', async (status) => {
    const mock = mockWith({ 'auth.status': 403, 'auth.unknownStatus': status }, [], ['alice'])
    const unknown = await mock.list('', 'mallory')
    expect([unknown.status, unknown.headers.has('www-authenticate')]).toEqual([status, status === 401])
    expect((await mock.send({})).status).toBe(403)
  })

  it.each([400, 401, 402, 403, 404] as const)(
    'auth.malformedStatus=%i is that of a malformed header',
    async (status) => {
      const mock = mockWith({ 'auth.malformedStatus': status, 'auth.status': status === 401 ? 403 : 401 })
      for (const authorization of ['Bearer', 'Bearer a b', 'Basic eDp5'])
        expect((await mock.send({ headers: { authorization } })).status).toBe(status)
      expect((await mock.send({})).status).toBe(status === 401 ? 403 : 401)
    },
  )

  it('auth.scheme=exact refuses bearer in small letters', async () => {
    const mock = mockWith({ 'auth.scheme': 'exact', 'auth.malformedStatus': 400 })
    expect((await mock.send({ headers: { authorization: 'bearer alice' } })).status).toBe(400)
    expect((await mock.list()).status).toBe(200)
  })

  it.each([
    ['operations', [405, 404]],
    ['path', [401, 404]],
    ['everywhere', [401, 401]],
  ] as const)('auth.scope=%s decides whether other requests need a token', async (scope, expected) => {
    const mock = createPlantMock({ assume: { 'auth.scope': scope } })
    const other = async (headers: Record<string, string>) => [
      (await mock.fetch(url, { method: 'DELETE', headers })).status,
      (await mock.fetch(`${url}/1`, { headers })).status,
    ]
    expect(await other({})).toEqual(expected)
    expect(await other({ authorization: 'Bearer alice' })).toEqual([405, 404])
  })

  it('auth.scheme is named where it admits bearer in small letters to another request', async () => {
    const mock = createPlantMock({ assume: { 'auth.scope': 'path' } })
    const sourceFor = async (authorization: string) =>
      (await mock.fetch(url, { method: 'DELETE', headers: { authorization } })).headers.get('Plant-Mock-Source')
    expect(await sourceFor('bearer alice')).toContain('auth.scheme')
    expect(await sourceFor('Bearer alice')).not.toContain('auth.scheme')
  })

  it.each([
    [422, 400],
    [400, 422],
  ] as const)('error.syntaxStatus=%i stands beside error.invalidStatus=%i', async (syntax, meaning) => {
    const mock = mockWith({ 'error.syntaxStatus': syntax, 'error.invalidStatus': meaning })
    const responses = [await mock.create('{'), await mock.create({ ...fern, name: 1 }), await mock.list('?limit=x')]
    expect(responses.map(({ status }) => status)).toEqual([syntax, meaning, meaning])
  })

  it.each([
    [422, 400],
    [400, 422],
  ] as const)('error.limitStatus=%i stands beside error.invalidStatus=%i', async (limit, meaning) => {
    const mock = mockWith({ 'error.limitStatus': limit, 'error.invalidStatus': meaning })
    const responses = [await mock.create('{'), await mock.create({ ...fern, name: 1 }), await mock.list('?limit=x')]
    expect(responses.map(({ status }) => status)).toEqual([meaning, meaning, limit])
  })

  it.each([400, 403, 501] as const)('operation.other=%i is that of DELETE /plants', async (status) => {
    const response = await mockWith({ 'operation.other': status }).send({ method: 'DELETE' })
    expect([response.status, response.headers.has('allow')]).toEqual([status, false])
  })
})

describe('sizes and rates', () => {
  const sized = (bytes: number) => {
    const body = JSON.stringify({ ...fern, tag: '' })
    return { ...fern, tag: 'x'.repeat(bytes - body.length) }
  }

  it('body.maxSize=2000 takes 2,000 bytes and refuses 2,001', async () => {
    const mock = mockWith({ 'body.maxSize': 2_000 })
    expect((await mock.create(sized(2_000))).status).toBe(201)
    const refused = await mock.create(sized(2_001))
    expect([refused.status, await refused.text()]).toEqual([413, expect.stringContaining('larger than 2000 bytes')])
  })

  it('body.maxSize=none takes more than 1 MiB', async () => {
    expect((await mockWith({ 'body.maxSize': 'none' }).create(sized(2 * 1024 * 1024))).status).toBe(201)
  })

  it('rate.limit=every:3 refuses every third request of a caller', async () => {
    const mock = mockWith({ 'rate.limit': 'every:3' })
    const statuses: number[] = []
    for (let i = 0; i < 6; i++) statuses.push((await mock.list()).status)
    expect(statuses).toEqual([200, 200, 429, 200, 200, 429])
  })

  it('rate.limit counts from the start again after reset, load and the restoration of a snapshot', async () => {
    const mock = createPlantMock({ fixtures: [fern], assume: { 'rate.limit': 'every:2' } })
    const status = async () => (await mock.fetch(url, { headers: { authorization: 'Bearer alice' } })).status
    const restore = await mock.snapshot()
    for (const again of [mock.reset, () => mock.replaceFixtures([fern]), restore]) {
      expect(await status()).toBe(200)
      await again()
    }
    expect([await status(), await status()]).toEqual([200, 429])
  })
})

describe('bodies of failures', () => {
  const bodyOf = async (assume: Assume, init: RequestInit = {}) => {
    const response = await mockWith(assume).send(init)
    return [response.headers.get('content-type'), await response.text()]
  }
  const token = { authorization: 'Bearer alice' }

  it('error.body=html is a page of HTML that shows what was sent as text', async () => {
    const [type, body] = await bodyOf({ 'error.body': 'html' }, { method: 'DELETE', headers: token })
    expect(type).toBe('text/html; charset=utf-8')
    expect(body).toContain('<h1>405 Method Not Allowed</h1>')
    const mock = createPlantMock({ assume: { 'error.body': 'html' } })
    const missing = await mock.fetch('http://plants.example/<b>&', { headers: token })
    expect(await missing.text()).not.toContain('<b>')
  })

  it('error.body takes the shape of a JSON object, with {status} as a number', async () => {
    const template = '{"error":{"code":"{status}","text":"{title}: {detail}"},"ok":false}' as const
    const [type, body = ''] = await bodyOf({ 'error.body': template }, { method: 'DELETE', headers: token })
    expect(type).toBe('application/json')
    expect(JSON.parse(body ?? '')).toEqual({
      error: {
        code: 405,
        text: 'Method Not Allowed: /plants does not take DELETE; it takes GET, HEAD, OPTIONS, POST.',
      },
      ok: false,
    })
  })

  it('error.authBody is the form of refused tokens alone', async () => {
    const assume = { 'error.authBody': '{"message":"{title}"}', 'error.body': 'text' } as const
    expect(await bodyOf(assume)).toEqual(['application/json', '{"message":"Unauthorized"}'])
    expect((await bodyOf(assume, { method: 'DELETE', headers: token }))[0]).toBe('text/plain; charset=utf-8')
  })

  it('the parser, the router and duplicate ids have forms of their own', async () => {
    const mock = mockWith({
      'error.syntaxBody': 'text',
      'error.pathBody': 'empty',
      'error.duplicateBody': '{"taken":true}',
    })
    await mock.create(fern)
    const responses = [
      await mock.create('{'),
      await mock.send({ method: 'DELETE' }),
      await mock.create(fern),
      await mock.list('?limit=x'),
    ]
    expect(responses.map(({ headers }) => headers.get('content-type'))).toEqual([
      'text/plain; charset=utf-8',
      null,
      'application/json',
      'application/problem+json',
    ])
  })

  it.each(['application/hal+json', 'application/json; charset=UTF-8'] as const)(
    'json.contentType=%s is the Content-Type of lists',
    async (type) => {
      const response = await mockWith({ 'json.contentType': type }).list()
      expect(response.headers.get('content-type')).toBe(type)
    },
  )
})
