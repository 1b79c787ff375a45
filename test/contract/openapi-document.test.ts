import { type Assume, defaultAssumptions } from 'plant-mock'
import { openApiDocument } from 'plant-mock/contract'
import { describe, expect, it } from 'vitest'

/** Values that change the document as much as possible, in two ways. */
const variants: Readonly<Record<string, Assume>> = {
  default: {},
  strict: {
    'auth.status': 403,
    'create.required': 'name',
    'create.unknownFields': 'reject',
    'create.emptyStrings': 'reject',
    'create.status': 200,
    'error.body': 'json',
    'error.invalidStatus': 422,
    'list.defaultLimit': 20,
    'list.maxLimit': 'reject',
    'list.zeroLimit': 'reject',
    'rate.limit': 'every-tenth',
  },
  lenient: {
    'auth.tokens': 'listed',
    'create.contentType': 'ignore',
    'create.duplicateId': 'accept',
    'create.duplicateStatus': 400,
    'error.body': 'empty',
    'error.syntaxBody': 'text',
    'list.invalidLimit': 'ignore',
    'list.maxLimit': 'clamp:50',
    'operation.other': 404,
  },
}

describe('the OpenAPI document', () => {
  it.each(Object.keys(variants))('is as reviewed under %s assumptions', async (name) => {
    const { 'x-plant-mock-assumptions': _, ...document } = openApiDocument({ ...defaultAssumptions, ...variants[name] })
    const text = `${JSON.stringify(document, undefined, 2)}\n`
    await expect(text).toMatchFileSnapshot(`./openapi/${name}.json`)
  })

  it('lists every assumption with its value, its meaning and the other values', () => {
    const { 'x-plant-mock-assumptions': rows } = openApiDocument({ ...defaultAssumptions, 'list.order': 'newest' })
    expect(rows).toHaveLength(Object.keys(defaultAssumptions).length)
    expect((rows as readonly { id: string }[]).find(({ id }) => id === 'list.order')).toMatchObject({
      section: '4.2',
      value: 'newest',
      meaning: expect.stringContaining('newest'),
      alternatives: expect.arrayContaining(['added', 'name']),
    })
  })
})
