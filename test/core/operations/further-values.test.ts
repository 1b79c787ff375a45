import { type Assume, createPlantMock, type FixturePlant } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { as, post } from '../../support/targets.ts'

const url = 'http://plants.example/plants'

const fern = { id: 1, name: 'Fern', tag: 'shade' }
const alice = { authorization: 'Bearer alice' }

const mockWith = (assume: Assume, fixtures: readonly FixturePlant[] = []) => {
  const mock = createPlantMock({ assume, fixtures })
  return {
    list: (query = '') => mock.fetch(`${url}${query}`, { headers: alice }),
    names: async (query = '') => {
      const response = await mock.fetch(`${url}${query}`, { headers: alice })
      return ((await response.json()) as { name: string }[]).map(({ name }) => name)
    },
    create: (body: object | string) => mock.fetch(url, post(body)),
    send: (init: RequestInit) => mock.fetch(url, init),
  }
}

type Sent = readonly [path: string, init: RequestInit]
type Row = readonly [assume: Assume, sent: readonly Sent[], seen: readonly string[]]

const list = (query = '', token = 'alice'): Sent => [`/plants${query}`, as(token)]
const create = (body: object | string = fern, token = 'alice', type = 'application/json'): Sent => [
  '/plants',
  post(body, { authorization: `Bearer ${token}`, 'content-type': type }),
]
const other = (headers: Record<string, string> = alice): Sent => ['/plants', { method: 'DELETE', headers }]
const withHeader = (authorization?: string): Sent => ['/plants', authorization ? { headers: { authorization } } : {}]

const shown = async (response: Response): Promise<string> => {
  const { headers, ok, status } = response
  const body: unknown = ok ? await response.json() : undefined
  if (Array.isArray(body)) return body.map(({ name }) => name).join('')
  if (ok) return `${status} ${Object(body).name}`
  return [status, headers.has('www-authenticate') && 'challenge', headers.has('allow') && 'allow']
    .filter(Boolean)
    .join(' ')
}

const sized = (bytes: number) => ({ ...fern, tag: 'x'.repeat(bytes - JSON.stringify({ ...fern, tag: '' }).length) })
const malformed = ['Bearer', 'Bearer a b', 'Basic eDp5'].map(withHeader)

const rows: readonly Row[] = [
  [{ 'list.defaultLimit': 7 }, [list(), list('?limit=9')], ['abcdefg', 'abcdefghi']],
  [
    { 'list.maxLimit': 'clamp:5' },
    ['', '?limit=6', '?limit=4'].map((query) => list(query)),
    ['abcde', 'abcde', 'abcd'],
  ],
  [{ 'list.maxLimit': 'reject:5' }, [list('?limit=5'), list('?limit=6')], ['abcde', '400']],
  [{ 'list.maxLimit': 'clamp:5', 'list.defaultLimit': 7 }, [list()], ['abcde']],
  [{ 'list.limitFormat': 'number' }, [list('?limit=-0')], ['']],
  [{ 'list.limitFormat': 'prefix' }, [list('?limit=0x')], ['']],
  [{ 'list.repeatedLimit': 'first' }, [list('?limit=1&limit=2')], ['a']],
  [{ 'list.repeatedLimit': 'last' }, [list('?limit=1&limit=2')], ['ab']],
  [
    { 'list.repeatedLimit': 'reject', 'list.invalidLimit': 'ignore' },
    [list('?limit=1&limit=2'), list('?limit=abc')],
    ['400', 'abcdefghij'],
  ],
  [
    { 'create.duplicateId': 'idempotent' },
    [create(), create({ ...fern, name: 'Moss' }), list()],
    ['201 Fern', '201 Fern', 'abcdefghijFern'],
  ],
  [
    { 'create.duplicateId': 'conflict-everywhere' },
    [create(fern, 'bob'), create(), create({ ...fern, id: 2 }), create({ ...fern, id: 2 }, 'bob'), list()],
    ['201 Fern', '409', '201 Fern', '409', 'abcdefghijFern'],
  ],
  ...([400, 403, 422] as const).map(
    (status): Row => [{ 'create.duplicateStatus': status }, [create(), create()], ['201 Fern', `${status}`]],
  ),
  [
    { 'create.contentType': 'invalid', 'error.invalidStatus': 422 },
    [create(fern, 'alice', 'text/plain'), create()],
    ['422', '201 Fern'],
  ],
  [
    { 'create.visibility': 'after-lists:2' },
    [create(), list(), list(), list(), list()],
    ['201 Fern', 'abcdefghij', 'abcdefghij', 'abcdefghijFern', 'abcdefghijFern'],
  ],
  ...([400, 402, 404] as const).map((status): Row => [{ 'auth.status': status }, [withHeader()], [`${status}`]]),
  ...([400, 401, 402, 403, 404] as const).flatMap((status): Row[] => {
    const [given, missing] = [`${status}`, `${status === 401 ? 403 : 401}`].map((text) =>
      text === '401' ? '401 challenge' : text,
    ) as [string, string]
    return [
      [
        { 'auth.tokens': 'listed', 'auth.status': 403, 'auth.unknownStatus': status },
        [list('', 'mallory'), withHeader()],
        [given, '403'],
      ],
      [
        { 'auth.malformedStatus': status, 'auth.status': status === 401 ? 403 : 401 },
        [...malformed, withHeader()],
        [given, given, given, missing],
      ],
    ]
  }),
  [
    { 'auth.scheme': 'exact', 'auth.malformedStatus': 400 },
    [withHeader('bearer alice'), withHeader('Bearer alice')],
    ['400', 'abcdefghij'],
  ],
  ...(
    [
      ['operations', '405 allow', '404'],
      ['path', '401 challenge', '404'],
      ['everywhere', '401 challenge', '401 challenge'],
    ] as const
  ).map(
    ([scope, ...without]): Row => [
      { 'auth.scope': scope },
      [other({}), ['/plants/1', {}], other(), ['/plants/1', as('alice')]],
      [...without, '405 allow', '404'],
    ],
  ),
  ...(
    [
      [422, 400],
      [400, 422],
    ] as const
  ).flatMap(([own, meaning]): Row[] => {
    const sent = [create('{'), create({ ...fern, name: 1 }), list('?limit=x')]
    return [
      [{ 'error.syntaxStatus': own, 'error.invalidStatus': meaning }, sent, [`${own}`, `${meaning}`, `${meaning}`]],
      [{ 'error.limitStatus': own, 'error.invalidStatus': meaning }, sent, [`${meaning}`, `${meaning}`, `${own}`]],
    ]
  }),
  ...([400, 403, 501] as const).map((status): Row => [{ 'operation.other': status }, [other()], [`${status}`]]),
  [{ 'body.maxSize': 2_000 }, [create(sized(2_000)), create(sized(2_001))], ['201 Fern', '413']],
  [{ 'body.maxSize': 'none' }, [create(sized(2 * 1024 * 1024))], ['201 Fern']],
  [{ 'rate.limit': 'every:3' }, Array(6).fill(list('?limit=1')), ['a', 'a', '429', 'a', 'a', '429']],
]

