import type { AssumptionId, AssumptionValue } from '../assumptions/registry.ts'
import type { NewPlant } from '../contract/schemas.ts'
import { type Ask, createAsk, listAsk, NoVerdictError, refused, type Seen, succeeded } from './client.ts'
import type { Suite } from './rules.ts'
import { isObject, lengthOf } from './sample-plants.ts'

/** What a probe found out: one of the register's values, something else, or nothing and why. */
export type Finding =
  | { readonly value: AssumptionValue }
  | { readonly other: string }
  | { readonly unseen: string }

/** A procedure that finds out what a target does at one open point. */
export type Probe = {
  readonly id: AssumptionId
  /** Whether it creates plants; it is left out when none may be. */
  readonly creates: boolean
  readonly find: (suite: Suite) => Promise<Finding>
}

const answered = ({ status }: Seen): Finding => ({ other: `it answers ${status}` })
const plural = (plants: number): string => `${plants} ${plants === 1 ? 'plant' : 'plants'}`
const unseen = (reason: string): Finding => ({ unseen: reason })

/** One value when it succeeds, another when it is refused. */
const either = (seen: Seen, yes: AssumptionValue, no: AssumptionValue): Finding =>
  succeeded(seen) ? { value: yes } : refused(seen) ? { value: no } : answered(seen)

const namedStatus = (seen: Seen, ...known: readonly number[]): Finding =>
  known.includes(seen.status) ? { value: seen.status } : answered(seen)

/** The value that all of several asks show, if the register knows it; otherwise what each of them shows. */
const agreed = (
  seen: readonly (readonly [what: string, shows: AssumptionValue])[],
  ...known: readonly AssumptionValue[]
): Finding => {
  const [[, first] = ['', '']] = seen
  if (seen.some(([, shows]) => shows !== first))
    return { other: seen.map(([what, shows]) => `${what}: ${shows}`).join('; ') }
  return known.includes(first) ? { value: first } : { other: String(first) }
}

/** What one value of a point does to a request: another when it is refused, and the status when it is neither. */
const shows = (seen: Seen, yes: string, no: string): string =>
  succeeded(seen) ? yes : refused(seen) ? no : `it answers ${seen.status}`

/** The largest bodies that the values of `body.maxSize` let pass, in bytes. */
const sizes = [
  [16 * 1024, '16KiB'],
  [1024 * 1024, '1MiB'],
] as const

const formOf = ({ headers, text, json, hide }: Seen): string => {
  const type = headers.get('content-type') ?? ''
  if (text === '') return 'empty'
  if (type.startsWith('application/problem+json')) return 'problem'
  if (isObject(json) && Object.keys(json).sort().join() === 'error,message') return 'json'
  if (type.startsWith('text/plain')) return 'text'
  const fields = isObject(json) ? ` with ${Object.keys(json).join(', ')}` : ''
  return `${type || 'no declared type'}${hide(fields)}`
}

type Find = Probe['find']

/** A refusal says something only where a list, or a create, without fault is not refused. */
const whereListed =
  (find: Find): Find =>
  async (suite) =>
    succeeded(await suite.client.send(listAsk('?limit=1'))) ? find(suite) : unseen('no list succeeds')

const whereCreated =
  (find: Find): Find =>
  async (suite) =>
    succeeded((await suite.bench.first()).seen) ? find(suite) : unseen('no create succeeds')

const orderNames = ['added', 'newest', 'name', 'by id', 'by id, largest first'] as const

/** The names of plants, given as they were added, in each of these orders. */
const ordersOf = (plants: readonly NewPlant[]): readonly (readonly string[])[] => {
  const names = plants.map(({ name }) => name)
  const byId = plants.toSorted((a, b) => a.id - b.id).map(({ name }) => name)
  return [names, names.toReversed(), names.toSorted(), byId, byId.toReversed()]
}

