import type { CallerKey } from '../../core/contract/caller.ts'
import type { OperationId } from '../../core/contract/operation-ids.ts'
import { filterHeaders } from '../../core/http/headers.ts'
import type { Reply } from '../../core/http/reply.ts'
import { Plants } from '../../core/model/plants.ts'
import type { ServiceRequest } from '../../core/model/request.ts'
import { type Step, step } from '../../core/model/step.ts'
import { authenticate, type Credentials } from '../../core/operations/call.ts'
import { limitsIn, parseLimit } from '../../core/operations/limit.ts'
import { isJsonObject } from '../../util/json.ts'
import type { RuleId } from '../../verify/ask/rules/rules.ts'

/** What a service takes. */
export type Taken = Parameters<typeof step>

/** A service that breaks one sentence of the contract. */
export type Mutant = {
  /** The rule of `verify` with the sentence. */
  readonly rule: RuleId
  /** The operation whose response is wrong. */
  readonly operation: OperationId
  /** The behaviour of the service, as a noun with its article. */
  readonly does: string
  /** The operation whose step is another. */
  readonly changes: OperationId
  /** The request as the service takes it; the same one if nothing in it changes. */
  readonly request?: (request: ServiceRequest) => ServiceRequest
  /** The step as the mutant takes it instead. */
  readonly step?: (step: Step, ...taken: Taken) => Step
}

/** A step of the service under a mutant. @param plain Without the mutant, if it is known. */
export const mutantStep = (mutant: Mutant | undefined, taken: Taken, plain?: Step): Step => {
  const [state, given, assumptions] = taken
  if (mutant === undefined || given.operation !== mutant.changes) return plain ?? step(...taken)
  const request = mutant.request?.(given) ?? given
  const after = plain !== undefined && request === given ? plain : step(state, request, assumptions)
  return mutant.step?.(after, ...taken) ?? after
}

type Change = Pick<Mutant, 'request' | 'step'>

/** A caller that no client is. */
const stranger = 'plant-mock-stranger' as CallerKey

const refused: Change = {
  request: (request) =>
    request.caller.key === undefined
      ? request
      : {
          ...request,
          caller: {
            key: undefined,
            refusal: authenticate() as Extract<Credentials, { token: undefined }>,
            hasHeader: false,
          },
        },
}

const open: Change = {
  request: (request) =>
    request.caller.key === undefined
      ? { ...request, caller: { key: stranger, isListed: true, isExact: true } }
      : request,
}

const extraPlant: Change = {
  request(request) {
    const [limit, ...others] = request.limits
    if (limit?.digits === undefined || others.length > 0) return request
    return { ...request, limits: limitsIn(`limit=${limit.digits + 1}`) }
  },
}

/** Another response than a successful one with a body. */
const reply = (change: (reply: Reply, body: string, ...taken: Taken) => Reply): Change => ({
  step(after, ...taken) {
    const { status, body } = after.reply
    const isChanged = status >= 200 && status < 300 && body !== undefined
    return isChanged ? { ...after, reply: change(after.reply, body, ...taken) } : after
  },
})

type ReplyChange = (reply: Reply, body: string) => Reply

const withText =
  (change: (text: string) => string | undefined): ReplyChange =>
  (reply, body) => ({ ...reply, body: change(body) })

const withType =
  (type: string): ReplyChange =>
  (reply) => ({
    ...reply,
    headers: [...filterHeaders(reply.headers, (name) => name !== 'content-type'), ...['Content-Type', type]],
  })

const withJson = (change: (json: unknown) => unknown): ReplyChange =>
  withText((text) => JSON.stringify(change(JSON.parse(text))))

type Fields = Readonly<Record<string, unknown>>

const plant = (change: (plant: Fields) => Fields): Change =>
  reply(withJson((json) => (isJsonObject(json) ? change(json) : json)))

/** Changes the last element of a list, which by default is the newest plant. */
const element = (change: (element: Fields) => Fields): Change =>
  reply(
    withJson((json) =>
      Array.isArray(json) ? json.map((one, at) => (at === json.length - 1 ? change(one) : one)) : json,
    ),
  )

const failing = reply((given) => ({ ...withType('text/plain')(given, ''), status: 500, body: 'Failed' }))

const cut = reply(withText((text) => text.slice(0, Math.floor(text.length / 2))))

const without =
  (field: string) =>
  (plant: Fields): Fields =>
    Object.fromEntries(Object.entries(plant).filter(([name]) => name !== field))

/** Keeps something else than the plant that a create adds. */
const keeping = (change: (after: Step['state'], before: Step['state'], caller: string) => Step['state']): Change => ({
  step(after, before, { caller: { key = '' } }) {
    const isAdded = after.state.plants.length > before.plants.length
    return isAdded ? { ...after, state: change(after.state, before, key) } : after
  },
})

const lost = keeping((after, { plants, hidden }) => ({ ...after, plants, hidden }))

