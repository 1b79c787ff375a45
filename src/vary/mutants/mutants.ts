import type { StoredPlant } from '../../core/store/plant-store.ts'
import {
  cut,
  element,
  failing,
  listWithout,
  type Mutant,
  open,
  plant,
  refused,
  stranger,
  withExtraPlant,
  withJson,
  without,
  withText,
  withType,
} from './mutant.ts'

const create = { operation: 'createPlant' } as const
const list = { operation: 'listPlants' } as const
const createShape = { ...create, rule: 'create.shape' } as const
const listElement = { ...list, rule: 'list.elements' } as const
/** A list shows whether a create has stored its plant. */
const stored = { ...list, rule: 'create.stored' } as const

const table = {
  'create.refused': { ...create, rule: 'create.succeeds', does: 'a create that refuses a valid token', call: refused },
  'create.fails': { ...create, rule: 'create.succeeds', does: 'a create that fails with 500', reply: failing },
  'create.withId': {
    ...createShape,
    does: 'a create whose response has the id',
    reply: plant((shown) => ({ id: 1, ...shown })),
  },
  'create.noName': { ...createShape, does: 'a create whose response has no name', reply: plant(without('name')) },
  'create.noTag': { ...createShape, does: 'a create whose response has no tag', reply: plant(without('tag')) },
  'create.otherName': {
    ...createShape,
    does: 'a create whose response has another name',
    reply: plant((shown) => ({ ...shown, name: 'Other' })),
  },
  'create.empty': { ...createShape, does: 'a create with an empty response', reply: withText(() => undefined) },
  'create.text': {
    ...createShape,
    does: 'a create with a response in plain text',
    reply: (reply) => withType('text/plain')({ ...reply, body: 'Created' }, ''),
  },
  'create.cut': { ...createShape, does: 'a create whose response is cut in the middle', reply: cut },
  'create.mediaType': {
    ...create,
    rule: 'create.json',
    does: 'a create whose JSON is declared as text/html',
    reply: withType('text/html'),
  },
  'create.lost': { ...stored, does: 'a create that succeeds and stores nothing', stores: () => {} },
  'create.elsewhere': {
    ...stored,
    does: 'a create that stores the plant for another caller',
    stores: (store, draft) => {
      store.create(stranger, draft, 'accept')
    },
  },
  'create.open': { ...create, rule: 'auth.create', does: 'a create without a token', call: open },
  'list.refused': { ...list, rule: 'list.succeeds', does: 'a list that refuses a valid token', call: refused },
  'list.fails': { ...list, rule: 'list.succeeds', does: 'a list that fails with 500', reply: failing },
  'list.object': {
    ...list,
    rule: 'list.array',
    does: 'a list inside an object',
    reply: withJson((plants) => ({ plants })),
  },
  'list.cut': { ...list, rule: 'list.array', does: 'a list that is cut in the middle', reply: cut },
  'list.noName': { ...listElement, does: 'an element of a list without name', reply: element(without('name')) },
  'list.noTag': { ...listElement, does: 'an element of a list without tag', reply: element(without('tag')) },
  'list.withId': {
    ...listElement,
    does: 'an element of a list with id',
    reply: element((shown) => ({ id: 1, ...shown })),
  },
  'list.numberName': {
    ...listElement,
    does: 'an element of a list with a number as its name',
    reply: element((shown) => ({ ...shown, name: 1 })),
  },
  'list.mediaType': {
    ...list,
    rule: 'list.json',
    does: 'a list whose JSON is declared as text/html',
    reply: withType('text/html'),
  },
  'list.extraPlant': {
    ...list,
    rule: 'list.limit',
    does: 'a list with limit + 1 plants',
    call: withExtraPlant,
  },
  'list.empty': { ...stored, does: 'a list that is empty', reply: withJson(() => []) },
  'list.missing': {
    ...stored,
    does: 'a list without the plant just created',
    list: (request) => listWithout(request, new Set(request.created.slice(-1))).slice(0, request.limit),
  },
  'list.twice': {
    ...list,
    // No rule of verify judges it: plants may have the same name and tag.
    rule: 'list.succeeds',
    does: 'a list that holds a plant twice',
    list: (request) => {
      const [first, ...others] = listWithout(request, new Set())
      return first === undefined ? [] : [first, first, ...others].slice(0, request.limit)
    },
  },
  'list.foreign': {
    ...list,
    rule: 'list.access',
    does: 'a list that holds plants of another caller',
    list: ({ store, limit, order }) => {
      const all = store.all() as readonly StoredPlant[]
      return (order === 'added' ? all : all.toReversed()).slice(0, limit)
    },
  },
  'list.open': { ...list, rule: 'auth.list', does: 'a list without a token', call: open },
} as const satisfies Record<string, Mutant>

export type MutantId = keyof typeof table

/** Services that each break one sentence of the contract, by id. */
export const mutants: Readonly<Record<MutantId, Mutant>> = table

export const mutantIds = Object.keys(table) as readonly MutantId[]
