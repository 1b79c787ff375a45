import { type ConformanceOptions, checkConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { isAdvice, ruleIds } from '../../../src/core/contract/rules.ts'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import { createInternalMock } from '../../../src/core/mock/create-plant-mock.ts'
import type { EvidenceLog } from '../../../src/vary/evidence/evidence-log.ts'
import { evidenceObserver } from '../../../src/vary/evidence/evidence-observer.ts'
import { type MutantId, mutantIds, mutants } from '../../../src/vary/evidence/mutants.ts'
import { baseUrl, tokens } from '../../support/conformance.ts'

const evidence: EvidenceLog = {
  now: Date.now,
  write: () => undefined,
  close: () => undefined,
}

const moss = { id: 1, name: 'Moss', tag: 'ground' }

const served = (id: MutantId | undefined, fixtures: readonly FixturePlant[]) => {
  const changes = id === undefined ? [] : [{ mutant: id }]
  const observer = evidenceObserver(evidence, { changes, areServed: true })
  return createInternalMock({ fixtures, onNotice() {}, assume: { 'operation.delete': 204 } }, { observer, fixed: [] })
}

const check = async (id: MutantId) => {
  const { rule } = mutants[id]
  const { rules } = await checked(served(id, [moss]), { rules: [rule] })
  return rules.find(({ id }) => id === rule)?.outcome
}
const checked = ({ fetch }: Pick<ReturnType<typeof served>, 'fetch'>, options: Partial<ConformanceOptions> = {}) =>
  checkConformance({ baseUrl, fetch, tokens, wait: async () => undefined, ...options })

/** `verify` skips these rules: a 401 may mean an invalid token, and a failure may concern a value of the plant. */
const undecided: readonly MutantId[] = ['create.refused', 'create.fails', 'list.refused']
/** The contract does not say that a plant is listed once, how soon, or which creates are refused. */
const unstated: readonly MutantId[] = ['list.twice', 'list.missing', 'create.storedTwice', 'create.refusedStored']
/** `verify` sends no request that reveals these mutants. */
const unasked: readonly MutantId[] = [
  'create.overwrites',
  'create.anyScheme',
  'list.null',
  'list.escapedName',
  'delete.listed',
]
const unjudged = [...unstated, ...unasked]
const judged = mutantIds.filter((id) => !unjudged.includes(id))

describe('a mutant', () => {
  it.each(judged)('%s breaks the rule that it names', async (id) => {
    expect(await check(id)).toBe(undecided.includes(id) ? 'skipped' : 'failed')
  })

  it('exists for each rule that the contract states', () => {
    const stated = ruleIds.filter((id) => !isAdvice(id))
    expect([...new Set<string>(judged.map((id) => mutants[id].rule))].sort()).toEqual(stated.toSorted())
  })
})

const clientOf = ({ fetch }: ReturnType<typeof served>) => {
  const send = async (authorization: string, path: string, body?: object) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    return fetch(path, init)
  }
  return {
    status: async (...sent: Parameters<typeof send>): Promise<number> => (await send(...sent)).status,
    create: async (caller: string, plant: object = fern): Promise<unknown> =>
      (await send(`Bearer ${caller}`, '/plants', plant)).json(),
    remove: (path: string) => fetch(path, { method: 'DELETE', headers: { authorization: 'Bearer alice' } }),
    list: async (caller: string, query = ''): Promise<unknown> =>
      (await send(`Bearer ${caller}`, `/plants${query}`)).json(),
  }
}

const fern = { id: 2, name: 'Fern', tag: 'shade' }
const named = (name: string) => ({ ...fern, name })
const shownFern = { name: 'Fern', tag: 'shade' }
const shownMoss = { name: 'Moss', tag: 'ground' }
const createdAt = '2024-05-01T08:00:00Z'
const twelve = Array.from({ length: 12 }, (_, id) => ({ ...moss, id }))