/** The procedures, in an order in which each finds what it needs: the ones that crowd the store come last. */
export const probes: readonly Probe[] = [
  {
    id: 'list.status',
    creates: false,
    find: async ({ client }) => namedStatus(await client.send(listAsk('?limit=1')), 200),
  },
  {
    id: 'json.contentType',
    creates: false,
    async find({ client }) {
      const seen = await client.send(listAsk('?limit=1'))
      if (!succeeded(seen)) return unseen('no list succeeds')
      const type = seen.headers.get('content-type') ?? 'missing'
      if (type === 'application/json') return { value: 'bare' }
      if (/^application\/json; ?charset="?utf-8"?$/i.test(type)) return { value: 'charset' }
      return { other: `it is ${type}` }
    },
  },
  {
    id: 'auth.status',
    creates: false,
    find: async ({ client }) => namedStatus(await client.send(listAsk('?limit=1', 'nobody')), 401, 403),
  },
  {
    id: 'auth.tokens',
    creates: false,
    find: whereListed(async ({ client }) =>
      either(await client.send(listAsk('?limit=1', 'stranger')), 'any', 'listed'),
    ),
  },
  {
    id: 'error.body',
    creates: false,
    // Two failures: what checks tokens is often another program than what answers.
    async find({ client }) {
      const failures = [
        ['without a token', await client.send(listAsk('?limit=1', 'nobody'))],
        ['for a bad limit', await client.send(listAsk('?limit=abc'))],
      ] as const
      const seen = failures.filter(([, failure]) => refused(failure))
      if (seen.length === 0) return unseen('nothing bad is refused')
      return agreed(
        seen.map(([what, failure]) => [what, formOf(failure)]),
        ...['problem', 'json', 'text', 'empty'],
      )
    },
  },
  {
    id: 'error.invalidStatus',
    creates: false,
    async find({ client, bench, mayCreate }) {
      const asks: readonly (readonly [what: string, ask: Ask])[] = [
        ['wrong types', createAsk(bench.wrong())],
        ['half an object', createAsk('{"name":"x"')],
        ['a bad limit', listAsk('?limit=abc')],
      ]
      const statuses: (readonly [string, number])[] = []
      for (const [what, ask] of asks) {
        if (ask.method === 'POST' && !mayCreate) continue
        const seen = await client.send(ask)
        if (refused(seen)) statuses.push([what, seen.status])
      }
      return statuses.length === 0 ? unseen('nothing bad is refused') : agreed(statuses, 400, 422)
    },
  },
  {
    id: 'operation.other',
    creates: false,
    // PROPFIND changes nothing anywhere (RFC 4918, 9.1), which PUT, PATCH or DELETE might.
    find: async ({ client }) => namedStatus(await client.send({ method: 'PROPFIND' }), 405, 404),
  },
  {
    id: 'body.maxSize',
    creates: true,
    // The body is refused for its types in any case, so that nothing is created.
    async find({ client, bench }) {
      const send = (size: number) => {
        const body = { ...bench.wrong(), padding: '' }
        return client.send(createAsk({ ...body, padding: 'x'.repeat(size - JSON.stringify(body).length) }))
      }
      let passes = ''
      for (const [size, value] of sizes) {
        const over = await send(size + 1)
        if (succeeded(over)) return unseen('a create with wrong types is accepted, so no larger one was sent')
        if (over.status === 413)
          return (await send(size)).status === 413 ? { other: `under ${value}${passes}` } : { value }
        passes = `, over ${value}`
      }
      return { other: 'a body over 1 MiB is not answered 413' }
    },
  },
  {
    id: 'list.zeroLimit',
    creates: false,
    find: whereListed(async ({ client, bench, mayCreate }) => {
      if (mayCreate) await bench.listWith((await bench.first()).plant.name)
      const seen = await client.send(listAsk('?limit=0'))
      if (lengthOf(seen) > 0) return { other: `it returns ${plural(lengthOf(seen))}` }
      if (succeeded(seen) && (await bench.list()).length === 0)
        return unseen('there are no plants, so every list is empty')
      return either(seen, 'empty', 'reject')
    }),
  },
  {
    id: 'create.status',
    creates: true,
    find: async ({ bench }) => namedStatus((await bench.first()).seen, 201, 200),
  },
  {
    id: 'json.keyOrder',
    creates: true,
    async find({ bench }) {
      const { seen } = await bench.first()
      const keys = isObject(seen.json) ? Object.keys(seen.json) : []
      const [name, tag] = [keys.indexOf('name'), keys.indexOf('tag')]
      if (!succeeded(seen) || name === -1 || tag === -1) return unseen('no create answered with both keys')
      return { value: name < tag ? 'name-tag' : 'tag-name' }
    },
  },
  {
    id: 'create.contentType',
    creates: true,
    find: whereCreated(async ({ client, bench }) => {
      const seen = await client.send(createAsk(bench.fresh(), { headers: {} }))
      if (succeeded(seen)) return { value: 'ignore' }
      return seen.status === 415 ? { value: 'require' } : answered(seen)
    }),
  },
  {
    id: 'create.unknownFields',
    creates: true,
    find: whereCreated(async ({ client, bench }) =>
      either(await client.send(createAsk({ ...bench.fresh(), colour: 'green' })), 'ignore', 'reject'),
    ),
  },
  {
    id: 'create.emptyStrings',
    creates: true,
    find: whereCreated(async ({ client, bench }) => {
      const tag = await client.send(createAsk({ ...bench.fresh(), tag: '' }))
      const name = await client.send(createAsk({ ...bench.fresh(), name: '' }))
      return agreed(
        [
          ['an empty tag', shows(tag, 'accept', 'reject')],
          ['an empty name', shows(name, 'accept', 'reject')],
        ],
        ...['accept', 'reject'],
      )
    }),
  },
  {
    id: 'create.required',
    creates: true,
    find: whereCreated(async ({ client, bench }) => {
      const required: string[] = []
      for (const field of ['name', 'id', 'tag'] as const) {
        const { [field]: _, ...others } = bench.fresh()
        const seen = await client.send(createAsk(others))
        if (refused(seen)) required.push(field)
        else if (!succeeded(seen)) return answered(seen)
      }
      const value = required.join('+') || 'none'
      return ['name+id+tag', 'name+id', 'name', 'none'].includes(value)
        ? { value }
        : { other: `it needs ${required.join(' and ')}` }
    }),
  },
  {
    id: 'create.visibility',
    creates: true,
    async find({ bench }) {
      await bench.list()
      const { plant, seen } = await bench.create()
      if (!succeeded(seen)) return unseen('no create succeeds')
      if ((await bench.list()).names.includes(plant.name)) return { value: 'immediate' }
      const later = await bench.listWith(plant.name)
      if (await bench.mayBeCut(later)) return unseen(`the list may have been cut at ${later.length} plants`)
      return later.names.includes(plant.name) ? { value: 'eventual' } : { other: 'it does not appear' }
    },
  },
  {
    id: 'create.duplicateId',
    creates: true,
    async find({ client, bench }) {
      const { plant, seen } = await bench.create()
      if (!succeeded(seen)) return unseen('no create succeeds')
      const second = { ...plant, name: bench.fresh().name }
      const again = await client.send(createAsk(second))
      if (again.status === 409) return { value: 'conflict' }
      if (!succeeded(again)) return answered(again)
      const list = await bench.listWith(second.name)
      const { names, length } = list
      const [isOld, isNew] = [names.includes(plant.name), names.includes(second.name)]
      if (isOld && isNew) return { value: 'accept' }
      if (await bench.mayBeCut(list)) return unseen(`the list may have been cut at ${length} plants`)
      if (isNew) return { value: 'replace' }
      return isOld
        ? { other: `it is answered ${again.status}, and the first plant stays as it was` }
        : unseen('neither of the two plants is in the list')
    },
  },
  {
    id: 'list.order',
    creates: true,
    async find({ bench }) {
      // As many as make the orders differ.
      while (bench.created.length < 6 || new Set(ordersOf(bench.created).map(String)).size < 5)
        if (!succeeded((await bench.create()).seen)) return unseen('no create succeeds')
      await bench.list()
      const isOurs = new Set(bench.created.map(({ name }) => name))
      const lists: string[][] = []
      for (let i = 0; i < 3; i++) lists.push((await bench.list()).names.filter((name) => isOurs.has(name)))
      const [first = []] = lists
      if (first.length < 3) return unseen('too few of the created plants are in the list')
      if (lists.some((list) => list.join() !== first.join())) return { value: 'shuffled' }
      const shown = bench.created.filter(({ name }) => first.includes(name))
      const matching = orderNames.filter((_, i) => String(ordersOf(shown)[i]) === first.join())
      const [order = 'always the same, by no order known here', another] = matching
      if (another !== undefined) return unseen(`it may be ${matching.join(' or ')}: here they are the same`)
      return ['added', 'newest', 'name'].includes(order) ? { value: order } : { other: order }
    },
  },
  {
    id: 'list.invalidLimit',
    creates: false,
    find: whereListed(async ({ client }) => {
      const usual = async () => lengthOf(await client.send(listAsk()))
      await usual()
      const seen: (readonly [string, string])[] = []
      for (const query of ['limit=-1', 'limit=abc', 'limit=1.5', 'limit=1&limit=2']) {
        const answer = await client.send(listAsk(`?${query}`))
        const length = lengthOf(answer)
        const isIgnored = succeeded(answer) && length === (await usual())
        // A list of one may be that of limit=1.
        if (isIgnored && length < 3) return unseen('there are too few plants to tell')
        seen.push([query, shows(answer, isIgnored ? 'ignore' : `it returns ${plural(length)}`, 'reject')])
      }
      return agreed(seen, 'reject', 'ignore')
    }),
  },
  {
    id: 'list.maxLimit',
    creates: false,
    find: whereListed(async ({ client, bench }) => {
      const { over, plants, cutAt } = await bench.crowd()
      if (refused(over)) {
        const atMost = await client.send(listAsk('?limit=100'))
        return succeeded(atMost) ? { value: 'reject' } : { other: 'a limit of 100 is refused too' }
      }
      if (!succeeded(over)) return answered(over)
      if (!Array.isArray(over.json)) return unseen('there is no list to look at')
      if (cutAt === 100) return { value: 'clamp' }
      if (cutAt !== undefined) return { other: `lists grow no longer than ${plural(cutAt)}` }
      if (lengthOf(over) > 101) return { other: `limit=101 returns ${plural(lengthOf(over))}` }
      return plants === 101 ? { value: 'none' } : unseen(`there are only ${plural(plants)}`)
    }),
  },
  {
    id: 'list.defaultLimit',
    creates: false,
    async find({ client, bench }) {
      const { plants, cutAt } = await bench.crowd()
      const seen = await client.send(listAsk())
      if (!succeeded(seen)) return answered(seen)
      if (!Array.isArray(seen.json)) return unseen('there is no list to look at')
      const length = lengthOf(seen)
      if (length > 100) return { value: 'none' }
      if (length === cutAt) return unseen(`no list holds more than ${cutAt} plants in any case`)
      if (length >= plants) return unseen(`there are only ${plural(length)}`)
      return [10, 20, 100].includes(length) ? { value: length } : { other: `it returns ${plural(length)}` }
    },
  },
  {
    id: 'rate.limit',
    creates: false,
    // Looks at every request of the caller so far: no need to send more than the few that are missing.
    async find({ client }) {
      try {
        while (client.limited.length < 20) await client.send(listAsk('?limit=1'))
      } catch (error) {
        if (!(error instanceof NoVerdictError && client.limited.includes(true))) throw error
      }
      const at = client.limited.flatMap((limited, i) => (limited ? [i + 1] : []))
      if (at.length === 0) return { value: 'none' }
      const [first = 0] = at
      const everyTenth = at.every((number, i) => number === first + 10 * i) && first <= 10
      return everyTenth
        ? { value: 'every-tenth' }
        : { other: `${at.length} of ${client.limited.length} requests were answered 429` }
    },
  },
]
