import { assumptionRegistry } from 'plant-mock'
import { type ConformanceOptions, renderConformance } from 'plant-mock/conformance'
import { expect, it } from 'vitest'
import { check, idsOf, objectionsIn, tokens } from '../support/conformance.ts'
import { instead, limitBy } from '../support/quirks.ts'
import { type Gateway, type Quirks, quirkyService, type Req, strictLimit } from '../support/quirky-service.ts'

const skip = assumptionRegistry.flatMap(({ id }) => (['create.duplicateId', 'list.order'].includes(id) ? [] : [id]))

const checked = (quirks: Quirks, options: Parameters<typeof check>[1] = {}) => {
  const service = quirkyService(quirks)
  return check(service, { now: service.now, wait: service.wait, skip, ...options })
}

const limitOf = ({ url }: Pick<Req, 'url'>) => url.searchParams.get('limit')
const authorization = ({ headers }: Req) => headers.get('authorization') ?? ''

const exceeding = (at: number): Quirks => ({ initial: 130, limit: limitBy((limit) => (limit === at ? at + 1 : limit)) })

const changing = (change: (text: string) => unknown, ...names: readonly string[]): Quirks => ({
  element: ({ fields }) =>
    Object.fromEntries(
      ['name', 'tag'].map((name) => [name, names.includes(name) ? change(String(fields[name])) : fields[name]]),
    ),
})

const admitting =
  (isAdmitted: (request: Req) => boolean): Gateway =>
  (next) =>
  async (request) => {
    const headers = new Headers({ ...Object.fromEntries(request.headers), authorization: `Bearer ${tokens.other}` })
    return next(!authorization(request).startsWith('Bearer') && isAdmitted(request) ? { ...request, headers } : request)
  }

const rewriting =
  (applies: (request: Req) => boolean, change: (elements: readonly object[]) => unknown): Gateway =>
  (next) =>
  async (request) => {
    const response = await next(request)
    const isChanged = request.method === 'GET' && response.ok && applies(request)
    return isChanged ? Response.json(change(await response.json())) : response
  }

const leaking = (isSeen: (limit: string | null) => boolean): Quirks => ({
  leaks: (_, caller, url) => caller === tokens.other && isSeen(limitOf({ url })),
})

const hidingCreated = (nth: number): Quirks => {
  const created = new Set<unknown>()
  return { isVisible: (row) => [...created.add(row)].indexOf(row) !== nth - 1 }
}

const returningIdsFrom = (nth: number): Quirks => {
  let count = 0
  return { createBody: ({ fields: { id, name, tag } }) => (++count < nth ? { name, tag } : { id, name, tag }) }
}

const leavingOutOfLists = (length: number, index: number): Quirks => ({
  order: (rows) => (rows.length < length ? rows : rows.toSpliced(index, 1)),
})

const repeatingRefused: Gateway = (next) => {
  let isRefused = false
  return async (request) => {
    const response = await next(request)
    isRefused ||= response.status === 409
    if (request.method !== 'GET' || !response.ok || !isRefused) return response
    const [first, ...others]: unknown[] = await response.json()
    const isRoomy = limitOf(request) === null || Number(limitOf(request)) > others.length + 1
    return Response.json(first === undefined ? [] : isRoomy ? [first, ...others, first] : [first, ...others])
  }
}

const overlapping = (change: (requests: readonly Req[]) => readonly Req[]): Gateway => {
  let waiting: Req[] = []
  return (next) => async (request) => {
    if (request.method !== 'POST') return next(request)
    waiting.push(request)
    await new Promise(setImmediate)
    const batch = waiting
    if (batch.length > 0) {
      waiting = []
      for (const one of change(batch)) await next(one)
    }
    const { name, tag } = request.text.startsWith('{"id"') ? JSON.parse(request.text) : { name: '', tag: '' }
    return next({ ...request, method: 'GET' }).then((list) =>
      list.ok ? Response.json({ name, tag }, { status: 201 }) : list,
    )
  }
}

