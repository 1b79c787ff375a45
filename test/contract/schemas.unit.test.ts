import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultAssumptions } from '../../src/assumptions/registry.ts'
import { plantValidator, validateFixturePlant } from '../../src/contract/schemas.ts'

/** Nearly plants: each field right, wrong, or not there, and now and then one more. */
const nearlyPlant = fc.record(
  {
    name: fc.oneof(fc.string(), fc.jsonValue()),
    id: fc.oneof(fc.integer(), fc.double(), fc.maxSafeInteger(), fc.jsonValue()),
    tag: fc.oneof(fc.string(), fc.jsonValue()),
    extra: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

/** The same value as another kind of object, which the shortcut for plain plants does not know. */
const asFixture = (value: object) => ({ access: ['alice'], ...value })

describe('the check of a plant', () => {
  it('lets a plain plant through exactly when the schema does', () => {
    const quick = plantValidator(defaultAssumptions)
    const strict = plantValidator({ ...defaultAssumptions, 'create.unknownFields': 'reject' })
    fc.assert(
      fc.property(nearlyPlant, ({ extra: _, ...value }) => {
        expect(quick(value)).toEqual(strict(value))
      }),
    )
  })

  it('lets a plain plant of a fixture through exactly when the schema does', () => {
    fc.assert(
      fc.property(nearlyPlant, (value) => {
        expect('value' in validateFixturePlant(value)).toBe('value' in validateFixturePlant(asFixture(value)))
      }),
    )
  })

  it.each([[null], [[]], ['text'], [7], [undefined]])('takes %j for no plant', (value) => {
    expect(validateFixturePlant(value)).toHaveProperty('errors')
    expect(plantValidator(defaultAssumptions)(value)).toHaveProperty('errors')
  })
})
