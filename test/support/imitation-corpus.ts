/** One request of a scenario. `as` is the token of its caller; `undefined` for none. */
export type Step = {
  readonly name: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Requests to one instance that starts without plants. The responses to `setup` are not compared. */
export type Scenario = { readonly name: string; readonly setup?: readonly Step[]; readonly steps: readonly Step[] }

/** The tokens of the two callers of the corpus. */
export const callers = { alice: 'token-of-alice', bob: 'token-of-bob' }

type Options = { readonly authorization?: string | undefined; readonly headers?: Readonly<Record<string, string>> }

const request = (
  method: string,
  path: string,
  { authorization = `Bearer ${callers.alice}`, headers = {} }: Options = {},
): Omit<Step, 'name'> => ({
  method,
  path,
  headers: authorization === '' ? headers : { authorization, ...headers },
})

const list = (query = '', options?: Options): Step => ({
  name: `GET ${query === '' ? '/plants' : query}${options?.authorization === undefined ? '' : ` as "${options.authorization}"`}`,
  ...request('GET', `/plants${query}`, options),
})

const json = { 'content-type': 'application/json' }

const shown = (body: string): string => (body.length > 60 ? `${body.slice(0, 60)}… (${body.length})` : body)

const create = (body: unknown, { headers = json, ...options }: Options = {}): Step => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = headers === json ? '' : ` ${JSON.stringify(headers)}`
  const as = options.authorization === undefined ? '' : ` as "${options.authorization}"`
  return {
    name: `POST ${shown(text)}${type}${as}`,
    ...request('POST', '/plants', { ...options, headers }),
    body: new TextEncoder().encode(text),
  }
}

const plain = (method: string, path: string, options?: Options): Step => ({
  name: `${method} ${path}${options?.authorization === undefined ? '' : ` as "${options.authorization}"`}`,
  ...request(method, path, options),
})

const asBob = { authorization: `Bearer ${callers.bob}` }
const anonymous = { authorization: '' }

const garden = [
  { id: 30, name: 'Monstera', tag: 'indoor' },
  { id: 10, name: 'aloe', tag: 'succulent' },
  { id: 20, name: 'Basil', tag: 'herb' },
  { id: 5, name: 'Ficus', tag: 'indoor' },
  { id: 40, name: 'Zinnia', tag: '' },
  { id: 15, name: 'Dill', tag: 'herb' },
]
const [monstera = {}] = garden
const rows = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ id: ((i * 37) % 113) + 1, name: `Plant ${(i * 53) % 127}`, tag: 'row' }))

let nextId = 1_000
const plant = (overrides: object = {}): object => ({ id: nextId++, name: `Fern ${nextId}`, tag: 'shade', ...overrides })
const without = (key: string): object => Object.fromEntries(Object.entries(plant()).filter(([name]) => name !== key))
/** A plant that takes this number of bytes. */
const ofSize = (bytes: number, overrides: object = {}): object => {
  const empty = plant({ name: '', ...overrides })
  return { ...empty, name: 'x'.repeat(bytes - JSON.stringify(empty).length) }
}

const limits = [
  ...['1', '2', '3', '5', '6', '7', '10', '20', '50', '99', '100', '101', '500', '501', '1000', '2147483648'],
  ...['99999999999999999999', '0', '-1', '-0', 'abc', '1.5', '2.0', '', '%202', '1e1', '0x2', '%2B2', '2abc', '007'],
  ...['null', 'true', 'NaN', 'Infinity', '%EF%BC%92', '2,3', '1&limit=2', '3&limit=3'],
]

const kibibyte = 1024

