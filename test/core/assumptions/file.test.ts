import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { assumptionRegistry, createPlantMock, PlantMockError } from 'plant-mock'
import { assumptionFileSchema, valuesOf } from 'plant-mock/contract'
import { loadAssumptions } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import schemaFile from '../../../fixtures/assumptions.schema.json' with { type: 'json' }
import { openFolder } from '../../support/folder.ts'
import { runs } from '../../support/runs.ts'

const folder = await openFolder()

const load = async (content: string | Uint8Array) => {
  const file = join(folder, 'a.json')
  await writeFile(file, content)
  return loadAssumptions(file)
}
const observed = { host: 'staging.example', date: '2026-11-20' }

describe('an assumptions file', () => {
  it('has values, each with an optional host and date of its observation', async () => {
    const assumptions = {
      'create.status': 200,
      'list.order': { value: 'newest', observed },
      'error.body': { value: 'text' },
    }
    const { values, provenance } = await load(JSON.stringify({ $schema: 'x', assumptions }))
    expect(values).toEqual({ 'create.status': 200, 'list.order': 'newest', 'error.body': 'text' })
    expect(provenance('list.order')).toEqual({ by: 'file', file: join(folder, 'a.json'), observed })
    expect(provenance('create.status')).toEqual({ by: 'file', file: join(folder, 'a.json') })
  })

  it('sets what the option assume of a mock does not set', async () => {
    const assumptions = await load('{"assumptions":{"create.status":200,"list.order":"newest"}}')
    const mock = createPlantMock({ assumptions, assume: { 'list.order': 'id' } })
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'id' })
  })

  it('may say with how many plants a value was observed, and from which evidence', async () => {
    const { values } = await load(
      JSON.stringify({
        assumptions: {
          'list.maxLimit': { value: 'none', upTo: 101, observed },
          'error.invalidStatus': { value: 422, evidence: 'a bad limit', observed },
        },
      }),
    )
    expect(values).toEqual({ 'list.maxLimit': 'none', 'error.invalidStatus': 422 })
  })

  it('sets the nearest value of behaviour that is none', async () => {
    const { values, provenance } = await load(
      JSON.stringify({
        assumptions: {
          'error.invalidStatus': { other: '418', nearest: 422, observed },
          'auth.status': { other: 'it responds with 418' },
        },
      }),
    )
    expect(values).toEqual({ 'error.invalidStatus': 422 })
    expect(provenance('error.invalidStatus')).toMatchObject({ observed })
  })

  it.each([
    ['{', /a\.json is not JSON/],
    ['[]', /has no object "assumptions"/],
    ['{"assumptions":[]}', /has no object "assumptions"/],
    [
      '{"assumptions":{},"values":{}}',
      /a\.json has the unknown key "values" at #\/values\. Allowed are \$schema, assumptions, broken/,
    ],
    [
      '{"assumptions":{"create.statsu":200}}',
      /a\.json is invalid\. Unknown assumption "create\.statsu"\. Did you mean "create\.status"/,
    ],
    ['{"assumptions":{"create.status":418}}', /create\.status cannot be "418"\. Use one of 201, 200/],
    ['{"assumptions":{"create.status":null}}', /create\.status cannot be "null"/],
    ['{"assumptions":{"create.status":{"observed":{}}}}', /create\.status\/observed\/host is missing/],
    [
      '{"assumptions":{"create.status":{"value":200,"seen":1}}}',
      /has the unknown key "seen" at #\/assumptions\/create\.status/,
    ],
    [
      '{"assumptions":{"create.status":{"value":200,"observed":{"host":"x"}}}}',
      /create\.status\/observed\/date is missing/,
    ],
    [
      '{"assumptions":{"create.status":{"value":200,"observed":{"host":"x","date":"yesterday"}}}}',
      /has the invalid date "yesterday"\. Write it as 2026-11-20/,
    ],
    ['{"assumptions":{"create.status":{"value":200,"upTo":3}}}', /has "upTo", which needs the value "none"/],
    ['{"assumptions":{"create.status":{"value":200,"nearest":201}}}', /has "nearest", which needs "other"/],
    ['{"assumptions":{"create.status":{"other":"207","nearest":207}}}', /create\.status cannot be "207"/],
    [
      '{"assumptions":{"create.status":{"value":200,"evidence":3}}}',
      /create\.status\/evidence has the invalid value 3/,
    ],
    ['{"assumptions":{},"broken":"list.limit"}', /#\/broken has the invalid value "list\.limit"/],
    ['{"assumptions":{"__proto__":1}}', /Unknown assumption "__proto__"/],
  ])('is refused when it is invalid: %s', async (content, message) => {
    await expect(load(content)).rejects.toThrow(PlantMockError)
    await expect(load(content)).rejects.toThrow(message)
  })

  it('is refused when it does not exist', async () => {
    await expect(loadAssumptions('nowhere.json')).rejects.toThrow('The assumptions file nowhere.json does not exist.')
  })

  it('has a published JSON Schema that equals the generated one', () => {
    expect(schemaFile).toEqual(assumptionFileSchema())
  })

  it('returns any assumptions that were written to it', async () => {
    const anyAssumptions = fc.tuple(
      ...assumptionRegistry.map((row) => fc.option(fc.constantFrom(...valuesOf(row)).map((value) => [row.id, value]))),
    )
    const property = fc.asyncProperty(anyAssumptions, async (entries) => {
      const assumptions = Object.fromEntries(entries.filter((entry) => entry !== null))
      expect((await load(JSON.stringify({ assumptions }))).values).toEqual(assumptions)
    })
    await fc.assert(property, { numRuns: runs(50) })
  })
})