const literal = (text: string): unknown => ({ true: true, '12': 12, null: null })[text] ?? text

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

it.each<readonly [string, string, Quirks]>([
  ...[7, 13, 29, 31, 33, 50, 64, 99, 127].map(
    (limit) => [`returns a plant too many for limit=${limit}`, 'list.limit', exceeding(limit)] as const,
  ),
  [
    'ignores limits of the other caller',
    'list.limit',
    {
      gateway: (next) => async (request) =>
        next(authorization(request).endsWith('-other') ? withoutLimit(request) : request),
    },
  ],
  [
    'lists characters beyond U+FFFF as ?',
    'create.stored',
    changing((text) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?'), 'name'),
  ],
  ['lists tags without combining marks', 'create.stored', changing((text) => text.replace(/\p{M}/gu, ''), 'tag')],
  [
    'lists a name of digits as a number',
    'list.elements',
    changing((text) => (/^\d+$/.test(text) ? Number(text) : text), 'name'),
  ],
  [
    'lists a tag of digits as a number',
    'list.elements',
    changing((text) => (/^\d+$/.test(text) ? Number(text) : text), 'tag'),
  ],
  ['cuts names at 255 characters', 'create.stored', changing((text) => text.slice(0, 255), 'name')],
  ['cuts tags at 1,000 characters', 'create.stored', changing((text) => text.slice(0, 1_000), 'tag')],
  ['cuts tags at a line break', 'create.stored', changing((text) => text.replace(/\n.*/s, ''), 'tag')],
  ['stores line breaks of names as \\n', 'create.stored', changing((text) => text.replaceAll('\r', ''), 'name')],
  ['escapes quotes in names', 'create.stored', changing((text) => text.replaceAll("'", "\\'"), 'name')],
  ['shows quotes in tags as entities', 'create.stored', changing((text) => text.replaceAll('"', '&quot;'), 'tag')],
  ['unescapes backslashes in names', 'create.stored', changing((text) => text.replaceAll('\\n', '\n'), 'name')],
  ['lists names as JSON values', 'list.elements', changing(literal, 'name')],
  [
    'merges names that differ in case',
    'create.stored',
    {
      gateway: rewriting(
        () => true,
        (all) => all.filter((one, i) => !all.slice(0, i).some((other) => areTwins(one, other))),
      ),
    },
  ],
  ['lists the first plant twice after a refused duplicate', 'create.stored', { gateway: repeatingRefused }],
  [
    'fails for names with a quote',
    'create.succeeds',
    {
      gateway: instead(
        ({ text }) => /"name":"[^"]*'/.test(text),
        () => Response.json({}, { status: 500 }),
      ),
    },
  ],
  ['cuts names at 64 characters', 'create.stored', changing((text) => text.slice(0, 64), 'name')],
  ['cuts tags at 191 characters', 'create.stored', changing((text) => text.slice(0, 191), 'tag')],
  ['escapes names for HTML', 'create.stored', changing(escaped, 'name')],
  ['strips markup from tags', 'create.stored', changing((text) => text.replace(/<[^>]*>/g, ''), 'tag')],
  ['trims names at the start', 'create.stored', changing((text) => text.trimStart(), 'name')],
  ['trims tags at the start', 'create.stored', changing((text) => text.trimStart(), 'tag')],
  ['trims tags at the end', 'create.stored', changing((text) => text.trimEnd(), 'tag')],
  [
    'lists plants of equal name and tag once',
    'create.stored',
    {
      gateway: rewriting(
        () => true,
        (all) => [...new Map(all.map((one) => [JSON.stringify(one), one])).values()],
      ),
    },
  ],
  ['overwrites the plant of another caller that has the id', 'create.stored', overwriting()],
  ['needs no token for limit=0', 'auth.list', { gateway: admitting((request) => limitOf(request) === '0') }],
  ['needs no token for limit=100', 'auth.list', { gateway: admitting((request) => limitOf(request) === '100') }],
  [
    'creates with a scheme other than Bearer',
    'auth.create',
    { gateway: admitting((request) => request.method === 'POST' && authorization(request) !== '') },
  ],
  ['shows all plants to the other caller for limit=7', 'list.access', leaking((limit) => limit === '7')],
  [
    'shows the plants of the other caller to the first',
    'list.access',
    { leaks: (_, caller) => caller === tokens.caller },
  ],
  [
    'shows all plants to the other caller for limits from 50 to 900',
    'list.access',
    leaking((limit) => Number(limit) >= 50 && Number(limit) < 900),
  ],
  [
    'shows ids in lists of 50 plants or more',
    'list.elements',
    { initial: 60, listBody: (all) => (all.length < 50 ? all : all.map((one) => ({ ...Object(one), id: 1 }))) },
  ],
  [
    'returns objects for limits from 100 on',
    'list.array',
    {
      gateway: rewriting(
        (request) => Number(limitOf(request)) >= 100,
        (plants) => ({ plants }),
      ),
    },
  ],
  [
    'declares lists as text for limits from 20 on',
    'list.json',
    {
      gateway: (next) => async (request) => {
        const response = await next(request)
        if (response.ok && Number(limitOf(request)) >= 20) response.headers.set('content-type', 'text/plain')
        return response
      },
    },
  ],
  [
    'returns null for an empty list',
    'list.array',
    {
      initial: 3,
      gateway: rewriting(
        (request) => limitOf(request) === '0',
        () => null,
      ),
    },
  ],
  [
    'shows null for tags for limit=20',
    'list.elements',
    {
      initial: 30,
      gateway: rewriting(
        (request) => limitOf(request) === '20',
        (all) => all.map((one) => ({ ...one, tag: null })),
      ),
    },
  ],
])('a service that %s breaks %s, and no other rule', async (_, rule, quirks) => {
  expect(idsOf(await checked(quirks), 'failed')).toEqual([rule])
})

