import {
  type Assume,
  assumptionRegistry,
  createPlantMock,
  defaultAssumptions,
  type PlantMock,
  PlantMockError,
} from 'plant-mock'
import { parseAssume } from 'plant-mock/contract'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { fern } from '../../support/plants.ts'
import { as, post } from '../../support/targets.ts'

const many = Array.from({ length: 150 }, (_, i) => ({
  id: i,
  name: `${(i * 7) % 150}`.padStart(3, '0'),
  tag: 't',
}))

const create =
  (body: object, headers = {}) =>
  async (mock: PlantMock) => {
    const response = await mock.fetch('/plants', post(body, headers))
    return [response.status, response.ok ? await response.text() : '']
  }
const length =
  (query = '') =>
  async (mock: PlantMock) => {
    await mock.seed(many)
    const response = await mock.fetch(`/plants${query}`, as('alice'))
    return response.ok ? ((await response.json()) as unknown[]).length : response.status
  }
const firstNames = async (mock: PlantMock) => {
  await mock.seed(['b', 'a', 'd', 'c', 'f', 'e'].map((name) => ({ name, tag: 't' })))
  const names = async () =>
    ((await (await mock.fetch('/plants', as('alice'))).json()) as { name: string }[]).map(({ name }) => name).join('')
  return `${await names()} ${await names()}`
}
const twice = async (mock: PlantMock) => {
  await mock.fetch('/plants', post(fern))
  const response = await mock.fetch('/plants', post({ ...fern, name: 'Second' }))
  return [response.status, (await mock.plants.all()).map(({ name }) => name).join()]
}
const statusOf = (path: string, init: RequestInit) => async (mock: PlantMock) => {
  const response = await mock.fetch(path, init)
  return [response.status, response.headers.has('www-authenticate')]
}
const failure = async (mock: PlantMock) => {
  const response = await mock.fetch('/plants?limit=x', as('alice'))
  const text = await response.text()
  return [response.headers.get('content-type'), text.startsWith('{"type"') ? 'problem' : text]
}
const limitDetail = 'limit must be one whole number, 0 or more; it was "x".'

const createUntaggedAndList = async (mock: PlantMock) => {
  await mock.assume({ 'create.required': 'name+id' })
  const [, created] = await create({ name: 'x', id: 1 })(mock)
  return [created, await (await mock.fetch('/plants', as('alice'))).text()]
}

const refused = [400, '']
const untaggedX = [201, '{"name":"x","tag":""}'] as const

const observations: Readonly<
  Record<string, readonly [(mock: PlantMock) => Promise<unknown>, Record<string, unknown>][]>
