import {
  type Assume,
  assumptionRegistry,
  createPlantMock,
  PlantMockError,
  type VariationOptions,
  variations,
} from 'plant-mock'
import { afterEach, describe, expect, it, vi } from 'vitest'

afterEach(() => vi.unstubAllEnvs())

const common = assumptionRegistry.filter(({ rare }) => !rare)

describe('variations', () => {
  it('are one for each alternative of each assumption that is not rare', () => {
    const expected = common.flatMap(({ id, alternatives }) =>
      alternatives.map((value) => ({ name: `${id}=${value}`, assume: { [id]: value } })),
    )
    expect(variations()).toEqual(expected)
  })

  it('include rare assumptions and further values with the option thorough, or when the option only names them', () => {
    const names = variations({ thorough: true }).map(({ name }) => name)
    expect(names).toContain('auth.tokens=listed')
    expect(names).toEqual(
      assumptionRegistry.flatMap((row) =>
        [...row.alternatives, ...row.further, ...row.samples].map((value) => `${row.id}=${value}`),
      ),
    )
    expect(variations({ only: ['auth.tokens'] }).map(({ name }) => name)).toEqual(['auth.tokens=listed'])
  })

  it('try three alternatives of an assumption at most, unless they are thorough', () => {
    for (const { alternatives } of assumptionRegistry) expect(alternatives.length).toBeLessThanOrEqual(3)
  })

  it('take values with a parameter, and the further values of an assumption without alternatives', () => {
    const names = (only: NonNullable<VariationOptions['only']>) => variations({ only }).map(({ name }) => name)
    expect(names(['list.maxLimit=clamp:7', 'list.defaultLimit=33'])).toEqual([
      'list.maxLimit=clamp:7',
      'list.defaultLimit=33',
    ])
    expect(names(['error.syntaxStatus'])).toEqual(['error.syntaxStatus=400', 'error.syntaxStatus=422'])
  })

  it('include no other assumptions and values than the option only names', () => {
    const names = variations({ only: ['list.order=name', 'create.status', 'list.order=newest'] }).map(
      ({ name }) => name,
    )
    expect(names).toEqual(['list.order=name', 'list.order=newest', 'create.status=200'])
  })

  it('differ from the base and include the default where the base does not', () => {
    const base: Assume = { 'create.status': 200, 'list.order': 'name' }
    const names = variations({ base, only: ['create.status', 'list.order'] }).map(({ name }) => name)
    expect(names).toEqual(['create.status=201', 'list.order=added', 'list.order=newest', 'list.order=shuffled'])
  })

  it.each([
    ['create.statsu', /^Unknown assumption "create\.statsu"\. Did you mean "create\.status"/],
    ['create.status=418', /create\.status cannot be "418"/],
  ])('are refused when the option only names an unknown id or value: %s', (only, message) => {
    const attempt = () => variations({ only: [only] as unknown as NonNullable<VariationOptions['only']> })
    expect(attempt).toThrow(PlantMockError)
    expect(attempt).toThrow(message)
  })

  it('have unique names, as describe.each needs them', () => {
    const names = variations({ thorough: true }).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('PLANT_MOCK_ASSUME', () => {
  it('sets assumptions of each mock in this process', async () => {
    vi.stubEnv('PLANT_MOCK_ASSUME', 'create.status=200,list.order=newest')
    expect(await createPlantMock().assumptions()).toMatchObject({
      'create.status': 200,
      'list.order': 'newest',
    })
  })

  it('does not override what a test sets at creation, and applies again after a reset', async () => {
    vi.stubEnv('PLANT_MOCK_ASSUME', 'create.status=200,list.order=newest')
    const mock = createPlantMock({ assume: { 'list.order': 'name' } })
    await mock.assume({ 'create.status': 201 })
    await mock.reset()
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'name' })
  })

  it('is named in the error when it is invalid', () => {
    vi.stubEnv('PLANT_MOCK_ASSUME', 'create.status=418')
    expect(() => createPlantMock()).toThrow(/^PLANT_MOCK_ASSUME: The assumption create\.status cannot be "418"/)
  })
})
