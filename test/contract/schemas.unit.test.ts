import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { defaultAssumptions } from '../../src/assumptions/registry.ts'
import { plantValidator, validateFixturePlant } from '../../src/contract/schemas.ts'

/** Plants whose fields are valid, invalid or missing, some with another field. */
const nearlyPlant = fc.record(
  {
    name: fc.oneof(fc.string(), fc.jsonValue()),
    id: fc.oneof(fc.integer(), fc.double(), fc.maxSafeInteger(), fc.jsonValue()),
    tag: fc.oneof(fc.string(), fc.jsonValue()),
    extra: fc.jsonValue(),
  },
  { requiredKeys: [] },
)

/** The field `access` leads past the fast path for plain plants. */
const withAccess = (value: object) => ({ access: ['alice'], ...value })

describe('the validator of plants', () => {
  it('has a fast path for plain plants that agrees with the schema', () => {
    const fast = plantValidator(defaultAssumptions)
    const schema = plantValidator({ ...defaultAssumptions, 'create.unknownFields': 'reject' })
    fc.assert(
      fc.property(nearlyPlant, ({ extra: _, ...value }) => {
        expect(fast(value)).toEqual(schema(value))
      }),
    )
  })

  it('has a fast path for plain fixtures that agrees with the schema', () => {
    fc.assert(
      fc.property(nearlyPlant, (value) => {
        expect('value' in validateFixturePlant(value)).toBe('value' in validateFixturePlant(withAccess(value)))
      }),
    )
  })

  it.each([[null], [[]], ['text'], [7], [undefined]])('refuses %j', (value) => {
    expect(validateFixturePlant(value)).toHaveProperty('errors')
    expect(plantValidator(defaultAssumptions)(value)).toHaveProperty('errors')
  })
})