> = {
  'create.status': [
    [
      create(fern),
      {
        201: [201, '{"name":"Nephrolepis exaltata","tag":"fern"}'],
        200: [200, '{"name":"Nephrolepis exaltata","tag":"fern"}'],
      },
    ],
  ],
  'create.required': [
    [create({ name: 'x', id: 1 }), { 'name+id+tag': refused, 'name+id': untaggedX, name: untaggedX, none: untaggedX }],
    [create({ name: 'x' }), { 'name+id+tag': refused, 'name+id': refused, name: untaggedX, none: untaggedX }],
    [create({}), { 'name+id+tag': refused, 'name+id': refused, name: refused, none: [201, '{"name":"","tag":""}'] }],
  ],
  'create.missingTag': [
    [
      createUntaggedAndList,
      {
        empty: ['{"name":"x","tag":""}', '[{"name":"x","tag":""}]'],
        omit: ['{"name":"x"}', '[{"name":"x"}]'],
        null: ['{"name":"x","tag":null}', '[{"name":"x","tag":null}]'],
      },
    ],
  ],
  'create.nullTag': [
    [
      create({ name: 'x', id: 1, tag: null }),
      { reject: refused, absent: untaggedX, null: [201, untaggedX[1].replace('""', 'null')] },
    ],
  ],
  'create.unknownFields': [
    [create({ ...fern, colour: 'green' }), { ignore: [201, expect.any(String)], reject: [400, ''] }],
  ],
  'create.emptyStrings': [
    [create({ ...fern, name: '' }), { accept: [201, '{"name":"","tag":"fern"}'], reject: [400, ''] }],
    [create({ ...fern, tag: '' }), { accept: [201, expect.any(String)], reject: [400, ''] }],
  ],
  'create.duplicateId': [
    [
      twice,
      {
        conflict: [409, 'Nephrolepis exaltata'],
        accept: [201, 'Nephrolepis exaltata,Second'],
        replace: [201, 'Second'],
      },
    ],
  ],
  'create.duplicateStatus': [[twice, { 409: [409, 'Nephrolepis exaltata'], 400: [400, 'Nephrolepis exaltata'] }]],
  'create.contentType': [
    [create(fern, { 'content-type': 'text/plain' }), { require: [415, ''], ignore: [201, expect.any(String)] }],
  ],
  'create.visibility': [
    [
      async (mock) => {
        await mock.seed([fern])
        await mock.fetch('/plants', post({ ...fern, id: 8 }))
        const count = async () =>
          ((await (await mock.fetch('/plants?limit=5', as('alice'))).json()) as unknown[]).length
        return [await count(), await count()]
      },
      { immediate: [2, 2], eventual: [1, 2] },
    ],
  ],
  'list.defaultLimit': [
    [length(), { none: 150, 10: 10, 20: 20, 100: 100 }],
    [length('?limit=150'), { none: 150, 10: 150, 20: 150, 100: 150 }],
  ],
  'list.maxLimit': [
    [length('?limit=120'), { none: 120, clamp: 100, reject: 400 }],
    [length(), { none: 150, clamp: 100, reject: 150 }],
    [length('?limit=100'), { none: 100, clamp: 100, reject: 100 }],
  ],
  'list.zeroLimit': [[length('?limit=0'), { empty: 0, reject: 400 }]],
  'list.invalidLimit': [
    [length('?limit=-1'), { reject: 400, ignore: 150 }],
    [length('?limit=1&limit=2'), { reject: 400, ignore: 150 }],
  ],
  'list.order': [
    [
      firstNames,
      {
        added: 'badcfe badcfe',
        newest: 'efcdab efcdab',
        name: 'abcdef abcdef',
        shuffled: expect.not.stringMatching(/^(\w+) \1$/),
      },
    ],
  ],
  'auth.tokens': [[statusOf('/plants', as('stranger')), { any: [200, false], listed: [401, true] }]],
  'auth.status': [
    [statusOf('/plants', {}), { 401: [401, true], 403: [403, false] }],
    [statusOf('/plants', as('a b')), { 401: [401, true], 403: [403, false] }],
  ],
  'error.body': [
    [
      failure,
      {
        problem: ['application/problem+json', 'problem'],
        json: ['application/json', JSON.stringify({ error: 'invalid-limit', message: limitDetail })],
        text: ['text/plain; charset=utf-8', limitDetail],
        empty: [null, ''],
      },
    ],
  ],
  'error.invalidStatus': [
    [statusOf('/plants?limit=x', as('alice')), { 400: [400, false], 422: [422, false] }],
    [statusOf('/plants', post({})), { 400: [400, false], 422: [422, false] }],
    [statusOf('/plants', post('{')), { 400: [400, false], 422: [422, false] }],
  ],
  'body.maxSize': [
    [create({ ...fern, name: 'x'.repeat(16 * 1024) }), { '1MiB': [201, expect.any(String)], '16KiB': [413, ''] }],
  ],
  'rate.limit': [
    [
      async (mock) => {
        const statuses: string[] = []
        for (let i = 1; i <= 20; i++) {
          const response = await mock.fetch('/plants', as('alice'))
          statuses.push(`${response.status}${response.headers.get('retry-after') ?? ''}`)
        }
        return statuses.map((status, i) => (status === '200' ? '' : `${i + 1}: ${status}`)).join('')
      },
      { none: '', 'every-tenth': '10: 429120: 4291' },
    ],
  ],
  'operation.other': [
    [statusOf('/plants', { method: 'DELETE', ...as('alice') }), { 405: [405, false], 404: [404, false] }],
    [statusOf('/elsewhere', as('alice')), { 405: [404, false], 404: [404, false] }],
  ],
  'operation.delete': [
    [
      async (mock) => {
        await mock.seed([fern])
        const response = await mock.fetch(`/plants/${fern.id}`, { method: 'DELETE', ...as('alice') })
        return [response.status, await response.text().then((text) => text.includes(fern.name))]
      },
      { none: [404, false], 204: [204, false], 200: [200, true] },
    ],
  ],
  'delete.missingStatus': [
    [
      async (mock) => {
        await mock.assume({ 'operation.delete': 204 })
        return (await mock.fetch('/plants/1', { method: 'DELETE', ...as('alice') })).status
      },
      { 404: 404, 204: 204, 400: 400 },
    ],
  ],
  'json.keyOrder': [
    [
      create(fern),
      {
        'name-tag': [201, '{"name":"Nephrolepis exaltata","tag":"fern"}'],
        'tag-name': [201, '{"tag":"fern","name":"Nephrolepis exaltata"}'],
      },
    ],
  ],
  'json.contentType': [
    [
      async (mock) => (await mock.fetch('/plants', as('alice'))).headers.get('content-type'),
      { bare: 'application/json', charset: 'application/json; charset=utf-8' },
    ],
  ],
}

const variable = assumptionRegistry.filter(({ alternatives }) => alternatives.length > 0)

it('the tests cover every value of every assumption that can vary', () => {
  const values = (row: (typeof assumptionRegistry)[number]) => [row.default, ...row.alternatives].map(String).sort()
  expect(Object.keys(observations)).toEqual(variable.map(({ id }) => id))
  for (const row of variable)
    for (const [, expected] of observations[row.id] ?? []) expect(Object.keys(expected).sort()).toEqual(values(row))
})

