import { type Ask, type Client, createAsk, listAsk, refused, type Seen, succeeded } from './client.ts'
import { isObject, namesIn, type Workbench } from './plants.ts'

/** What a rule or probe works with. */
export type Suite = {
  readonly client: Client
  readonly bench: Workbench
  /** Whether plants may be created. */
  readonly mayCreate: boolean
  /** Whether there is a second caller. */
  readonly hasOther: boolean
}

export type Verdict =
  | { readonly outcome: 'passed' }
  | { readonly outcome: 'failed'; readonly reason: string; readonly ask: Ask }
  | { readonly outcome: 'skipped'; readonly reason: string }

/** A statement of the contract that every service must keep. */
export type Rule = {
  readonly id: string
  /** The section of contract.md that states it; empty for robustness, which goes without saying. */
  readonly section: string
  readonly statement: string
  readonly needs: readonly ('create' | 'other')[]
  readonly check: (suite: Suite) => Promise<Verdict>
}

const passed: Verdict = { outcome: 'passed' }
const failed = ({ ask }: Seen, reason: string): Verdict => ({ outcome: 'failed', reason, ask })
const skipped = (reason: string): Verdict => ({ outcome: 'skipped', reason })
const expect = (seen: Seen, holds: boolean, reason: string): Verdict =>
  holds ? passed : failed(seen, reason)

/** The start of a body, for a message. */
const shown = (text: string): string =>
  text === '' ? 'nothing' : text.length > 80 ? `${text.slice(0, 79)}…` : text

const answered = (seen: Seen): string =>
  seen.status >= 300 && seen.status < 400
    ? `it redirects (${seen.status}) to ${seen.headers.get('location') ?? 'nowhere'}, which is not followed`
    : `the answer is ${seen.status}: ${shown(seen.text)}`

const isPlant = (value: unknown): boolean =>
  isObject(value) &&
  Object.keys(value).sort().join() === 'name,tag' &&
  typeof value.name === 'string' &&
  typeof value.tag === 'string'

const isJson = ({ headers }: Seen): boolean =>
  /^application\/json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

const bads: readonly (readonly [what: string, ask: Ask])[] = [
  ['half an object', createAsk('{"name":"x"')],
  ['an array', createAsk('[]')],
  ['null', createAsk('null')],
  ['wrong types', createAsk({ name: 1, id: 'x', tag: [] })],
  ['an object for a name', createAsk({ name: {}, id: {}, tag: {} })],
  ['a number that no double holds', createAsk('{"name":1,"id":1e999,"tag":2}')],
  ['deep nesting', createAsk(`${'['.repeat(2_000)}${']'.repeat(2_000)}`)],
  ['a body that is not UTF-16 text', createAsk('{"name":"\\ud800","id":"x","tag":1}')],
  ['a limit in words', listAsk('?limit=abc')],
  ['a negative limit', listAsk('?limit=-1')],
  ['a limit beyond 64 bits', listAsk('?limit=99999999999999999999999')],
  ['a limit with a broken escape', listAsk('?limit=%ZZ')],
  ['a token with spaces', { as: 'nobody', headers: { authorization: 'Bearer a b' } }],
  ['a scheme alone', { as: 'nobody', headers: { authorization: 'Bearer' } }],
  ['a long token', { as: 'nobody', headers: { authorization: `Bearer ${'x'.repeat(4_000)}` } }],
]

