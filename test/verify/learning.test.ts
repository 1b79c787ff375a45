import fc from 'fast-check'
import {
  type Assume,
  type AssumptionId,
  type Assumptions,
  assumptionRegistry,
  createPlantMock,
  defaultAssumptions,
  type FixturePlant,
} from 'plant-mock'
import { valuesOf } from 'plant-mock/contract'
import { describe, expect, it } from 'vitest'
import {
  assumptionOf,
  check,
  failuresOf,
  fixtures,
  hiddenUnder,
  learnedFrom,
  maxCreated,
  numbers,
  tokens,
  variedAssumptions,
} from '../support/conformance.ts'
import { runs } from '../support/runs.ts'

describe('learning', () => {
  const mockWith = (assumptions: Assumptions, plants: readonly FixturePlant[] = [], seed = 1) =>
    createPlantMock({ fixtures: plants, tokens: Object.values(tokens), assume: assumptions, seed })

  const roundTrip = async (assumptions: Assumptions, plants: readonly FixturePlant[], seed: number) => {
    const random = numbers(seed)
    const mock = mockWith(assumptions, plants, seed)
    const first = await check(mock.fetch, { assumptions, random })
    const added = (await mock.plants.all()).slice(plants.length)
    const found = { ...defaultAssumptions, ...learnedFrom(first) }
    const second = await check(mockWith(found, plants, seed).fetch, { assumptions: found, random })
    return { first, added, found, second }
  }

  const beside = (id: AssumptionId): readonly AssumptionId[] =>
    assumptionRegistry.flatMap((row) => (row.id === id || bases.includes(row.id) ? [] : [row.id]))
  const bases: readonly AssumptionId[] = ['error.body', 'error.invalidStatus', 'list.invalidLimit', 'auth.status']

  const shownBy: Readonly<Record<string, Assume>> = {
    'create.missingTag': { 'create.required': 'name+id' },
    'delete.missingStatus': { 'operation.delete': 204 },
    'auth.unknownStatus': { 'auth.tokens': 'listed', 'auth.status': 403 },
    'auth.unknownStatus=403': { 'auth.tokens': 'listed' },
    'auth.malformedStatus': { 'auth.status': 402 },
    'auth.malformedStatus=402': {},
    'error.limitStatus=400': { 'error.invalidStatus': 422 },
    'error.syntaxStatus=400': { 'error.invalidStatus': 422 },
    'list.repeatedLimit=reject': { 'list.invalidLimit': 'ignore' },
    'error.authBody=problem': { 'error.body': 'json' },
    'error.syntaxBody=problem': { 'error.body': 'json' },
    'error.limitBody=problem': { 'error.body': 'json' },
    'error.duplicateBody=problem': { 'error.body': 'json' },
    'error.pathBody=problem': { 'error.body': 'json' },
  }

  it.each(
    variedAssumptions.flatMap(({ id, alternatives }) =>
      alternatives.map((value) => [`${id}=${value}`, id, value] as const),
    ),
  )('finds %s', async (text, id, value) => {
    const assumptions = { ...defaultAssumptions, ...(shownBy[text] ?? shownBy[id]), [id]: value } as Assumptions
    const report = await check(mockWith(assumptions, fixtures.garden).fetch, {
      assumptions,
      rules: [],
      skip: beside(id),
    })
    const isHidden = hiddenUnder(assumptions).includes(id)
    expect(assumptionOf(report, id)).toMatchObject(
      isHidden ? { outcome: 'unseen' } : { outcome: 'agrees', found: value },
    )
  })

  it.each(
    variedAssumptions.flatMap(({ id, further }) => further.map((value) => [`${id}=${value}`, id, value] as const)),
  )('finds the further value %s', async (text, id, value) => {
    const assumptions = { ...defaultAssumptions, ...(shownBy[text] ?? shownBy[id]), [id]: value } as Assumptions
    const report = await check(mockWith(assumptions, fixtures.garden).fetch, { rules: [], skip: beside(id) })
    // PROPFIND alone does not show whether PUT gets 501 too.
    if (text === 'operation.other=501') return expect(assumptionOf(report, id)).toMatchObject({ outcome: 'unseen' })
    expect(assumptionOf(report, id)).toMatchObject({ found: value })
  })

  const anyAssumptions = fc
    .tuple(...variedAssumptions.map((row) => fc.constantFrom(...valuesOf(row)).map((value) => [row.id, value])))
    .map((entries) => ({ ...defaultAssumptions, ...Object.fromEntries(entries) }) as Assumptions)
  const anySituation = [
    anyAssumptions,
    fc.constantFrom('empty', 'garden', 'crowded'),
    fc.nat({ max: 100_000 }),
  ] as const

  const assertRecognisable = ({ id = 1_900_000_000, name, tag }: FixturePlant): void => {
    expect([name, tag].some((text) => text?.startsWith('plant-mock check'))).toBe(true)
    expect(id).toBeGreaterThanOrEqual(1_900_000_000)
    expect(id).toBeLessThanOrEqual(2_147_483_647)
  }

  it('never finds a wrong value, creates few recognisable plants, and finds the same again, whatever the assumptions', async () => {
    const property = fc.asyncProperty(...anySituation, async (assumptions, name, seed) => {
      const { first, added, second } = await roundTrip(assumptions, fixtures[name] ?? [], seed)
      for (const report of [first, second]) {
        expect(failuresOf(report)).toEqual([])
        const wrong = report.assumptions.filter(({ outcome }) => outcome === 'differs' || outcome === 'other')
        expect(wrong).toEqual([])
      }
      const unseen = first.assumptions.filter(({ outcome }) => outcome === 'unseen').map(({ id }) => id)
      const truncated = assumptions['list.maxLimit'] !== 'none'
      expect(unseen.filter((id) => !mayBeUnseen(id, name === 'crowded' && truncated))).toEqual([])
      expect(first.created).toBeLessThanOrEqual(maxCreated)
      expect(added.length).toBeLessThanOrEqual(first.created)
      for (const plant of added) assertRecognisable(plant)
    })
    await fc.assert(property, { numRuns: runs(12) })
  })

  /** Some values stay unseen, because limits hide each other, and truncated lists hide new plants. */
  const mayBeUnseen = (id: string, hidesNewPlants: boolean): boolean =>
    [
      'create.idRange',
      'create.missingTag',
      'list.defaultLimit',
      'list.order',
      'auth.unknownStatus',
      'create.duplicateStatus',
      'error.limitBody',
      'error.limitStatus',
      'error.duplicateBody',
      'operation.delete',
      'delete.missingStatus',
    ].includes(id) ||
    (hidesNewPlants && ['create.visibility', 'create.duplicateId'].includes(id))

  it.each(['added', 'newest', 'name'] as const)(
    'finds the order %s even if the random names are in the order of creation',
    async (order) => {
      const assumptions = { ...defaultAssumptions, 'list.order': order }
      const report = await check(mockWith(assumptions).fetch, { assumptions, random: () => 0.5 })
      expect(assumptionOf(report, 'list.order')).toMatchObject({ outcome: 'agrees', found: order })
    },
  )

  it('finds the order of a store with the plants of two checks that began in the same minute', async () => {
    const { fetch } = mockWith(defaultAssumptions)
    const now = () => Date.UTC(2026, 10, 22)
    // The label of the second check sorts before the label of the first check.
    for (const number of [0.9, 0.1]) {
      const report = await check(fetch, { now, random: () => number })
      expect(assumptionOf(report, 'list.order')).toMatchObject({ outcome: 'agrees' })
    }
  })

  it('finds the order or reports it as unseen, if a list shows few of the created plants', async () => {
    const assumptions = { ...defaultAssumptions, 'list.order': 'name', 'list.maxLimit': 'clamp' } as const
    // The more other plants fill a list of 100, the fewer created plants the list shows.
    const outcomes = new Set<string | undefined>()
    for (const others of [60, 80, 98]) {
      const many = Array.from({ length: others }, (_, id) => ({ id, name: 'a', tag: 't' }))
      const report = await check(mockWith(assumptions, many).fetch, { assumptions, random: () => 0.5 })
      outcomes.add(assumptionOf(report, 'list.order')?.outcome)
    }
    expect([...outcomes].sort()).toEqual(['agrees', 'unseen'])
  })
})