describe.each(
  variable.flatMap(({ id, default: defaultValue, alternatives }) =>
    [defaultValue, ...alternatives].map((value) => ({ id, value })),
  ),
)('$id=$value', ({ id, value }) => {
  it.each((observations[id] ?? []).map(([observe, expected], i) => ({ i, observe, expected: expected[value] })))(
    'is visible to a client (observation $i)',
    async ({ observe, expected }) => {
      const mock = createPlantMock({ assume: { [id]: value } as Assume })
      expect(await observe(mock)).toEqual(expected)
    },
  )
})

describe('Plant-Mock-Source', () => {
  const namesIn = (header: string | null): readonly string[] => {
    if (header === 'contract') return []
    return /^assumption; names="([^"]+)"$/.exec(header ?? '')?.[1]?.split(' ') ?? ['not a source']
  }

  const observed = async (observe: (mock: PlantMock) => Promise<unknown>, assume: Assume) => {
    const mock = createPlantMock({ assume })
    const names = new Set<string>()
    const fetch: PlantMock['fetch'] = async (...request) => {
      const response = await mock.fetch(...request)
      for (const name of namesIn(response.headers.get('plant-mock-source'))) names.add(name)
      return response
    }
    return { result: await observe({ ...mock, fetch }), names }
  }

  it.each(variable)(
    'names $id where another value of it changes the response',
    async ({ id, default: defaultValue, alternatives }) => {
      for (const [observe] of observations[id] ?? []) {
        const first = await observed(observe, { [id]: defaultValue } as Assume)
        for (const value of alternatives) {
          const other = await observed(observe, { [id]: value } as Assume)
          if (JSON.stringify(first.result) !== JSON.stringify(other.result))
            expect([value, first.names.has(id) || other.names.has(id)]).toEqual([value, true])
        }
      }
    },
  )

  it('names only assumptions of the registry', async () => {
    const known = assumptionRegistry.map(({ id }) => id as string)
    for (const [observe] of Object.values(observations).flat())
      for (const assume of [{}, { 'error.body': 'text', 'operation.other': 404 }] as const) {
        const { names } = await observed(observe, assume)
        expect([...names].filter((name) => !known.includes(name))).toEqual([])
      }
  })
})

it('a shuffled list has the same order for the same seed, and again after a reset', async () => {
  const lists = async (seed: number) => {
    const mock = createPlantMock({ seed, fixtures: many, assume: { 'list.order': 'shuffled' } })
    const list = async () => (await mock.fetch('/plants', as('alice'))).text()
    const first = [await list(), await list()]
    await mock.reset()
    expect([await list(), await list()]).toEqual(first)
    return first
  }
  expect(await lists(5)).toEqual(await lists(5))
  expect(await lists(5)).not.toEqual(await lists(6))
})

describe('the registry', () => {
  it('covers every section of the contract that leaves a point open', () => {
    const sections = new Set(
      assumptionRegistry.flatMap(({ section }) => section.split(', ')).map((section) => section.split('.')[0]),
    )
    expect([...sections].sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  })

  it('has a question for each assumption and a meaning for each value', () => {
    for (const row of assumptionRegistry) {
      expect(row.question).toMatch(/\?$/)
      for (const value of [row.default, ...row.alternatives]) expect(row.meaning(value)).not.toBe('')
    }
  })

  it('holds the defaults of a new mock', async () => {
    expect(await createPlantMock().assumptions()).toEqual(
      Object.fromEntries(assumptionRegistry.map((row) => [row.id, row.default])),
    )
    expect(await createPlantMock().assumptions()).toEqual(defaultAssumptions)
  })
})

describe('an invalid assumption', () => {
  it('does not compile', () => {
    expectTypeOf<{ 'create.status': 200 }>().toExtend<Assume>()
    expectTypeOf<{ 'create.status': 418 }>().not.toExtend<Assume>()
    expectTypeOf<'create.statsu'>().not.toExtend<keyof Assume>()
  })

  it.each([
    [['create.statsu=200'], /^Unknown assumption "create\.statsu"\. Did you mean "create\.status"/],
    [['create.status=418'], /create\.status cannot be "418"\. Use one of 201, 200/],
    [['create.status'], /^Invalid assumption "create\.status"\. Write ID=VALUE/],
    [['list.status=204'], /list\.status cannot be "204"\. Use 200 \(its only value\)/],
    [['__proto__=1'], /^Unknown assumption "__proto__"/],
    [['constructor=1'], /^Unknown assumption "constructor"/],
    [['=200'], /^Unknown assumption ""/],
  ])('is refused: %s', (texts, message) => {
    expect(() => parseAssume(texts)).toThrow(PlantMockError)
    expect(() => parseAssume(texts)).toThrow(message)
  })

  it('is refused by createPlantMock', () => {
    expect(() => createPlantMock({ assume: { nonsense: 1 } as unknown as Assume })).toThrow(
      /^Unknown assumption "nonsense"/,
    )
  })
})