function areTwins(one: object, other: object): boolean {
  const [a, b] = [one, other].map((plant) => String(Object(plant).name))
  return a !== b && a?.toLowerCase() === b?.toLowerCase()
}

const withoutLimit = (request: Req): Req => ({ ...request, url: new URL('/plants', request.url) })

function overwriting(): Quirks {
  const taken = new Set<unknown>()
  return {
    isVisible: (row) => row.owner === tokens.other || !taken.has(row.fields.id),
    stored(fields) {
      if (taken.has(`${fields.id}`)) taken.add(fields.id)
      taken.add(`${fields.id}`)
      return fields
    },
    duplicates: 'drop',
    gateway: (next) => {
      const ids = new Set<unknown>()
      return async (request) => {
        const id: unknown = request.method === 'POST' ? /^\{"id":(\d+),/.exec(request.text)?.[1] : undefined
        const isRefused = id !== undefined && ids.has(id) && !authorization(request).endsWith('-other')
        if (isRefused) return Response.json({}, { status: 409 })
        const response = await next(request)
        if (response.ok) ids.add(id)
        return response
      }
    },
  }
}

const isText = (value: unknown, max = 250): value is string => typeof value === 'string' && value.length <= max

const accepting = (isValid: (name: unknown, tag: unknown) => boolean): Quirks => ({
  isValid: (plant) => {
    const { id, name, tag } = Object(plant) as Readonly<Record<string, unknown>>
    return Number.isSafeInteger(id) && isText(name) && isText(tag) && isValid(name, tag)
  },
})

const uniqueNames = (status: number): Quirks => ({
  gateway: (next) => {
    const names = new Set<unknown>()
    return async (request) => {
      const name = request.method === 'POST' ? /"name":("[^"]*")/.exec(request.text)?.[1] : undefined
      if (name !== undefined && names.has(name)) return Response.json({ error: 'taken' }, { status })
      const response = await next(request)
      if (response.ok) names.add(name)
      return response
    }
  },
})

const harmless: readonly (readonly [string, Quirks, Partial<ConformanceOptions>?])[] = [
  ['takes texts of 100 characters at most', accepting((name, tag) => isText(name, 100) && isText(tag, 100))],
  ['takes names of letters and spaces alone', accepting((name) => /^[\w -]+$/.test(String(name)))],
  ['takes one tag alone', accepting((_, tag) => tag === 'indoor'), { plant: { tag: 'indoor' } }],
  ['takes one name alone', accepting((name) => name === 'Fern'), { plant: { name: 'Fern' } }],
  ['refuses a second plant of a name with 409', uniqueNames(409)],
  ['refuses a second plant of a name with 422', uniqueNames(422)],
  ['shows each plant after two lists', { isVisible: (row, caller) => (row.lists.get(caller) ?? 0) >= 2 }],
  ['lists 10 plants at most', { limit: (values) => Math.min(strictLimit(values) ?? 10, 10) }],
  [
    'refuses limits over 20',
    { initial: 50, limit: (values) => (Number(values[0]) > 20 ? undefined : strictLimit(values)) },
  ],
]

it.each(harmless.map(([does, quirks, options]) => [does, { quirks, options }] as const))(
  'a service that %s breaks nothing',
  async (_, { quirks, options }) => {
    expect(objectionsIn(await checked(quirks, options))).toEqual([])
  },
)

it.each<readonly [string, string, (requests: readonly Req[]) => readonly Req[]]>([
  ['loses all but the last', 'create.stored', (requests) => requests.slice(-1)],
  ['loses the last', 'create.stored', (requests) => requests.slice(0, Math.max(1, requests.length - 1))],
  [
    'stores all for the last caller',
    'list.access',
    (requests) => requests.map((one) => ({ ...one, headers: requests.at(-1)?.headers ?? one.headers })),
  ],
])('a service that %s of creates sent at once breaks %s', async (_, rule, change) => {
  expect(idsOf(await checked({ gateway: overlapping(change), duplicates: 'accept' }), 'failed')).toContain(rule)
})

const filling = { skip: ['body.maxSize'] } as const

it.each<readonly [string, string, Quirks]>([
  [
    'returns one plant too many below its maximum alone',
    'list.limit',
    { limit: limitBy((limit) => Math.min(limit < 20 ? limit : limit + 1, 33)) },
  ],
  [
    'fails with 500 for limits from 30 to 900',
    'list.succeeds',
    {
      gateway: instead(
        (request) => Number(limitOf(request)) >= 30 && Number(limitOf(request)) < 900,
        () => Response.json({}, { status: 500 }),
      ),
    },
  ],
  ['returns ids from the twentieth create on', 'create.shape', returningIdsFrom(20)],
  ['never lists its fifteenth plant', 'create.stored', hidingCreated(15)],
  [
    'accepts lists with another scheme',
    'auth.list',
    {
      gateway: instead(
        (request) => request.method === 'GET' && authorization(request).startsWith('Basic'),
        () => Response.json([{ name: 'fern', tag: 'climber' }]),
      ),
    },
  ],
  ['never lists one of the plants that fill a list', 'create.stored', hidingCreated(72)],
  ['lists tags as JSON values', 'list.elements', changing(literal, 'tag')],
  [
    'shows plants to the other caller if their tag is true',
    'list.access',
    { leaks: ({ fields }) => fields.tag === 'true' },
  ],
  [
    'repeats a plant on the second page of a list',
    'create.stored',
    { order: (rows) => rows.toSpliced(25, 0, ...rows.slice(24, 25)) },
  ],
  ['forgets the oldest of more than 60 plants', 'create.stored', leavingOutOfLists(61, 0)],
  ['forgets a plant once there are more than 60', 'create.stored', leavingOutOfLists(61, 30)],
])('a service that %s breaks %s, as a check with many plants shows', async (_, rule, quirks) => {
  expect(idsOf(await checked(quirks, filling), 'failed')).toEqual([rule])
})

it('a service that never lists one plant is not said to lose the oldest', async () => {
  expect(renderConformance(await checked(hidingCreated(30), filling))).not.toContain('loses the oldest')
})
