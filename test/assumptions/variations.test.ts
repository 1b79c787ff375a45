import fc from 'fast-check'
import {
  type Assume,
  type AssumptionId,
  assumptionRegistry,
  createPlantMock,
  defaultAssumptions,
  type PlantMock,
  PlantMockError,
  underVariations,
  type VariationOptions,
  variations,
} from 'plant-mock'
import { valuesOf } from 'plant-mock/contract'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { as, post } from '../support/targets.ts'

const info = vi.spyOn(console, 'info')
beforeEach(() => {
  info.mockReset().mockImplementation(() => undefined)
})
afterEach(() => vi.unstubAllEnvs())

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const common = assumptionRegistry.filter(({ rare }) => !rare)

describe('variations', () => {
  it('are one for each alternative of each assumption, the rare ones left out', () => {
    const expected = common.flatMap(({ id, alternatives }) =>
      alternatives.map((value) => ({ name: `${id}=${value}`, assume: { [id]: value } })),
    )
    expect(variations()).toEqual(expected)
  })

  it('take the rare ones too when they are to be thorough, or when these are named', () => {
    const names = variations({ thorough: true }).map(({ name }) => name)
    expect(names).toContain('auth.tokens=listed')
    expect(names).toHaveLength(
      assumptionRegistry.reduce((sum, { alternatives }) => sum + alternatives.length, 0),
    )
    expect(variations({ only: ['auth.tokens'] }).map(({ name }) => name)).toEqual(['auth.tokens=listed'])
  })

  it('are of those assumptions and values alone that are named', () => {
    const names = variations({ only: ['list.order=name', 'create.status', 'list.order=newest'] }).map(
      ({ name }) => name,
    )
    expect(names).toEqual(['list.order=name', 'list.order=newest', 'create.status=200'])
  })

  it('differ from the base, and lead back to the default from there', () => {
    const base: Assume = { 'create.status': 200, 'list.order': 'name' }
    const names = variations({ base, only: ['create.status', 'list.order'] }).map(({ name }) => name)
    expect(names).toEqual([
      'create.status=201',
      'list.order=added',
      'list.order=newest',
      'list.order=shuffled',
    ])
  })

  it.each([
    ['create.statsu', /no assumption "create\.statsu"\. Did you mean "create\.status"/],
    ['create.status=418', /create\.status cannot be "418"/],
  ])('are refused for what is not in the register: %s', (only, message) => {
    const attempt = () => variations({ only: [only] as unknown as NonNullable<VariationOptions['only']> })
    expect(attempt).toThrow(PlantMockError)
    expect(attempt).toThrow(message)
  })

  it('suit describe.each: their names are all different, in pairs too', () => {
    for (const cover of ['each', 'pairs'] as const) {
      const names = variations({ cover, thorough: true }).map(({ name }) => name)
      expect(new Set(names).size).toBe(names.length)
    }
  })
})

describe('a covering set of pairs', () => {
  const ids = assumptionRegistry.map(({ id }) => id)
  const bases: fc.Arbitrary<Assume> = fc
    .uniqueArray(fc.constantFrom(...assumptionRegistry))
    .chain((rows) =>
      fc.tuple(...rows.map((row) => fc.constantFrom(...valuesOf(row)).map((value) => [row.id, value]))),
    )
    .map((entries) => Object.fromEntries(entries) as Assume)

  it('has any two values of any two assumptions together at least once, for any choice of assumptions and base', () => {
    const property = fc.property(
      fc.uniqueArray(fc.constantFrom(...ids), { minLength: 2 }),
      bases,
      (only, base) => {
        // The base itself is run first, always.
        const rows = [
          base,
          ...variations({ cover: 'pairs', only, base }).map(({ assume }) => ({ ...base, ...assume })),
        ].map((assume) => ({ ...defaultAssumptions, ...assume }) as Record<AssumptionId, unknown>)
        const factors = assumptionRegistry.filter(({ id }) => only.includes(id))
        for (const first of factors)
          for (const second of factors)
            if (first !== second)
              for (const a of valuesOf(first))
                for (const b of valuesOf(second))
                  expect(rows.some((row) => row[first.id] === a && row[second.id] === b)).toBe(true)
      },
    )
    fc.assert(property, { numRuns: 30 })
  })

  it('is within twice the lower bound, the product of the two largest numbers of values', () => {
    const property = fc.property(fc.uniqueArray(fc.constantFrom(...ids), { minLength: 2 }), (only) => {
      const counts = assumptionRegistry
        .filter(({ id }) => only.includes(id))
        .map((row) => valuesOf(row).length)
      const [largest = 1, next = 1] = counts.sort((a, b) => b - a)
      expect(variations({ cover: 'pairs', only }).length).toBeLessThanOrEqual(2 * largest * next)
    })
    fc.assert(property, { numRuns: 50 })
    expect(variations({ cover: 'pairs' }).length).toBeLessThanOrEqual(2 * 4 * 4)
    const ofTwo = assumptionRegistry.filter((row) => valuesOf(row).length === 2).map(({ id }) => id)
    expect([ofTwo.length, variations({ cover: 'pairs', only: ofTwo }).length]).toEqual([15, 6])
  })

  it('is the same each time', () => {
    expect(variations({ cover: 'pairs' })).toEqual(variations({ cover: 'pairs' }))
  })
})