type Row = readonly [
  id: MutantId,
  fixtures: readonly FixturePlant[],
  ask: (client: ReturnType<typeof clientOf>) => Promise<unknown>,
  shown: unknown,
]
const rows: readonly Row[] = [
  ['create.extraField', [], ({ create }) => create('alice'), { ...shownFern, createdAt }],
  ['list.extraField', [moss], ({ list }) => list('alice'), [{ ...shownMoss, createdAt }]],
  ['list.numberTag', [moss], ({ list }) => list('alice'), [{ name: 'Moss', tag: 1 }]],
  ['list.null', [], ({ list }) => list('alice'), null],
  ['list.escapedName', [named('A & <B>')], ({ list }) => list('alice'), [{ name: 'A &amp; &lt;B&gt;', tag: 'shade' }]],
  ['list.mangledName', [named('Rosé')], ({ list }) => list('alice'), [{ name: 'RosÃ©', tag: 'shade' }]],
  ['list.zeroLimit', [moss], ({ list }) => list('alice', '?limit=0'), [shownMoss]],
  ['list.largeLimit', twelve, ({ list }) => list('alice', '?limit=10'), twelve.map(() => shownMoss)],
  ['list.anyScheme', [], ({ status }) => status('Basic YWxpY2U6eA==', '/plants'), 200],
  ['create.anyScheme', [], ({ status }) => status('Basic YWxpY2U6eA==', '/plants', fern), 201],
  ['create.storedTag', [], stores('alice'), [{ name: 'Fern', tag: 'Other' }]],
  ['create.storedTwice', [], stores('alice'), [shownFern, shownFern]],
  ['create.public', [], stores('bob'), [shownFern]],
  ['create.refusedStored', [moss], stores('alice', moss), [shownMoss, shownMoss]],
  ['delete.listed', [moss], ({ remove, list }) => remove('/plants/1').then(() => list('alice')), [shownMoss]],
  ['create.overwrites', [{ ...moss, access: ['bob'] }], stores('bob', { ...fern, id: 1 }), []],
]

function stores(lists: string, plant: object = fern) {
  return async ({ create, list }: ReturnType<typeof clientOf>): Promise<unknown> => {
    await create('alice', plant)
    return list(lists)
  }
}

describe('a client of the mutant', () => {
  it.each(rows)('%s sees it', async (id, fixtures, ask, shown) => {
    expect(await ask(clientOf(served(id, fixtures)))).toEqual(shown)
    expect(await ask(clientOf(served(undefined, fixtures)))).not.toEqual(shown)
  })

  it.each<Row>([
    ['list.zeroLimit', twelve, ({ list }) => list('alice', '?limit=1'), [shownMoss]],
    ['list.largeLimit', twelve, ({ list }) => list('alice', '?limit=9'), twelve.slice(3).map(() => shownMoss)],
    ['list.anyScheme', twelve, ({ status }) => status('', '/plants'), 401],
    ['create.overwrites', twelve, stores('alice', { ...fern, id: 30 }), [...twelve.map(() => shownMoss), shownFern]],
    ['create.refusedStored', twelve, stores('alice', { name: 1 }), twelve.map(() => shownMoss)],
  ])('%s sees nothing of it elsewhere', async (id, fixtures, ask, shown) => {
    expect(await ask(clientOf(served(id, fixtures)))).toEqual(shown)
  })

  it('that overwrites a plant of another caller gives it to the creator', async () => {
    const client = clientOf(served('create.overwrites', [{ ...moss, access: ['bob'] }]))
    expect(await stores('alice', { ...fern, id: 1 })(client)).toEqual([shownFern])
  })
})

it('each mutant would change a response to a check of a service', async () => {
  const visible = new Set<string>()
  const observer = evidenceObserver(
    {
      ...evidence,
      write(line) {
        if (line.type === 'visible') for (const key of line.changes) visible.add(key)
      },
    },
    { changes: mutantIds.map((mutant) => ({ mutant })), areServed: false },
  )
  await checked(createInternalMock({ onNotice() {} }, { observer, fixed: [] }))
  expect(mutantIds.filter((id) => !visible.has(id) && !unasked.includes(id))).toEqual([])
})

it('a mock without a mutant keeps each rule', async () => {
  const { rules } = await checked(served(undefined, [moss]))
  expect(new Set(rules.map(({ outcome }) => outcome))).toEqual(new Set(['passed']))
})
