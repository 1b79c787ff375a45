import type { NewPlant, Plant } from '../contract/schemas.ts'
import { type Ask, type Client, createAsk, listAsk, refused, type Seen, succeeded } from './client.ts'
import { isObject, lengthOf, namePrefix, type Workbench } from './sample-plants.ts'

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

const isPlant = (value: unknown): value is Plant =>
  isObject(value) &&
  Object.keys(value).sort().join() === 'name,tag' &&
  typeof value.name === 'string' &&
  typeof value.tag === 'string'

/** RFC 6839, 3.1: a type that ends in +json is JSON too. */
const isJson = ({ headers }: Seen): boolean =>
  /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers.get('content-type') ?? '')

const bads: readonly (readonly [what: string, ask: Ask])[] = [
  ['half an object', createAsk('{"name":"x"')],
  ['an array', createAsk('[]')],
  ['null', createAsk('null')],
  ['wrong types', createAsk({ name: 1, id: namePrefix, tag: [] })],
  ['an object for a name', createAsk({ name: {}, id: {}, tag: { name: namePrefix } })],
  ['a number that no double holds', createAsk('{"name":1,"id":1e999,"tag":2}')],
  ['deep nesting', createAsk(`${'['.repeat(2_000)}${']'.repeat(2_000)}`)],
  ['a body that is not UTF-16 text', createAsk('{"name":"\\ud800","id":"x","tag":1}')],
  ['a limit in words', listAsk('?limit=abc')],
  ['a negative limit', listAsk('?limit=-1')],
  ['a limit beyond 64 bits', listAsk('?limit=99999999999999999999999')],
  ['a limit with a broken escape', listAsk('?limit=%ZZ')],
  ['no token', listAsk('?limit=1', 'nobody')],
  ['a token with spaces', { as: 'nobody', headers: { authorization: 'Bearer a b' } }],
  ['a scheme alone', { as: 'nobody', headers: { authorization: 'Bearer' } }],
  ['a long token', { as: 'nobody', headers: { authorization: `Bearer ${'x'.repeat(4_000)}` } }],
]

const typeOf = ({ headers }: Seen): string => `Content-Type is ${headers.get('content-type') ?? 'missing'}`