const elsewhere = keeping((after, { plants }) => ({
  ...after,
  plants: plants.append({ ...after.plants.at(plants.length), access: [stranger] }),
}))

/** A time that never comes. */
const never = Number.MAX_SAFE_INTEGER

/** Hides the plant that a caller has created last. */
const missing = keeping(({ hidden, ...after }, { plants: { length } }, caller) => {
  const others = hidden.plants.filter(
    ({ caller: other, until }) => other !== caller || !('time' in until && until.time === never),
  )
  return {
    ...after,
    hidden: { ...hidden, plants: [...others, { position: length, caller, until: { time: never } }] },
  }
})

const twice = reply((given, body, _, { limits }, assumptions) => {
  const plants: unknown = JSON.parse(body)
  const { limit = 0 } = parseLimit(limits, assumptions) as { readonly limit?: number }
  if (!Array.isArray(plants) || plants.length === 0) return given
  return { ...given, body: JSON.stringify([plants[0], ...plants].slice(0, limit)) }
})

/** Lists every plant to a caller who may list plants. */
const foreign = reply((_, __, state, request, assumptions) => {
  const plants = Plants.from([...state.plants].map(({ id, name, tag }) => ({ id, name, tag, access: undefined })))
  // As the plants that name the caller may be the reason why it is known.
  const caller = { ...request.caller, isListed: true }
  return step({ ...state, plants }, { ...request, caller }, assumptions).reply
})

const create = (rule: RuleId, does: string, change: Change): Mutant => ({
  rule,
  operation: 'createPlant',
  does,
  changes: 'createPlant',
  ...change,
})
const list = (rule: RuleId, does: string, change: Change): Mutant => ({
  rule,
  operation: 'listPlants',
  does,
  changes: 'listPlants',
  ...change,
})
/** A list shows what a create has stored. */
const stored = (does: string, change: Change): Mutant => ({
  ...list('create.stored', does, change),
  changes: 'createPlant',
})

const withId = (shown: Fields): Fields => ({ id: 1, ...shown })

const table = {
  'create.refused': create('create.succeeds', 'a create that refuses a valid token', refused),
  'create.fails': create('create.succeeds', 'a create that fails with 500', failing),
  'create.withId': create('create.shape', 'a create whose response has the id', plant(withId)),
  'create.noName': create('create.shape', 'a create whose response has no name', plant(without('name'))),
  'create.noTag': create('create.shape', 'a create whose response has no tag', plant(without('tag'))),
  'create.otherName': create(
    'create.shape',
    'a create whose response has another name',
    plant((shown) => ({ ...shown, name: 'Other' })),
  ),
  'create.empty': create('create.shape', 'a create with an empty response', reply(withText(() => undefined))),
  'create.text': create(
    'create.shape',
    'a create with a response in plain text',
    reply((reply) => withType('text/plain')({ ...reply, body: 'Created' }, '')),
  ),
  'create.cut': create('create.shape', 'a create whose response is cut in the middle', cut),
  'create.mediaType': create(
    'create.json',
    'a create whose JSON is declared as text/html',
    reply(withType('text/html')),
  ),
  'create.lost': stored('a create that succeeds and stores nothing', lost),
  'create.elsewhere': stored('a create that stores the plant for another caller', elsewhere),
  'create.open': create('auth.create', 'a create without a token', open),
  'list.refused': list('list.succeeds', 'a list that refuses a valid token', refused),
  'list.fails': list('list.succeeds', 'a list that fails with 500', failing),
  'list.object': list('list.array', 'a list inside an object', reply(withJson((plants) => ({ plants })))),
  'list.cut': list('list.array', 'a list that is cut in the middle', cut),
  'list.noName': list('list.elements', 'an element of a list without name', element(without('name'))),
  'list.noTag': list('list.elements', 'an element of a list without tag', element(without('tag'))),
  'list.withId': list('list.elements', 'an element of a list with id', element(withId)),
  'list.numberName': list(
    'list.elements',
    'an element of a list with a number as its name',
    element((shown) => ({ ...shown, name: 1 })),
  ),
  'list.mediaType': list('list.json', 'a list whose JSON is declared as text/html', reply(withType('text/html'))),
  'list.extraPlant': list('list.limit', 'a list with limit + 1 plants', extraPlant),
  'list.empty': list('create.stored', 'a list that is empty', reply(withJson(() => []))),
  'list.missing': stored('a list without the plant just created', missing),
  // No rule of verify judges it: plants may have the same name and tag.
  'list.twice': list('list.succeeds', 'a list that holds a plant twice', twice),
  'list.foreign': list('list.access', 'a list that holds plants of another caller', foreign),
  'list.open': list('auth.list', 'a list without a token', open),
} as const satisfies Record<string, Mutant>

export type MutantId = keyof typeof table

/** Services that each break one sentence of the contract, by id. */
export const mutants: Readonly<Record<MutantId, Mutant>> = table

export const mutantIds = Object.keys(table) as readonly MutantId[]
