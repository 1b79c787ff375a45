import type { AssumptionId, AssumptionValue } from '../contract/assumptions.ts'
import { createAsk, listAsk, refused, type Seen, succeeded } from './client.ts'
import { isObject, namesIn } from './plants.ts'
import type { Suite } from './rules.ts'

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
const unseen = (reason: string): Finding => ({ unseen: reason })

/** One value when it succeeds, another when it is refused. */
const either = (seen: Seen, yes: AssumptionValue, no: AssumptionValue): Finding =>
  succeeded(seen) ? { value: yes } : refused(seen) ? { value: no } : answered(seen)

const wrongTypes = { name: 1, id: 'x', tag: [] }
const namedStatus = (seen: Seen, ...known: readonly number[]): Finding =>
  known.includes(seen.status) ? { value: seen.status } : answered(seen)

/** How many plants must be in a list before the largest limits show. */
const crowd = 101

/**
 * Creates plants until a list is longer than every limit in the register, or stops growing.
 * Two lists in a row with one length mean that nothing is on its way any more.
 */
const fill = async ({ client, bench }: Suite): Promise<{ readonly capped: boolean; readonly seen: Seen }> => {
  const list = () => client.send(listAsk(`?limit=${crowd}`))
  await list()
  let seen = await list()
  // A service that refuses large limits shows its length at the largest that it takes.
  const limit = succeeded(seen) ? crowd : 100
  if (limit === 100) {
    const { seen: allowed } = await bench.names()
    seen = allowed
  }
  for (let missing = limit - namesIn(seen).length; missing > 0; missing--) {
    const { seen: creating } = await bench.create()
    if (!succeeded(creating)) break
  }
  if (limit === 100) await bench.create()
  await list()
  return { capped: limit === 100, seen: limit === 100 ? (await bench.names()).seen : await list() }
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
      const { headers } = await client.send(listAsk('?limit=1'))
      const type = headers.get('content-type') ?? 'missing'
      if (type === 'application/json') return { value: 'bare' }
      if (/^application\/json; ?charset="?utf-8"?$/i.test(type)) return { value: 'charset' }
      return { other: `it is ${type}` }
    },
  },
  {
    id: 'auth.status',
    creates: false,
    find: async ({ client }) => namedStatus(await client.send(listAsk('', 'nobody')), 401, 403),
  },
  {
    id: 'auth.tokens',
    creates: false,
    find: async ({ client }) => either(await client.send(listAsk('?limit=1', 'stranger')), 'any', 'listed'),
  },
  {
    id: 'error.body',
    creates: false,
    async find({ client }) {
      const seen = await client.send(listAsk('', 'nobody'))
      if (!refused(seen)) return answered(seen)
      const type = seen.headers.get('content-type') ?? ''
      if (seen.text === '') return { value: 'empty' }
      if (type.startsWith('application/problem+json')) return { value: 'problem' }
      if (isObject(seen.json) && Object.keys(seen.json).sort().join() === 'error,message')
        return { value: 'json' }
      if (type.startsWith('text/plain')) return { value: 'text' }
      return { other: `it is ${type || 'of no declared type'}: ${seen.text.slice(0, 60)}` }
    },
  },
  {
    id: 'error.invalidStatus',
    creates: false,
    find: async ({ client }) => namedStatus(await client.send(createAsk(wrongTypes)), 400, 422),
  },
  {
    id: 'operation.other',
    creates: false,
    // PROPFIND changes nothing anywhere (RFC 4918, 9.1), which PUT, PATCH or DELETE might.
    find: async ({ client }) => namedStatus(await client.send({ method: 'PROPFIND' }), 405, 404),
  },
  {
    id: 'body.maxSize',
    creates: false,
    // The body is refused for its types in any case, so that nothing is created.
    async find({ client }) {
      const padded = (size: number) => createAsk({ ...wrongTypes, padding: 'x'.repeat(size) })
      const small = await client.send(padded(16 * 1024))
      if (small.status === 413) return { value: '16KiB' }
      const large = await client.send(padded(1024 * 1024))
      return large.status === 413
        ? { value: '1MiB' }
        : { other: `a body of 1 MiB is answered ${large.status}` }
    },
  },
  {
    id: 'list.zeroLimit',
    creates: false,
    async find({ client }) {
      const seen = await client.send(listAsk('?limit=0'))
      if (succeeded(seen) && namesIn(seen).length > 0)
        return { other: `it returns ${namesIn(seen).length} plants` }
      return either(seen, 'empty', 'reject')
    },
  },
  {
    id: 'list.invalidLimit',
    creates: false,
    async find({ client }) {
      const findings = [await client.send(listAsk('?limit=-1')), await client.send(listAsk('?limit=abc'))]
      if (findings.every(refused)) return { value: 'reject' }
      if (findings.every(succeeded)) return { value: 'ignore' }
      return { other: `-1 is answered ${findings[0]?.status}, and abc ${findings[1]?.status}` }
    },
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
      const [name, tag] = [seen.text.indexOf('"name"'), seen.text.indexOf('"tag"')]
      if (!succeeded(seen) || name === -1 || tag === -1) return unseen('no create answered with both keys')
      return { value: name < tag ? 'name-tag' : 'tag-name' }
    },
  },
  {
    id: 'create.contentType',
    creates: true,
    find: async ({ client, bench }) =>
      either(await client.send(createAsk(bench.fresh(), { headers: {} })), 'ignore', 'require'),
  },
  {
    id: 'create.unknownFields',
    creates: true,
    find: async ({ client, bench }) =>
      either(await client.send(createAsk({ ...bench.fresh(), colour: 'green' })), 'ignore', 'reject'),
  },
  {
    id: 'create.emptyStrings',
    creates: true,
    find: async ({ client, bench }) =>
      either(await client.send(createAsk({ ...bench.fresh(), tag: '' })), 'accept', 'reject'),
  },
  {
    id: 'create.required',
    creates: true,
    async find({ client, bench }) {
      const { id, name } = bench.fresh()
      const bodies = [{ id, name }, { name: bench.fresh().name }, {}] as const
      const values = ['name+id+tag', 'name+id', 'name', 'none'] as const
      for (const [i, body] of bodies.entries()) {
        const seen = await client.send(createAsk(body))
        if (refused(seen)) return { value: values[i] ?? 'none' }
        if (!succeeded(seen)) return answered(seen)
      }
      return { value: 'none' }
    },
  },
  {
    id: 'create.visibility',
    creates: true,
    async find({ client, bench }) {
      const { plant, seen } = await bench.create()
      if (!succeeded(seen)) return unseen('no create succeeds')
      const listed = async () => namesIn(await client.send(listAsk('?limit=100')))
      const first = await listed()
      if (first.includes(plant.name)) return { value: 'immediate' }
      if ((await bench.names(plant.name)).names.includes(plant.name)) return { value: 'eventual' }
      return first.length >= 100
        ? unseen('the list is full before the plant comes')
        : { other: 'it does not appear' }
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
      const { names } = await bench.names(second.name)
      if (!names.includes(second.name)) return unseen('the second plant is not in the list')
      return { value: names.includes(plant.name) ? 'accept' : 'replace' }
    },
  },
  {
    id: 'list.order',
    creates: true,
    async find({ bench }) {
      while (bench.created.length < 6)
        if (!succeeded((await bench.create()).seen)) return unseen('no create succeeds')
      await bench.names()
      const lists: string[][] = []
      for (let i = 0; i < 3; i++) {
        const { names } = await bench.names()
        lists.push(names.filter((name) => bench.created.includes(name)))
      }
      const [first = []] = lists
      if (first.length < 3) return unseen('too few of the created plants are in the list')
      if (lists.some((list) => list.join() !== first.join())) return { value: 'shuffled' }
      const shown = bench.created.filter((name) => first.includes(name))
      if (first.join() === shown.join()) return { value: 'added' }
      if (first.join() === shown.toReversed().join()) return { value: 'newest' }
      return first.join() === shown.toSorted().join()
        ? { value: 'name' }
        : { other: 'always the same, by no order known here' }
    },
  },
  {
    id: 'list.maxLimit',
    creates: true,
    async find(suite) {
      const { capped, seen } = await fill(suite)
      if (capped) return { value: 'reject' }
      if (!succeeded(seen)) return answered(seen)
      const { length } = namesIn(seen)
      if (length === crowd) return { value: 'none' }
      return length === 100 ? { value: 'clamp' } : { other: `limit=${crowd} returns ${length}` }
    },
  },
  {
    id: 'list.defaultLimit',
    creates: true,
    async find({ client }) {
      const { length: most } = namesIn(await client.send(listAsk(`?limit=${crowd}`)))
      const seen = await client.send(listAsk())
      if (!succeeded(seen)) return answered(seen)
      const { length } = namesIn(seen)
      if (length > 100) return { value: 'none' }
      if (length === 10 || length === 20) return { value: length }
      if (length === 100)
        return most === 100 ? unseen('no list holds more than 100 plants in any case') : { value: 100 }
      return { other: `it returns ${length}` }
    },
  },
  {
    id: 'rate.limit',
    creates: false,
    // Looks at every request of the caller so far: no need to send more than the few that are missing.
    async find({ client }) {
      while (client.limited.length < 20) await client.send(listAsk('?limit=1'))
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