/** Every statement of the contract that can be seen from outside, in the order in which they are checked. */
export const rules: readonly Rule[] = [
  {
    id: 'list.succeeds',
    section: '4.2',
    statement: 'A caller with a bearer token can list plants.',
    needs: [],
    async check({ client }) {
      // With limit: whether a list may go without is not stated.
      const seen = await client.send(listAsk('?limit=1'))
      return expect(seen, succeeded(seen), answered(seen))
    },
  },
  {
    id: 'list.array',
    section: '4.2',
    statement: 'A list is a JSON array.',
    needs: [],
    async check({ bench }) {
      const { seen } = await bench.list()
      if (!succeeded(seen)) return skipped('no list succeeds')
      return expect(seen, Array.isArray(seen.json), `the body is ${shown(seen.text)}`)
    },
  },
  {
    id: 'list.elements',
    section: '2.2, 4.2',
    statement: 'Each element of a list has exactly name and tag, both strings.',
    needs: [],
    async check({ bench, mayCreate }) {
      if (mayCreate) await bench.first()
      const { seen } = await bench.list()
      if (!succeeded(seen) || !Array.isArray(seen.json)) return skipped('there is no list to look at')
      if (seen.json.length === 0) return skipped('the list is empty')
      const wrong = seen.json.findIndex((plant) => !isPlant(plant))
      const element = seen.hide(String(JSON.stringify(seen.json[wrong])))
      return expect(seen, wrong === -1, `element ${wrong} is ${shown(element)}`)
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
      return expect(seen, isJson(seen), typeOf(seen))
    },
  },
  {
    id: 'list.limit',
    section: '4.2, 8',
    statement: 'A list never holds more plants than limit.',
    needs: [],
    async check({ client, bench, mayCreate }) {
      if (mayCreate && (await bench.list()).length < 3) {
        for (const _ of [1, 2]) await bench.create()
        const { plant } = await bench.create()
        await bench.listWith(plant.name)
      }
      const { seen: all, length } = await bench.list()
      if (!succeeded(all) || !Array.isArray(all.json)) return skipped('there is no list to look at')
      if (length < 2) return skipped('there are fewer than two plants to list')
      for (const limit of [1, 2, 0]) {
        const seen = await client.send(listAsk(`?limit=${limit}`))
        if (!succeeded(seen) && limit === 0) continue
        if (!succeeded(seen)) return failed(seen, answered(seen))
        if (lengthOf(seen) > limit) return failed(seen, `limit=${limit} returned ${lengthOf(seen)} plants`)
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
      return expect(seen, isPlant(seen.json) && isSame(seen.json, plant), `the body is ${shown(seen.text)}`)
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
      return expect(seen, isJson(seen), typeOf(seen))
    },
  },
  {
    id: 'create.stored',
    section: '4.1',
    statement: 'A created plant is in the store, with its name and tag: its creator can list it.',
    needs: ['create'],
    async check({ bench }) {
      const { plant, seen: creating } = await bench.first()
      if (!succeeded(creating)) return skipped('no create succeeds')
      const list = await bench.listWith(plant.name)
      const { names, length, seen } = list
      if (!succeeded(seen) || !Array.isArray(seen.json)) return skipped('there is no list to look at')
      if (names.includes(plant.name)) {
        const found = seen.json.find((element) => isObject(element) && element.name === plant.name) as object
        const isAsSent = !('tag' in found) || typeof found.tag !== 'string' || isSame(found, plant)
        return expect(
          seen,
          isAsSent,
          `it was created with the tag "${plant.tag}", and is ${shown(JSON.stringify(found))}`,
        )
      }
      if (await bench.mayBeCut(list)) return skipped(`the list may have been cut at ${length} plants`)
      if (names.length < length) return skipped('the names of the plants in the list cannot be seen')
      return failed(seen, `"${plant.name}" is not among the ${length} plants listed`)
    },
  },
  {
    id: 'list.access',
    section: '4.2, 5',
    statement: 'A list returns only plants that the caller may access: not what another caller added.',
    needs: ['create', 'other'],
    async check({ bench }) {
      const { plant, seen: creating } = await bench.first()
      if (!succeeded(creating)) return skipped('no create succeeds')
      const list = await bench.list('other')
      const { names, length, seen } = list
      if (names.includes(plant.name)) return failed(seen, `the other caller sees "${plant.name}"`)
      if (!succeeded(seen)) return skipped(`to the other caller, ${answered(seen)}`)
      if (names.length < length) return skipped('the names of the plants in the list cannot be seen')
      return (await bench.mayBeCut(list)) ? skipped(`the list may have been cut at ${length} plants`) : passed
    },
  },
  {
    id: 'auth.list',
    section: '4, 5',
    statement: 'A list needs a bearer token.',
    needs: [],
    async check({ client }) {
      const seen = await client.send(listAsk('?limit=1', 'nobody'))
      if (succeeded(seen)) return failed(seen, `without a token ${answered(seen)}`)
      return succeeded(await client.send(listAsk('?limit=1')))
        ? passed
        : skipped('a list does not succeed with a token either')
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
      const { seen: creating } = await bench.first()
      if (!succeeded(creating)) return skipped('a create does not succeed with a token either')
      const list = await bench.listWith(plant.name)
      const { names, length } = list
      if (names.includes(plant.name)) return failed(seen, 'it was refused, but the plant is in the store')
      return (await bench.mayBeCut(list))
        ? skipped(
            `it was refused; whether it is stored cannot be seen, the list may have been cut at ${length}`,
          )
        : passed
    },
  },
  {
    id: 'robust.refusal',
    section: '2',
    statement: 'A create whose fields have the wrong types is refused.',
    needs: ['create'],
    async check({ client, bench }) {
      const seen = await client.send(createAsk(bench.wrong()))
      const { seen: creating } = await bench.first()
      if (refused(seen) && !succeeded(creating)) return skipped('no create succeeds')
      return expect(seen, refused(seen), answered(seen))
    },
  },
  {
    id: 'robust.input',
    section: '',
    statement: 'No bad input is answered with a server error.',
    needs: [],
    async check({ client, mayCreate }) {
      for (const [what, ask] of bads) {
        // What should be refused may be taken all the same.
        if (ask.method === 'POST' && !mayCreate) continue
        const seen = await client.send(ask)
        if (seen.status >= 500) return failed(seen, `${what}: ${answered(seen)}`)
      }
      return passed
    },
  },
]

const isSame = (element: object, { name, tag }: NewPlant): boolean =>
  'name' in element && 'tag' in element && element.name === name && element.tag === tag
