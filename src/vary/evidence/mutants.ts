import type { OperationId } from '../../core/assumptions/operation-ids.ts'
import type { RuleId } from '../../core/contract/rules.ts'
import type { Mutant, Mutation } from './mutant.ts'
import * as replies from './reply-changes.ts'
import * as requests from './request-changes.ts'
import * as states from './state-changes.ts'

const changing =
  (operation: OperationId) =>
  (rule: RuleId, does: string, change: Mutation): Mutant => ({ rule, does, operation, ...change })
const create = changing('createPlant')
const list = changing('listPlants')
const tolerable = (mutant: Mutant): Mutant => ({ ...mutant, isTolerable: true })

const { plant, element, without, having } = replies
const further = having({ createdAt: '2024-05-01T08:00:00Z' })

const table = {
  'create.refused': create('create.succeeds', 'a create that refuses a valid token', requests.refused),
  'create.fails': create('create.succeeds', 'a create that fails with 500', replies.failing),
  'create.withId': tolerable(create('create.shape', 'a create whose response has the id', plant(having({ id: 1 })))),
  'create.extraField': tolerable(
    create('create.shape', 'a create whose response has an additional field', plant(further)),
  ),
  'create.noName': create('create.shape', 'a create whose response has no name', plant(without('name'))),
  'create.noTag': create('create.shape', 'a create whose response has no tag', plant(without('tag'))),
  'create.otherName': create(
    'create.shape',
    'a create whose response has another name',
    plant(having({ name: 'Other' })),
  ),
  'create.empty': create('create.shape', 'a create with an empty response', replies.empty),
  'create.text': create('create.shape', 'a create with a response in plain text', replies.plainText),
  'create.cut': create('create.shape', 'a create whose JSON response is truncated', replies.cut),
  'create.mediaType': tolerable(
    create('create.json', 'a create whose JSON is declared as text/html', replies.declaredAsHtml),
  ),
  'create.lost': create('create.stored', 'a create that succeeds and stores nothing', states.lost),
  'create.storedTag': create('create.stored', 'a create that stores another tag', states.otherTag),
  'create.storedTwice': create('create.stored', 'a create that stores the plant twice', states.storedTwice),
  'create.refusedStored': create(
    'create.stored',
    'a create that is refused and stores the plant',
    states.refusedStored,
  ),
  'create.overwrites': create('create.stored', "a create that overwrites another caller's plant", states.overwriting),
  'create.elsewhere': create('create.stored', 'a create that stores the plant for another caller', states.elsewhere),
  'create.public': create('list.access', 'a create that stores the plant for every caller', states.shared),
  'create.open': create('auth.create', 'a create that needs no token', requests.open),
  'create.anyScheme': create(
    'auth.create',
    'a create that accepts credentials other than a Bearer token',
    requests.anyScheme,
  ),
  'list.refused': list('list.succeeds', 'a list that refuses a valid token', requests.refused),
  'list.fails': list('list.succeeds', 'a list that fails with 500', replies.failing),
  'list.object': list('list.array', 'a list inside an object', replies.insideObject),
  'list.null': list('list.array', 'an empty list that is null', replies.nullIfEmpty),
  'list.cut': list('list.array', 'a list whose JSON is truncated', replies.cut),
  'list.noName': list('list.elements', 'an element of a list without name', element(without('name'))),
  'list.noTag': list('list.elements', 'an element of a list without tag', element(without('tag'))),
  'list.withId': tolerable(list('list.elements', 'an element of a list with id', element(having({ id: 1 })))),
  'list.extraField': tolerable(
    list('list.elements', 'an element of a list with an additional field', element(further)),
  ),
  'list.numberName': list('list.elements', 'a list element whose name is a number', element(having({ name: 1 }))),
  'list.numberTag': list('list.elements', 'a list element whose tag is a number', element(having({ tag: 1 }))),
  'list.escapedName': list('create.stored', 'a list whose names are escaped for HTML', replies.escapedNames),
  'list.mangledName': list('create.stored', 'a list whose names in UTF-8 are read as Latin-1', replies.mangledNames),
  'list.mediaType': tolerable(list('list.json', 'a list whose JSON is declared as text/html', replies.declaredAsHtml)),
  'list.extraPlant': list('list.limit', 'a list with limit + 1 plants', requests.extraPlant),
  'list.zeroLimit': list('list.limit', 'a list that ignores limit=0', requests.ignoredZero),
  'list.largeLimit': list('list.limit', 'a list that ignores limits from 10 on', requests.ignoredLarge),
  'list.empty': list('create.stored', 'a list that is empty', replies.emptyList),
  'list.missing': create('create.stored', 'a list without the plant just created', states.missing),
  // No rule is about equal plants in a list, so this mutant counts for the general rule `list.succeeds`.
  'list.twice': list('list.succeeds', 'a list that holds a plant twice', replies.twice),
  'list.foreign': list('list.access', 'a list that holds plants of another caller', replies.foreign),
  'list.open': list('auth.list', 'a list that needs no token', requests.open),
  'list.anyScheme': list('auth.list', 'a list that accepts credentials other than a Bearer token', requests.anyScheme),
  'delete.listed': changing('deletePlant')('list.access', 'a list with a deleted plant', {
    step: (after, before) => ({ ...after, state: { ...before, rates: after.state.rates } }),
  }),
} as const satisfies Record<string, Mutant>

export type MutantId = keyof typeof table

export const mutants: Readonly<Record<MutantId, Mutant>> = table

export const mutantIds = Object.keys(table) as readonly MutantId[]