/** Every statement of the contract that can be seen from outside, in the order in which they are checked. */
export const rules: readonly Rule[] = [
  {
    id: 'list.succeeds',
    section: '4.2',
    statement: 'A caller with a bearer token can list plants.',
    needs: [],
    async check({ client }) {
      const seen = await client.send(listAsk())
      return expect(seen, succeeded(seen), answered(seen))
    },
  },
  {
    id: 'list.array',
    section: '4.2',
    statement: 'A list is a JSON array.',
    needs: [],
    async check({ client }) {
      const seen = await client.send(listAsk('?limit=100'))
      return expect(seen, Array.isArray(seen.json), `the body is ${shown(seen.text)}`)
    },
  },
  {
    id: 'list.elements',
    section: '2.2, 4.2',
    statement: 'Each element of a list has exactly name and tag, both strings.',
    needs: [],
    async check({ client, bench, mayCreate }) {
      if (mayCreate) await bench.first()
      const seen = await client.send(listAsk('?limit=100'))
      if (!Array.isArray(seen.json)) return skipped('there is no list to look at')
      if (seen.json.length === 0) return skipped('the list is empty')
      const wrong = seen.json.findIndex((plant) => !isPlant(plant))
      return expect(
        seen,
        wrong === -1,
        `element ${wrong} is ${shown(String(JSON.stringify(seen.json[wrong])))}`,
      )
    },
  },
  {
    id: 'list.json',
    section: '1',
    statement: 'The body of a list is declared as JSON.',
    needs: [],
    async check({ client }) {
      const seen = await client.send(listAsk('?limit=1'))
      if (!succeeded(seen)) return skipped('no list succeeds')
      return expect(seen, isJson(seen), `Content-Type is ${seen.headers.get('content-type') ?? 'missing'}`)
    },
  },
  {
    id: 'list.limit',
    section: '4.2, 8',
    statement: 'A list never holds more plants than limit.',
    needs: [],
    async check({ client, bench, mayCreate }) {
      if (mayCreate && (await bench.names()).names.length < 3) for (const _ of [1, 2, 3]) await bench.create()
      for (const limit of [1, 2, 0]) {
        const seen = await client.send(listAsk(`?limit=${limit}`))
        if (!succeeded(seen) && limit === 0) continue
        if (!succeeded(seen)) return failed(seen, answered(seen))
        if (namesIn(seen).length > limit)
          return failed(seen, `limit=${limit} returned ${namesIn(seen).length} plants`)
      }
      return passed
    },
  },
  {
    id: 'create.succeeds',
    section: '4.1',
    statement: 'A caller with a bearer token can add a plant.',
    needs: ['create'],
    async check({ bench }) {
      const { seen } = await bench.first()
      return expect(seen, succeeded(seen), answered(seen))
    },
  },
  {
    id: 'create.shape',
    section: '2.1, 4.1',
    statement: 'A create answers with exactly name and tag, as they were sent.',
    needs: ['create'],
    async check({ bench }) {
      const { plant, seen } = await bench.first()
      if (!succeeded(seen)) return skipped('no create succeeds')
      const same =
        isPlant(seen.json) &&
        isObject(seen.json) &&
        seen.json.name === plant.name &&
        seen.json.tag === plant.tag
      return expect(seen, same, `the body is ${shown(seen.text)}`)
    },
  },
  {
    id: 'create.json',
    section: '1',
    statement: 'The body of a create is declared as JSON.',
    needs: ['create'],
    async check({ bench }) {
      const { seen } = await bench.first()
      if (!succeeded(seen)) return skipped('no create succeeds')
      return expect(seen, isJson(seen), `Content-Type is ${seen.headers.get('content-type') ?? 'missing'}`)
    },
  },
  {
    id: 'create.stored',
    section: '4.1',
    statement: 'A created plant is in the store: its creator can list it.',
    needs: ['create'],
    async check({ bench }) {
      const { plant, seen: creating } = await bench.first()
      if (!succeeded(creating)) return skipped('no create succeeds')
      const { names, seen } = await bench.names(plant.name)
      if (names.includes(plant.name)) return passed
      if (names.length >= 100) return skipped('the list is full before the plant comes')
      return failed(seen, `"${plant.name}" is not among the ${names.length} plants listed`)
    },
  },
  {
    id: 'list.access',
    section: '4.2, 5',
    statement: 'A list returns only plants that the caller may access: not what another caller added.',
    needs: ['create', 'other'],
    async check({ client, bench }) {
      const { plant, seen: creating } = await bench.first()
      if (!succeeded(creating)) return skipped('no create succeeds')
      const seen = await client.send(listAsk('?limit=100', 'other'))
      if (!succeeded(seen)) return failed(seen, answered(seen))
      return expect(seen, !namesIn(seen).includes(plant.name), `the other caller sees "${plant.name}"`)
    },
  },
  {
    id: 'auth.list',
    section: '4, 5',
    statement: 'A list needs a bearer token.',
    needs: [],
    async check({ client }) {
      const seen = await client.send(listAsk('', 'nobody'))
      return expect(seen, !succeeded(seen), `without a token ${answered(seen)}`)
    },
  },
  {
    id: 'auth.create',
    section: '4, 5',
    statement: 'A create needs a bearer token, and adds nothing without one.',
    needs: ['create'],
    async check({ client, bench }) {
      const plant = bench.fresh()
      const seen = await client.send(createAsk(plant, { as: 'nobody' }))
      if (succeeded(seen)) return failed(seen, `without a token ${answered(seen)}`)
      const { names } = await bench.names()
      return expect(seen, !names.includes(plant.name), 'it was refused, but the plant is in the store')
    },
  },
  {
    id: 'robust.input',
    section: '',
    statement: 'No bad input is answered with a server error.',
    needs: [],
    async check({ client }) {
      for (const [what, ask] of bads) {
        const seen = await client.send(ask)
        if (seen.status >= 500) return failed(seen, `${what}: ${answered(seen)}`)
      }
      return passed
    },
  },
  {
    id: 'robust.refusal',
    section: '2',
    statement: 'A create whose fields have the wrong types is refused.',
    needs: [],
    async check({ client }) {
      const seen = await client.send(createAsk({ name: 1, id: 'x', tag: [] }))
      return expect(seen, refused(seen), answered(seen))
    },
  },
]