describe('underVariations', () => {
  const created = async (assume: Assume) =>
    (await createPlantMock({ assume }).fetch('/plants', post(fern))).status

  it('passes when the body passes under all of them', async () => {
    const seen: string[] = []
    await underVariations({ only: ['create.status', 'list.order'] }, async (assume, name) => {
      seen.push(name)
      expect(await created(assume)).toBeLessThan(300)
    })
    expect(seen).toEqual([
      'as it is',
      'create.status=200',
      'list.order=newest',
      'list.order=name',
      'list.order=shuffled',
    ])
  })

  it('names the guilty one, with its section and what went wrong', async () => {
    const body = async (assume: Assume) => {
      if ((await created(assume)) !== 201) throw new Error('not created')
    }
    await expect(underVariations({}, body)).rejects.toThrow(
      '1 of 28 variations break this test:\n  create.status=200 (contract.md 4.1)\n    not created',
    )
  })

  it('fails with the error of the body itself when that fails without variation', async () => {
    const error = new Error('broken anyway')
    await expect(underVariations({}, () => Promise.reject(error))).rejects.toBe(error)
  })

  it('varies from the base that it is given', async () => {
    const statuses: number[] = []
    await underVariations({ base: { 'create.status': 200 }, only: ['create.status'] }, async (assume) => {
      statuses.push(await created(assume))
    })
    expect(statuses).toEqual([200, 201])
  })
})

describe('PLANT_MOCK_ASSUME', () => {
  it('changes what a mock in this process assumes', async () => {
    vi.stubEnv('PLANT_MOCK_ASSUME', 'create.status=200,list.order=newest')
    expect(await createPlantMock().assumptions()).toMatchObject({
      'create.status': 200,
      'list.order': 'newest',
    })
  })

  it('leaves alone what the test itself sets, and holds after a reset', async () => {
    vi.stubEnv('PLANT_MOCK_ASSUME', 'create.status=200,list.order=newest')
    const mock = createPlantMock({ assume: { 'list.order': 'name' } })
    await mock.assume({ 'create.status': 201 })
    await mock.reset()
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'name' })
  })

  it('is refused by its name when it is wrong', () => {
    vi.stubEnv('PLANT_MOCK_ASSUME', 'create.status=418')
    expect(() => createPlantMock()).toThrow(
      /^PLANT_MOCK_ASSUME: The assumption create\.status cannot be "418"/,
    )
  })
})

describe('a mock varied by a seed', () => {
  const answers = async (mock: PlantMock) => {
    const texts: string[] = []
    for (let id = 0; id < 6; id++) {
      const requests = [
        ['/plants', post({ ...fern, id: id % 4, name: `${id}` })],
        ['/plants', as('alice')],
        ['/plants?limit=2', as('alice')],
        ['/plants?limit=x', as('alice')],
        ['/plants', post({ name: 'no id' })],
        ['/plants', {}],
        ['/plants', { method: 'DELETE' }],
      ] as const
      for (const [path, init] of requests) {
        const response = await mock.fetch(path, init)
        texts.push(`${response.status} ${JSON.stringify([...response.headers])} ${await response.text()}`)
      }
    }
    return texts.join('\n')
  }

  it('answers the same requests byte for byte alike with the same seed', async () => {
    for (let seed = 0; seed < 20; seed++)
      expect(await answers(createPlantMock({ assumptionSeed: seed, seed }))).toBe(
        await answers(createPlantMock({ assumptionSeed: seed, seed })),
      )
  })

  it('comes to every value of every assumption but the rare ones, over some seeds', async () => {
    const seen = new Map<string, Set<unknown>>(assumptionRegistry.map(({ id }) => [id, new Set()]))
    for (let assumptionSeed = 0; assumptionSeed < 100; assumptionSeed++)
      for (const [id, value] of Object.entries(await createPlantMock({ assumptionSeed }).assumptions()))
        seen.get(id)?.add(value)
    for (const row of assumptionRegistry)
      expect([row.id, seen.get(row.id)?.size]).toEqual([row.id, row.rare ? 1 : valuesOf(row).length])
  })

  it('prints once what was chosen, in a form that sets the same again', async () => {
    const assumptions = await createPlantMock({ assumptionSeed: 7 }).assumptions()
    expect(info).toHaveBeenCalledTimes(1)
    const [, text = ''] =
      /^plant-mock: assumptions from seed 7: (\S+)$/.exec(String(info.mock.calls[0]?.[0])) ?? []
    vi.stubEnv('PLANT_MOCK_ASSUME', text)
    expect(await createPlantMock().assumptions()).toEqual(assumptions)
  })

  it('leaves alone what is set', async () => {
    for (let assumptionSeed = 0; assumptionSeed < 20; assumptionSeed++)
      expect(
        (await createPlantMock({ assumptionSeed, assume: { 'list.order': 'added' } }).assumptions())[
          'list.order'
        ],
      ).toBe('added')
  })
})