/** Requests of clients, good and bad, for every point that the contract leaves open. */
export const scenarios: readonly Scenario[] = [
  { name: 'an empty store', steps: ['', '?limit=1', '?limit=10', '?limit=1000'].map((query) => list(query)) },
  {
    name: 'limits over six plants',
    setup: garden.map((body) => create(body)),
    steps: [
      ...['', '?', '?offset=2', '?page=2&limit=2', '?sort=-name', '?tag=herb', '?Limit=2', '?limit[]=2'].map((query) =>
        list(query),
      ),
      ...limits.map((limit) => list(`?limit=${limit}`)),
    ],
  },
  {
    name: 'limits over many plants',
    setup: rows(110).map((body) => create(body)),
    steps: ['', '?limit=20', '?limit=21', '?limit=50', '?limit=51', '?limit=100', '?limit=101', '?limit=1000'].map(
      (query) => list(query),
    ),
  },
  { name: 'the order of lists', steps: garden.flatMap((body) => [create(body), list()]) },
  {
    name: 'the plants of two callers',
    steps: [
      ...garden.slice(0, 2).map((body) => create(body)),
      list('', asBob),
      ...garden.slice(2, 4).map((body) => create(body, asBob)),
      list('', asBob),
      list(),
      list('?limit=1', asBob),
    ],
  },
  {
    name: 'plants that a service may refuse',
    steps: [
      create(plant()),
      ...['name', 'id', 'tag'].map((key) => create(without(key))),
      ...['name', 'tag'].map((key) => create(plant({ [key]: '' }))),
      create(plant({ name: '', tag: '' })),
      create({ name: 'Only a name' }),
      create({ tag: 'only-a-tag' }),
      create({ id: 77 }),
      create({}),
      create(plant({ colour: 'green' })),
      create(plant({ name: ' ' })),
      create(plant({ name: ' Fern ' })),
      create(plant({ name: 'Fougère 🌿\n"quoted"' })),
      create(plant({ id: 0 })),
      create(plant({ id: -7 })),
      create('{"id":1e3,"name":"Sorrel","tag":"herb"}'),
      create('{"id":2.0,"name":"Sorrel","tag":"herb"}'),
      create(plant({ id: 2_147_483_648 })),
      create('{"tag":"herb","name":"Sage","id":501}'),
      create(` \n{ "id": 502 , "name": "Thyme", "tag": "herb" }\n`),
      create('{"id":503,"name":"Mint","name":"Melissa","tag":"herb"}'),
    ],
  },
  {
    name: 'plants of wrong types',
    steps: [
      ...[1, true, null, {}, ['Fern']].map((name) => create(plant({ name }))),
      ...[1, null, []].map((tag) => create(plant({ tag }))),
      ...['1', 1.5, null, true, {}].map((id) => create(plant({ id }))),
      create('{"id":1e999,"name":"Fern","tag":"shade"}'),
      create({ id: 'x', name: 1, tag: null }),
      create([plant()]),
      ...['[]', 'null', '1', '"text"', 'true'].map((body) => create(body)),
      list(),
    ],
  },
  {
    name: 'bodies that are not JSON',
    steps: ['{"name":"x"', '', ' ', 'name=x&id=1', "{'name':'x'}", '{"name":"x",}', '<plant/>', 'undefined', '{]']
      .map((body) => create(body))
      .concat(list()),
  },
  {
    name: 'one id twice',
    steps: [
      create(monstera),
      create(monstera),
      create({ ...monstera, name: 'Monstera deliciosa' }),
      list(),
      create(monstera, asBob),
      create({ ...monstera, name: 'Rubber plant' }, asBob),
      list('', asBob),
      create({ ...monstera, id: 31 }),
      create({ ...monstera, name: '' }),
      create({ ...monstera, id: '30' }),
      list(),
    ],
  },
  {
    name: 'other methods and paths',
    setup: [create(monstera)],
    steps: [
      ...['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'PROPFIND'].map((method) => plain(method, '/plants')),
      ...['/plants/30', '/plants/30/tags', '/', '/health', '/plant', '/plants.json', '/v1/plants', '/docs'].map(
        (path) => plain('GET', path),
      ),
      ...['PUT', 'DELETE', 'OPTIONS'].map((method) => plain(method, '/plants/30')),
      plain('GET', '/plants/'),
      plain('GET', '/Plants'),
      plain('GET', '//plants'),
      plain('POST', '/unknown'),
      ...['PUT', 'DELETE', 'OPTIONS'].map((method) => plain(method, '/plants', anonymous)),
      plain('GET', '/health', anonymous),
      plain('DELETE', '/plants/30', anonymous),
    ],
  },
  {
    name: 'tokens',
    setup: [create(monstera)],
    steps: [
      '',
      'Bearer unknown-token',
      'Bearer',
      callers.alice,
      `bearer ${callers.alice}`,
      `BEARER ${callers.alice}`,
      `Bearer  ${callers.alice}`,
      `Bearer ${callers.alice} ${callers.alice}`,
      `Bearer ${callers.alice},Bearer ${callers.bob}`,
      `Bearer "${callers.alice}"`,
      `Bearer ${callers.alice.toUpperCase()}`,
      `Bearer ${'x'.repeat(1_000)}`,
      'Bearer ünknown',
      'Basic YWxpY2U6c2VjcmV0',
      `Token ${callers.alice}`,
    ]
      .map((authorization) => list('', { authorization }))
      .concat(
        list(`?access_token=${callers.alice}`, anonymous),
        list('?limit=abc', anonymous),
        create(plant(), anonymous),
        create('{"name":"x"', anonymous),
        create({ name: 1 }, anonymous),
        create(plant(), { authorization: 'Bearer unknown-token' }),
        create(ofSize(200 * kibibyte), anonymous),
        list(),
      ),
  },
  {
    name: 'content types',
    steps: [
      ...[
        'application/json; charset=utf-8',
        'application/json;charset=UTF-8',
        'Application/JSON',
        'application/vnd.api+json',
        'application/x-www-form-urlencoded',
        'text/plain',
        'text/plain;charset=UTF-8',
        'application/xml',
        'application/octet-stream',
        'json',
      ].map((type) => create(plant(), { headers: { 'content-type': type } })),
      create(plant(), { headers: {} }),
      create('{"name":"x"', { headers: {} }),
      create({ name: 1 }, { headers: { 'content-type': 'text/plain' } }),
      create(plant(), { headers: { ...json, accept: 'text/html' } }),
      create({ name: 1 }, { headers: { ...json, accept: 'text/html' } }),
      list('', { headers: { accept: 'application/xml' } }),
      list('?limit=abc', { headers: { accept: 'text/html' } }),
    ],
  },
  {
    name: 'large bodies',
    steps: [
      ...[1, 10, 16, 17, 49, 50].map((size) => create(ofSize(size * kibibyte))),
      create(ofSize(50 * kibibyte + 1)),
      create(ofSize(64 * kibibyte)),
      create(ofSize(100 * kibibyte)),
      create(ofSize(100 * kibibyte + 1)),
      create(ofSize(200 * kibibyte)),
      create(ofSize(1024 * kibibyte)),
      create(ofSize(1024 * kibibyte + 1)),
      create(ofSize(2048 * kibibyte)),
      create(ofSize(200 * kibibyte, { id: 'x' })),
      create('x'.repeat(200 * kibibyte)),
      list('?limit=2'),
    ],
  },
]