it.each(rows)('under %j, a client sees what the value means (%#)', async (assume, sent, expected) => {
  const fixtures = [...'abcdefghij'].map((name, index) => ({ id: 100 + index, name, tag: 't' }))
  const mock = createPlantMock({ assume, fixtures, tokens: ['alice', 'bob'] })
  const seen: string[] = []
  for (const [path, init] of sent) seen.push(await shown(await mock.fetch(path, init)))
  expect(seen).toEqual(expected)
})

describe('texts of limit', () => {
  it.each([
    ['number', ['2.0', '%202', '2e0', '0x2', '%2B2'], ['1.5', '2abc', '', '%20', '-1']],
    ['prefix', ['2.9', '%202', '2e1', '2abc', '2,3'], ['abc', '', '-1']],
    ['digits', ['2', '002'], ['2.0', '+2', '2abc', '%201']],
  ] as const)('list.limitFormat=%s reads %j as 2 and refuses %j', async (format, texts, refused) => {
    const mock = mockWith(
      { 'list.limitFormat': format },
      [...'abcde'].map((name) => ({ name, tag: 't' })),
    )
    for (const text of texts) expect(await mock.names(`?limit=${text}`)).toHaveLength(2)
    for (const text of refused) expect((await mock.list(`?limit=${text}`)).status).toBe(400)
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

describe('values that decide more than one request', () => {
  it('auth.scheme is named where it admits bearer in small letters to another request', async () => {
    const mock = createPlantMock({ assume: { 'auth.scope': 'path' } })
    const sourceFor = async (authorization: string) =>
      (await mock.fetch(url, { method: 'DELETE', headers: { authorization } })).headers.get('Plant-Mock-Source')
    expect(await sourceFor('bearer alice')).toContain('auth.scheme')
    expect(await sourceFor('Bearer alice')).not.toContain('auth.scheme')
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

  it.each<readonly [string, Assume, string | null]>([
    ['of HTML runs no script', { 'error.body': 'text/html "<script>alert(1)</script>{title}"' }, 'sandbox'],
    ['of JSON as HTML runs no script', { 'error.body': 'text/html {"detail":"{detail}"}' }, 'sandbox'],
    ['of a type that a browser guesses runs no script', { 'error.body': 'unknown/unknown "{title}"' }, 'sandbox'],
    ['of JSON needs no policy', {}, null],
    ['of text needs no policy', { 'error.body': 'text' }, null],
  ])('a failure %s', async (_, assume, policy) => {
    const { headers } = await mockWith(assume).send({})
    const nosniff = policy && 'nosniff'
    expect([headers.get('content-security-policy'), headers.get('x-content-type-options')]).toEqual([policy, nosniff])
  })

  const escaped = '&lt;img src=x&gt;&#39;&quot;&amp;'
  it.each<readonly [string, Assume['error.body'], string]>([
    ['text', 'text/html "<p>{detail}</p>"', escaped],
    ['single quotes', `text/html "<p title='{detail}'>"`, escaped],
    ['double quotes', 'text/html "<p title=\\"{detail}\\">"', escaped],
    ['XML', `application/xml "<p a='{detail}'/>"`, escaped],
    ['JSON as HTML', 'text/html {"detail":"{detail}"}', `\\u003cimg src=x>'\\"&`],
    ['JSON', '{"detail":"{detail}"}', `<img src=x>'\\"&`],
  ])('what was sent is text in a failure: in %s', async (_, form = 'html', shown) => {
    const mock = createPlantMock({ assume: { 'error.body': form } })
    const response = await mock.fetch(url, post(fern, { 'content-type': `<img src=x>'"&` }))
    expect(await response.text()).toContain(`application/json; ${shown} was sent.`)
  })

  it('error.body takes the shape of a JSON object, with {status} as a number', async () => {
    const template = '{"error":{"code":"{status}","text":"{title}: {detail}"},"ok":false}' as const
    const [type, body = ''] = await bodyOf({ 'error.body': template }, { method: 'DELETE', headers: token })
    expect(type).toBe('application/json')
    expect(JSON.parse(body ?? '')).toEqual({
      error: {
        code: 405,
        text: 'Method Not Allowed: /plants does not allow DELETE; allowed methods: GET, HEAD, OPTIONS, POST.',
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
