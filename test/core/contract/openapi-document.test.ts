import { isDeepStrictEqual } from 'node:util'
import { type Assume, type Assumptions, defaultAssumptions } from 'plant-mock'
import { openApiDocument } from 'plant-mock/contract'
import { describe, expect, it } from 'vitest'
import { isJsonObject } from '../../../src/util/json.ts'

const variants: Readonly<Record<string, Assume>> = {
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

type Content = { readonly schema: object; readonly examples?: Record<string, object> }
type Operation = { readonly responses: Record<string, { readonly content?: Record<string, Content> }> }

const operationsUnder = (assume: Assume): Readonly<Record<string, Operation>> => {
  const { paths } = openApiDocument({ ...defaultAssumptions, ...assume })
  return (paths as Record<string, Record<string, Operation>>)['/plants'] ?? {}
}

const differencesOf = (before: unknown, after: unknown, path = ''): readonly string[] => {
  if (isDeepStrictEqual(before, after)) return []
  if (after === undefined) return [`- ${path}`]
  const old = before ?? {}
  if (isJsonObject(old) && isJsonObject(after))
    return [...new Set([...Object.keys(old), ...Object.keys(after)])].flatMap((key) =>
      differencesOf(old[key], after[key], `${path}/${key}`),
    )
  return [
    ...(before === undefined ? [] : [`- ${path} ${JSON.stringify(before)}`]),
    `+ ${path} ${JSON.stringify(after)}`,
  ]
}

describe('the OpenAPI document', () => {
  const documentUnder = (assume: Assume) => {
    const { 'x-plant-mock-assumptions': _, ...document } = openApiDocument({ ...defaultAssumptions, ...assume })
    return document
  }

  it('is as reviewed by default', async () => {
    await expect(`${JSON.stringify(documentUnder({}), undefined, 2)}\n`).toMatchFileSnapshot('./openapi/default.json')
  })

  it.each(Object.entries(variants))('differs from that as reviewed under %s assumptions', async (name, assume) => {
    const differences = differencesOf(documentUnder({}), documentUnder(assume))
    await expect(`${differences.join('\n')}\n`).toMatchFileSnapshot(`./openapi/${name}.diff`)
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
    for (const { value, alternatives } of rows as readonly { value: unknown; alternatives: readonly unknown[] }[])
      expect(alternatives).not.toContain(value)
  })

  it('lists a failure under each status that its assumptions give it', () => {
    const { get } = operationsUnder({ 'auth.malformedStatus': 400, 'auth.unknownStatus': 403 })
    const examples = (status: number) =>
      Object.keys(get?.responses[status]?.content?.['application/problem+json']?.examples ?? {})
    expect(examples(401)).toEqual(['missing-token'])
    expect(examples(400)).toEqual(expect.arrayContaining(['missing-token', 'invalid-token', 'invalid-limit']))
    expect(examples(403)).toEqual(['invalid-token'])
  })

  it('has the refusal of a duplicate id in each form of create.duplicateId that refuses one', () => {
    const statuses = (value: 'conflict' | 'conflict-everywhere' | 'accept') =>
      Object.keys(operationsUnder({ 'create.duplicateId': value }).post?.responses ?? {})
    expect(statuses('conflict')).toContain('409')
    expect(statuses('conflict-everywhere')).toContain('409')
    expect(statuses('accept')).not.toContain('409')
  })

  it.each<[Assumptions['error.body'], string, object]>([
    ['problem', 'application/problem+json', { $ref: '#/components/schemas/Problem' }],
    ['text', 'text/plain; charset=utf-8', { type: 'string' }],
    ['html', 'text/html; charset=utf-8', { type: 'string' }],
    ['{"code":"{status}"}', 'application/json', { type: 'object' }],
    [
      'json',
      'application/json',
      {
        type: 'object',
        properties: { error: { type: 'string' }, message: { type: 'string' } },
        required: ['error', 'message'],
      },
    ],
  ])('has the schema of failures under error.body=%s', (form, type, schema) => {
    expect(operationsUnder({ 'error.body': form }).get?.responses[400]?.content?.[type]?.schema).toEqual(schema)
  })
})

describe('the operation that an assumption adds', () => {
  it.each([
    [{ 'operation.delete': 204 }, ['204', '401', '404']],
    [
      { 'operation.delete': 200, 'delete.missingStatus': 400, 'rate.limit': 'every-tenth' },
      ['200', '400', '401', '429'],
    ],
    [{ 'operation.delete': 204, 'delete.missingStatus': 204 }, ['204', '401']],
  ] as const)('has under %j the responses %j', (assume, statuses) => {
    const { paths } = openApiDocument({ ...defaultAssumptions, ...assume })
    const { delete: operation } = (paths as Record<string, Record<string, Operation>>)['/plants/{id}'] ?? {}
    expect(Object.keys(operation?.responses ?? {})).toEqual(statuses)
  })
})
