import fc from 'fast-check'
import { PlantMockError } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { parseYaml } from '../../../src/util/yaml.ts'
import { readDocument } from '../../../src/verify/sources/document.ts'
import { runs } from '../../support/runs.ts'

const read = (yaml: string) => {
  const parsed = parseYaml(yaml)
  if ('error' in parsed) throw new Error(parsed.error)
  return readDocument(parsed.value, 'x.yaml')
}
const valuesOf = ({ entries }: ReturnType<typeof readDocument>) =>
  Object.fromEntries([...entries].map(([id, entry]) => [id, 'value' in entry ? entry.value : entry]))
const notesOf = ({ notes }: ReturnType<typeof readDocument>) =>
  notes.map(({ kind, text, section }) => `${kind}${section === undefined ? '' : ` ${section}`}: ${text}`)

const createOf = (responses: string, body = '{}') => `
openapi: 3.1.0
paths:
  /plants:
    post:
      requestBody: {content: {application/json: {schema: ${body}}}}
      responses: ${responses}
`
const bodyOf = (schema: string) => `{content: {application/json: {schema: ${schema}}}}`

type Row = readonly [name: string, yaml: string, values: object, notes: readonly string[]]

const only400 = {
  'auth.status': 400,
  'auth.unknownStatus': 'same',
  'auth.malformedStatus': 'same',
  'create.duplicateStatus': 400,
  'error.invalidStatus': 400,
  'error.syntaxStatus': 'same',
}

const documents: readonly Row[] = [
  [
    '3.0 with references, allOf and 400 for everything',
    `
openapi: 3.0.3
security: [{token: []}]
paths:
  /plants:
    get:
      parameters: [{$ref: '#/components/parameters/limit'}]
      responses:
        '200': {content: {application/json: {schema: {type: array, items: {$ref: '#/components/schemas/Shown'}}}}}
        '400': {$ref: '#/components/responses/Refused'}
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/New'}}}}
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Shown'}}}}
        '400': {$ref: '#/components/responses/Refused'}
  /plants/{id}:
    delete: {responses: {'204': {description: gone}}}
components:
  parameters:
    limit: {name: limit, in: query, schema: {type: integer, format: int32}}
  responses:
    Refused: {content: {application/json: {schema: {$ref: '#/components/schemas/Trouble'}}}}
  schemas:
    Shown: {type: object, required: [name], properties: {name: {type: string}, tag: {type: string}}}
    New:
      allOf:
        - $ref: '#/components/schemas/Shown'
        - {type: object, required: [id], properties: {id: {type: integer, format: int64}}}
    Trouble:
      type: object
      required: [code, reason]
      properties: {code: {type: integer, format: int32}, reason: {type: string}}
  securitySchemes:
    token: {type: http, scheme: bearer}
`,
    {
      'create.status': 200,
      'list.status': 200,
      'create.required': 'name+id',
      'create.missingTag': 'omit',
      'create.idRange': 'int64',
      ...only400,
      'error.limitStatus': 'same',
      'error.body': '{"code":"{status}","reason":"{detail}"}',
      'operation.delete': 204,
    },
    [],
  ],
  [
    '3.1 with a base path, nullable tags, and failures of their own',
    `
openapi: 3.1.0
servers: [{url: 'https://garden.example/{stage}/', variables: {stage: {default: live}}}]
paths:
  /v2/plants:
    parameters: [{name: limit, in: query, schema: {type: integer, minimum: 1, maximum: 50, default: '25'}}]
    get:
      responses:
        '200':
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Plant'}}
        '422': {content: {application/problem+json: {schema: {$ref: '#/components/schemas/Problem'}}}}
        '401': {content: {application/json: {schema: {type: object, properties: {error: {type: string}}}}}}
    post:
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [name, id]
              additionalProperties: false
              properties:
                name: {type: string, minLength: 1}
                id: {type: integer, minimum: -2147483648, maximum: 2147483647}
                tag: {type: [string, 'null']}
      responses:
        '201': {content: {application/json: {schema: {$ref: '#/components/schemas/Plant'}}}}
        '409': {description: taken}
        '415': {description: another type}
        '422': {content: {application/problem+json: {schema: {$ref: '#/components/schemas/Problem'}}}}
components:
  schemas:
    Plant:
      type: object
      required: [name, tag]
      properties: {name: {type: string}, tag: {type: [string, 'null']}}
    Problem:
      type: object
      required: [title, status]
      properties: {title: {type: string}, status: {type: integer}, detail: {type: string}}
`,
    {
      'create.status': 201,
      'list.status': 200,
      'create.required': 'name+id',
      'create.unknownFields': 'reject',
      'create.emptyStrings': 'reject-name',
      'create.missingTag': 'null',
      'create.nullTag': 'absent',
      'create.idRange': 'int32',
      'list.defaultLimit': 25,
      'list.maxLimit': 'reject:50',
      'list.zeroLimit': 'reject',
      'auth.status': 401,
      'error.invalidStatus': 422,
      'error.limitStatus': 'same',
      'create.duplicateStatus': 409,
      'create.contentType': 'require',
      'error.body': 'problem',
      'error.authBody': '{"error":"{detail}"}',
    },
    [],
  ],
  [
    '3.2 with default alone, and a webhook',
    `
openapi: 3.2.0
paths:
  /plants:
    post:
      requestBody: {content: {application/json: {schema: {type: object, properties: {name: {}, id: {}, tag: {}}}}}}
      responses:
        '202': {description: later}
        default:
          content:
            application/vnd.trouble+json:
              schema: {type: object, properties: {error: {type: object, properties: {text: {type: string}, status: {type: integer}}}}}
webhooks: {planted: {post: {responses: {'200': {description: ok}}}}}
`,
    {
      'create.status': 202,
      'error.body': 'application/vnd.trouble+json {"error":{"text":"{detail}","status":"{status}"}}',
    },
    ['outside: 1 webhook'],
  ],
  [
    'a chain of references with escapes, and siblings that count since 3.1',
    `
openapi: 3.1.1
paths:
  /plants: {$ref: '#/components/pathItems/a~1b%20c'}
components:
  pathItems:
    a/b c:
      post:
        requestBody: {$ref: '#/components/requestBodies/one'}
        responses: {'201': {description: ok}}
  requestBodies:
    one: {$ref: '#/components/requestBodies/two'}
    two: {content: {'*/*': {schema: {$ref: '#/components/schemas/New', required: [id]}}}}
  schemas:
    New: {type: object, required: [name, tag], properties: {name: {type: string}, id: {type: integer}, tag: {type: string}}}
`,
    { 'create.status': 201, 'create.required': 'name+id+tag' },
    [],
  ],
  [
    'siblings of a reference, which 3.0 ignores',
    `${createOf('{}', "{$ref: '#/components/schemas/New', required: [id]}").replace('3.1.0', '3.0.0')}
components: {schemas: {New: {type: object, required: [name], properties: {name: {}, id: {}, tag: {}}}}}
`,
    { 'create.required': 'name' },
    [],
  ],
  [
    'failures of several forms',
    createOf(
      `{'200': {description: ok}, '201': {description: created}, '422': {description: invalid}, '400': ${bodyOf(
        '{oneOf: [{type: object, properties: {a: {type: string}}}, {type: object, properties: {b: {type: string}}}]}',
      )}}`,
    ),
    {},
    [
      'unsupported: 200 and 201 are listed, but not which of them a create returns.',
      'unsupported: 400 and 422 are listed, but not which of the two an invalid create returns.',
      'unsupported: error.body stays open: its schema does not determine its content.',
    ],
  ],
  [
    'failures of several schemas, which are the same',
    `
openapi: 3.1.0
paths:
  /plants:
    post:
      responses:
        '400':
          content:
            application/json:
              schema:
                type: object
                required: [kind, errors, at]
                properties: {kind: {const: invalid}, at: {type: string, format: date-time}, hint: {enum: [x, y]}}
                anyOf:
                  - properties: {errors: {type: array, items: {type: object, properties: {field: {type: string}, text: {type: string}}}}}
                  - properties: {errors: {type: array, items: {type: object, properties: {field: {type: string}, text: {type: string}}}}}
`,
    {
      'error.invalidStatus': 400,
      'create.duplicateStatus': 400,
      'error.syntaxStatus': 'same',
      'error.body': '{"kind":"invalid","at":"2000-01-01T00:00:00Z","errors":[{"field":"{field}","text":"{detail}"}]}',
    },
    [],
  ],
  [
    'failures of 4XX, which default does not describe, and of 401 and 403',
    createOf(
      `{4XX: ${bodyOf('{properties: {error: {type: string}}}')}, default: {content: {text/html: {}}},
        '401': {content: {text/html: {}}}, '403': {content: {text/plain: {}}}}`,
    ),
    { 'auth.status': 401, 'error.body': '{"error":"{detail}"}' },
    ['unsupported: error.authBody stays open: the bodies of 401 and 403 differ.'],
  ],
  [
    'another service in almost everything',
    `
openapi: 3.0.0
security: [{key: []}]
paths:
  /plants:
    put: {responses: {'204': {description: ok}}}
    get:
      parameters:
        - {name: limit, in: query, required: true, schema: {type: string}}
        - {name: page, in: query, schema: {type: integer}}
        - {name: X-Trace, in: header, schema: {type: string}}
      responses:
        '200':
          headers: {X-Total: {schema: {type: integer}}, Content-Type: {}, date: {}}
          content:
            application/json:
              schema: {type: object, properties: {items: {type: array}}}
            application/xml: {}
        '404': {description: none}
  /plants/{id}: {delete: {responses: {'202': {}}}}
components: {securitySchemes: {key: {type: apiKey, in: header, name: X-Key}}}
`,
    { 'list.status': 200 },
    [
      'unsupported 4.3: The mock supports none of the listed success statuses.',
      'contradicts 4.1: Plants are created by PUT, not POST.',
      'unsupported: The mock sends no header X-Total.',
      'contradicts 4.2: The list is object, not array.',
      'unsupported: limit is required; the mock also lists without limit.',
      'contradicts 4.2: limit is string, not integer.',
      'unsupported: The mock ignores these parameters: page, X-Trace.',
      'unsupported: The mock does not send application/xml.',
      'contradicts 5: A request needs key, not a bearer token alone.',
      'unsupported: 404: the document does not say for which requests, so the mock never returns this.',
    ],
  ],
  [
    'plants of another shape',
    `
openapi: 3.1.0
paths:
  /plants:
    post:
      security: []
      requestBody:
        content:
          application/json:
            schema:
              type: object
              required: [id, name, species]
              properties:
                id: {type: string, readOnly: true}
                name: {type: string, maxLength: 20, minLength: 3}
                tag: {type: string, enum: [indoor, outdoor], minLength: 1, default: indoor}
                species: {type: string}
      responses:
        '201': {content: {application/json: {schema: {type: object, properties: {id: {type: integer}, tag: {type: number}}}}}}
        5XX: {description: ours}
`,
    { 'create.status': 201, 'create.required': 'name', 'create.emptyStrings': 'reject' },
    [
      'contradicts 2.1, 4.1: The response of a create has id.',
      'contradicts 2.1, 4.1: The response of a create has no name.',
      'contradicts 2: tag is number, not string.',
      'contradicts 4.1: A create has no id.',
      'contradicts 2: id is string, not integer.',
      'contradicts 4.1: A create needs further fields: species.',
      'unsupported: The mock accepts a shorter name.',
      'unsupported: The mock does not check maxLength of name: 20.',
      'unsupported: The mock does not check enum of tag: ["indoor","outdoor"].',
      'unsupported: The mock does not fill in the default tag "indoor".',
      'contradicts 5: A request needs no token.',
    ],
  ],
  [
    'references out of the document, to nothing and in a circle',
    `
openapi: 3.1.0
paths:
  /plants:
    get:
      responses: {'200': {$ref: 'responses.yaml#/ok'}}
    post:
      requestBody: {$ref: '#/components/requestBodies/a'}
      responses: {'201': {$ref: '#/nowhere'}, '400': {content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}}}
components:
  requestBodies: {a: {$ref: '#/components/requestBodies/b'}, b: {$ref: '#/components/requestBodies/a'}}
  schemas:
    Tree: {type: object, required: [text], allOf: [{$ref: '#/components/schemas/Tree'}], properties: {text: {type: string}, cause: {$ref: '#/components/schemas/Tree'}}}
`,
    {
      'create.status': 201,
      'list.status': 200,
      'error.invalidStatus': 400,
      'create.duplicateStatus': 400,
      'error.syntaxStatus': 'same',
      'error.body': '{"text":"{detail}"}',
    },
    [
      'contradicts 4.2, 8: The list has no query parameter limit.',
      'unsupported: The reference #/nowhere leads to nothing.',
      'unsupported: The reference responses.yaml#/ok leads out of the document, which is not read from a folder.',
      'unsupported: The reference #/components/requestBodies/a leads back to itself, or through too many references.',
    ],
  ],
  [
    'names of prototypes, which are data',
    `
openapi: 3.0.0
__proto__: {paths: {}}
paths:
  constructor: {get: {responses: {}}}
  /plants:
    post:
      requestBody: {content: {application/json: {schema: {type: object, required: [constructor, name], properties: {name: {}, id: {}, tag: {}, __proto__: {type: string}}}}}}
      responses:
        '400': {content: {application/json: {schema: {type: object, required: [toString], properties: {__proto__: {type: string}, toString: {type: integer}}}}}}
`,
    {
      'create.required': 'name',
      'error.invalidStatus': 400,
      'create.duplicateStatus': 400,
      'error.syntaxStatus': 'same',
      'error.body': '{"__proto__":"{detail}","toString":"{status}"}',
    },
    ['outside: GET constructor', 'contradicts 4.1: A create needs further fields: constructor.'],
  ],
  [
    'two versions of the service',
    `
openapi: 3.0.0
paths:
  /v1/plants: {get: {responses: {'200': {description: ok}}}}
  /v2/plants: {get: {responses: {'200': {description: ok}}}}
  /shops/{shop}/plants: {get: {responses: {'200': {description: ok}}}}
`,
    {},
    [
      'outside: GET /shops/{shop}/plants',
      'unsupported: /v1/plants and /v2/plants may each be the service, so none was read. Remove all but one.',
    ],
  ],
  [
    'a version in the path, a tag that may be absent or null, failures as text, and a limit by bounds of 3.0 as text',
    `
openapi: 3.0.2
paths:
  /v{major}/plants:
    parameters: [{name: major, in: path, schema: {default: 2}}]
    get:
      parameters: [{name: limit, in: query, schema: {type: integer, minimum: '0', maximum: '100', exclusiveMaximum: true}}]
      responses:
        '200': {content: {application/json;charset=utf-8: {schema: {type: array, items: {type: object, required: [name], properties: {name: {type: string}, tag: {type: string, nullable: true}}}}}}}
        '400': {content: {text/plain: {schema: {type: string}}}}
        '403': {description: no}
    post:
      requestBody: {content: {application/json: {schema: {properties: {name: {}, id: {}, tag: {type: string, nullable: true}}}}}}
      responses: {'400': {description: no}, '401': {description: no}}
`,
    {
      'create.nullTag': 'null',
      'list.status': 200,
      'list.maxLimit': 'reject:99',
      'list.zeroLimit': 'empty',
      'json.contentType': 'application/json;charset=utf-8',
      'error.invalidStatus': 400,
      'error.limitStatus': 'same',
      'error.body': 'text',
    },
    ['unsupported: One operation lists 401, the other 403: the status of a missing token stays open.'],
  ],
  [
    'a path with a slash at its end, and a plant inside of an object',
    createOf(
      "{'201': {description: created}}",
      '{required: [plant], additionalProperties: false, properties: {plant: {properties: {name: {type: string}}}}}',
    ).replace('/plants', '/api/plants/'),
    { 'create.status': 201 },
    [
      'contradicts 4: The path ends with a slash, which the mock does not serve.',
      'contradicts 4.1: A create has no name and no id and no tag.',
    ],
  ],
  [
    '400 alone, where a token may be left out',
    `
openapi: 3.1.0
paths:
  /plants:
    post:
      security: [{}, {token: []}]
      requestBody: {content: {application/x-www-form-urlencoded: {}}}
      responses: {'201': {description: created}, '400': {description: no}}
`,
    { 'create.status': 201, 'create.duplicateStatus': 400, 'error.invalidStatus': 400, 'error.syntaxStatus': 'same' },
    [
      'contradicts 5: A request needs no token.',
      'contradicts 4.1: The body of a create is application/x-www-form-urlencoded, not JSON.',
    ],
  ],
  [
    'ids with narrower bounds than their format',
    createOf(
      "{'201': {description: created}}",
      '{type: object, properties: {name: {}, tag: {}, id: {type: integer, format: int64, minimum: 1, maximum: 100}}}',
    ),
    { 'create.status': 201 },
    [
      'unsupported: The mock does not check maximum of id: 100.',
      'unsupported: The mock does not check minimum of id: 1.',
    ],
  ],
  [
    'fields that are required under conditions',
    createOf(
      "{'201': {description: created}}",
      '{type: object, required: [name, id], dependentRequired: {name: [tag]}, properties: {name: {}, tag: {}, id: {}}}',
    ),
    { 'create.status': 201 },
    ['unsupported: dependentRequired: the required fields of a create stay open.'],
  ],
  [
    'a delete below a base path, beside an operation that is not served',
    `
openapi: 3.0.0
paths:
  /v1/plants: {get: {responses: {}}}
  /v1/plants/{plantId}:
    get: {responses: {}}
    delete: {responses: {'202': {}, '200': {}, '404': {}, '400': {}}}
  /plants/{id}:
    delete: {responses: {'204': {}}}
`,
    { 'operation.delete': 200, 'delete.missingStatus': 404 },
    [
      'outside: GET /v1/plants/{plantId}',
      'outside: DELETE /plants/{id}',
      'contradicts 4.2, 8: The list has no query parameter limit.',
    ],
  ],
]

describe('an OpenAPI document', () => {
  it.each(documents)('of %s has these values and notes', (_, yaml, values, notes) => {
    const reading = read(yaml)
    expect(valuesOf(reading)).toEqual(values)
    expect([...notesOf(reading)].sort()).toEqual([...notes].sort())
  })

  it('has a place for each value', () => {
    const { entries, basePath } = read(documents[1]?.[1] ?? '')
    expect(Object.fromEntries([...entries].map(([id, entry]) => [id, 'place' in entry && entry.place]))).toMatchObject({
      'create.status': 'x.yaml: paths./v2/plants.post.responses (only 201 is listed)',
      'create.missingTag': 'x.yaml: components.schemas.Plant.properties.tag (required, nullable)',
      'list.maxLimit': 'x.yaml: paths./v2/plants.parameters.0.schema.maximum',
      'error.body': 'x.yaml: paths./v2/plants.post.responses.422',
    })
    expect(basePath).toBe('/live/v2')
  })

  it.each([
    ['https://plants.example/v1/', '/v1'],
    ['//plants.example/v1', '/v1'],
    ['v1', '/v1'],
    ['./', undefined],
    ['https://plants.example', undefined],
    ['/{stage}', undefined],
    ['https://plants.example:{port}/v1', '/v1'],
    ['https://h:port/v1', '/v1'],
    ['localhost:8080/v1', undefined],
  ])('has the base path of the server %s', (url, expected) => {
    const { basePath } = readDocument(
      { openapi: '3.1.0', servers: [{ url }], paths: { '/plants': { get: {} } } },
      'x.json',
    )
    expect(basePath).toBe(expected)
  })

  it.each([
    ['has the version "3.3.0" of OpenAPI', { openapi: '3.3.0' }],
    ['has no path that ends in /plants with get or post', { openapi: '3.0.0', paths: { '/plants': { delete: {} } } }],
    ['has no path that ends in /plants', { openapi: 3.1 }],
    [
      'has paths in other files, but the reference ./paths/plants.yaml leads out of the document',
      { openapi: '3.0.0', paths: { '/plants': { $ref: './paths/plants.yaml' } } },
    ],
    [
      'has the path /api/Plants, but the contract has /plants',
      { openapi: '3.0.0', paths: { '/api/Plants': { get: {} } } },
    ],
    [
      'has the path /v{major}/plants, whose parameter has no default',
      { openapi: '3.0.0', paths: { '/v{major}/plants': { get: {} } } },
    ],
  ])('%s', (message, document) => {
    expect(() => readDocument(document, 'x.json')).toThrow(PlantMockError)
    expect(() => readDocument(document, 'x.json')).toThrow(message)
  })

  it('of 100,000 paths, and of schemas with as many parts or names, is read, and few of the paths are named', () => {
    const paths = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`/things/${i}`, { get: {} }]))
    const wide = Array.from({ length: 500 }, (_, i) => ({
      properties: Object.fromEntries(Array.from({ length: 200 }, (_, j) => [`field-${i}-${j}`, {}])),
    }))
    const schema = { allOf: Array.from({ length: 200_000 }, () => ({ required: ['name'] })) }
    const post = {
      requestBody: { content: { 'application/json': { schema } } },
      responses: { 201: { content: { 'application/json': { schema: { allOf: wide } } } } },
    }
    const reading = readDocument({ openapi: '3.0.0', paths: { ...paths, '/plants': { post } } }, 'x.json')
    expect([valuesOf(reading), reading.notes.length]).toEqual([{ 'create.status': 201 }, 23])
  })

  it('of any content is read or refused with a reason', () => {
    const words =
      'type properties required $ref allOf oneOf items format enum const name in schema content ' +
      'application/json 400 default toString __proto__ minimum maxLength maxItems tag limit parameters responses requestBody headers security'
    const word = fc.constantFrom(...words.split(' '))
    const scalar = fc.oneof(
      word,
      fc.constantFrom('object', 'array', 'string', 'integer', '#/paths', '#', '#/%', 'query', true, null, 1e9, -1),
    )
    const { node } = fc.letrec<{ node: unknown }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 6 },
        scalar,
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(word, tie('node'), { maxKeys: 5 }),
      ),
    }))
    const operation = fc.record({ parameters: node, requestBody: node, responses: node, security: node })
    const document = fc.record({
      openapi: fc.constantFrom('3.0.0', '3.1.0'),
      servers: node,
      components: node,
      security: node,
      paths: fc.record({ '/plants': fc.record({ get: operation, post: operation }) }),
    })
    fc.assert(
      fc.property(fc.oneof(document, node), (value) => {
        try {
          readDocument(value, 'x.json')
        } catch (error) {
          expect(error).toBeInstanceOf(PlantMockError)
        }
      }),
      { numRuns: runs(3000) },
    )
  })
})

const example = '{content: {application/json: {example: {code: 12}}}}'
const unread = 'error.body stays open: it has no schema, and an example alone is not read.'
const unreadToo = unread.replace('error.body', 'error.syntaxBody')

const listOf = (limit: string, list = '') => `
openapi: 3.0.3
paths:
  /plants:
    get:
      parameters: [{name: limit, in: query, schema: {type: integer, ${limit}}}]
      responses: {'200': ${bodyOf(`{type: array, items: {}${list}}`)}}
`

describe('a nullable tag with an enum', () => {
  it.each([
    ['type: string, nullable: true, enum: [a, b]', undefined],
    ['type: [string, "null"], enum: [a]', undefined],
    ['type: string, nullable: true, enum: [a, null]', 'absent'],
    ['anyOf: [{type: "null"}, {enum: [a]}]', 'absent'],
  ])('may be null only if the enum has null: %s', (tag, value) => {
    const reading = read(createOf('{}', `{properties: {name: {}, id: {}, tag: {${tag}}}}`))
    expect(valuesOf(reading)['create.nullTag']).toBe(value)
  })
})

describe('the parameter limit', () => {
  const limitOf = (member: string) => read(`{openapi: 3.1.0, paths: {/plants: {${member}, get: {responses: {}}}}}`)
  const missing = 'contradicts 4.2, 8: The list has no query parameter limit.'

  it.each([
    ['parameters: []', [missing]],
    ['parameters: [{name: limit, in: header}]', [missing, 'unsupported: The mock ignores these parameters: limit.']],
    ['parameters: [{$ref: x.yaml}]', [expect.stringContaining('The reference x.yaml leads out of the document')]],
    ['$ref: x.yaml', [expect.stringContaining('The reference x.yaml leads out of the document')]],
  ])('is missing only if every parameter can be read: %s', (member, notes) => {
    expect(notesOf(limitOf(member))).toEqual(notes)
  })
})

describe('a required parameter', () => {
  const parametersOf = (create: string, list: string) => `
openapi: 3.1.0
paths:
  /plants:
    parameters: [{name: limit, in: query}, {name: Authorization, in: header, required: true}]
    post: {parameters: [${create}], responses: {}}
    get: {parameters: [${list}], responses: {}}
`
  const tenant = '{name: X-Tenant, in: header, required: true}'
  const shop = '{name: shop, in: cookie, required: true}'

  it.each([
    ['of a create', tenant, '', ['contradicts 4.1: A create needs further parameters: X-Tenant.']],
    [
      'of a list, beside an optional parameter, which the mock ignores',
      '',
      `{name: page, in: query}, ${tenant}, ${shop}`,
      [
        'contradicts 4.2: A list needs further parameters: shop, X-Tenant.',
        'unsupported: The mock ignores these parameters: page.',
      ],
    ],
    ['that every client sends', '{name: Content-Type, in: header, required: true}', '', []],
    ['that is optional for a create', '{name: X-Trace, in: header}', '', []],
  ])('%s is named unless clients of the contract send the parameter', (_, create, list, notes) => {
    expect(notesOf(read(parametersOf(create, list)))).toEqual(notes)
  })
})

describe('maxItems of the list', () => {
  const more = ['The mock may list more plants than maxItems: 30.']

  it.each([
    ['cuts lists, if nothing else states the maximum', '', ', maxItems: 30', 'clamp:30', []],
    ['as text cuts lists', '', ', allOf: [{maxItems: "30"}, {maxItems: 50}]', 'clamp:30', []],
    ['is named, if limit has a greater maximum', 'maximum: 1000', ', maxItems: 30', 'reject:1000', more],
    ['is named, if lists without limit have no maximum', 'maximum: 20', ', maxItems: 30', 'reject:20', more],
    ['is kept by limit and its default', 'maximum: 30, default: 20', ', maxItems: 30', 'reject:30', []],
    [
      'is named, if the default is none of the mock',
      'maximum: 30, default: 0',
      ', maxItems: 30',
      'reject:30',
      ['The mock cannot list 0 plants by default.', ...more],
    ],
    ['is kept by no maximum below 1', 'maximum: 0.5', '', undefined, ['The mock cannot refuse limits above 0.']],
    ['of 0 is named', '', ', maxItems: 0', undefined, ['The mock may list more plants than maxItems: 0.']],
  ])('%s', (_, limit, list, value, notes) => {
    const reading = read(listOf(limit, list))
    expect([valuesOf(reading)['list.maxLimit'], reading.notes.map(({ text }) => text)]).toEqual([value, notes])
  })
})

describe('bounds in several parts of a schema', () => {
  const idOf = (schema: string) => createOf('{}', `{properties: {name: {}, tag: {}, id: {allOf: [${schema}]}}}`)

  it.each([
    ['the least maximum', listOf('allOf: [{maximum: 60}, {maximum: 40}]'), { 'list.maxLimit': 'reject:40' }],
    ['the greatest minimum', listOf('allOf: [{minimum: 0}, {minimum: 1}]'), { 'list.zeroLimit': 'reject' }],
    ['maximum', listOf('maximum: 40, allOf: [{exclusiveMaximum: 60}]'), { 'list.maxLimit': 'reject:40' }],
    ['maximum that is a fraction', listOf('maximum: 50.5'), { 'list.maxLimit': 'reject:50' }],
    ['minimum that is finite', listOf('minimum: 0, allOf: [{minimum: .inf}]'), { 'list.zeroLimit': 'empty' }],
    ['exclusiveMaximum that is a fraction', listOf('exclusiveMaximum: 50.5'), { 'list.maxLimit': 'reject:50' }],
    ['exclusiveMinimum that is a fraction', listOf('exclusiveMinimum: -0.5'), { 'list.zeroLimit': 'empty' }],
    ['exclusiveMaximum', listOf('maximum: 60, allOf: [{exclusiveMaximum: 40}]'), { 'list.maxLimit': 'reject:39' }],
    [
      'a maximum of which another is exclusive',
      listOf('maximum: 40, allOf: [{maximum: 60, exclusiveMaximum: true}]'),
      { 'list.maxLimit': 'reject:40' },
    ],
    [
      'the least maximum of ids',
      idOf('{maximum: 9007199254740991}, {maximum: 2147483647}'),
      { 'create.idRange': 'int32' },
    ],
  ])('count by the strictest: %s', (_, yaml, values) => {
    expect(valuesOf(read(yaml))).toMatchObject(values)
  })
})

describe('the body of unreadable requests', () => {
  const json = bodyOf('{properties: {error: {type: string}}}')
  const [html, text] = ['{content: {text/html: {}}}', '{content: {text/plain: {}}}']
  const differ = (id: string, ...statuses: string[]) =>
    `${id} stays open: the bodies of ${statuses.join(' and ')} differ.`

  it.each([
    ['the body of 413, if nothing tells the body of broken JSON', `'413': ${html}`, 'html'],
    ['the body of 413 and 415, if they agree', `'400': {description: no}, '413': ${html}, '415': ${html}`, 'html'],
    [
      'open, if 400 has another body',
      `'400': ${json}, '413': ${html}`,
      undefined,
      differ('error.syntaxBody', '400', '413'),
    ],
    [
      'open, if 422 alone has another body',
      `'422': ${json}, '415': ${text}`,
      undefined,
      differ('error.syntaxBody', '422', '415'),
    ],
    [
      'open, if 4XX has another body',
      `4XX: ${json}, '413': ${html}`,
      undefined,
      differ('error.syntaxBody', '4XX', '413'),
    ],
    [
      'the body of 400, not of 422',
      `'400': ${html}, '422': ${json}, '415': ${html}`,
      'html',
      differ('error.body', '400', '422'),
    ],
    ['open, if 400 has an example alone', `'400': ${example}, '413': ${html}`, undefined, unread, unreadToo],
    ['open, if 400 and 413 have the usual body', `'400': ${json}, '413': ${json}`, undefined],
  ])('is %s', (_, responses, expected, ...notes) => {
    const reading = read(createOf(`{${responses}}`))
    const texts = reading.notes.map(({ text: one }) => one).filter((one) => one.includes('stays open'))
    expect([valuesOf(reading)['error.syntaxBody'], texts]).toEqual([expected, notes])
  })
})

describe('a failure of a document', () => {
  const text = '{type: string}'
  const formOf = (properties: string, required: string) => {
    const failure = bodyOf(`{type: object, required: [${required}], properties: {${properties}}}`)
    return valuesOf(read(createOf(`{'422': ${failure}}`)))['error.body']
  }

  it.each([
    ['a text that is optional', `message: ${text}`, '', '{"message":"{detail}"}'],
    ['an optional code without words', `code: ${text}, message: ${text}`, '', '{"message":"{detail}"}'],
    ['a required code', `errorCode: ${text}`, 'errorCode', '{"errorCode":"{status:text}"}'],
    ['a code with an example', 'code: {type: string, example: BAD}', '', '{"code":"BAD"}'],
    ['a code with examples of 3.1', 'kind: {type: string, examples: [1, bad]}', 'kind', '{"kind":"bad"}'],
    [
      'a code whose example is a placeholder',
      'code: {type: string, example: "{title}"}',
      'code',
      '{"code":"{status:text}"}',
    ],
    ['a code of several words', 'code: {type: string, enum: [A, B]}', 'code', undefined],
    [
      'a status as text',
      `status: ${text}, error: ${text}, message: ${text}`,
      '',
      '{"status":"{status:text}","error":"{title}","message":"{detail}"}',
    ],
    ['an optional instance', `instance: ${text}, message: ${text}`, '', '{"message":"{detail}"}'],
    ['a code whose example is a status', 'code: {type: string, example: "404"}', '', '{"code":"{status:text}"}'],
    ['an optional id of a trace', `traceId: ${text}, message: ${text}`, '', '{"message":"{detail}"}'],
    [
      'a required id and time',
      `requestId: ${text}, timestamp: ${text}`,
      'requestId, timestamp',
      '{"requestId":"00000000-0000-0000-0000-000000000000","timestamp":"2000-01-01T00:00:00Z"}',
    ],
    ['the words of the status', `error: ${text}, message: ${text}`, '', '{"error":"{title}","message":"{detail}"}'],
    ['an error alone', `error: ${text}`, '', '{"error":"{detail}"}'],
    ['a title', `title: ${text}`, '', '{"title":"{title}"}'],
    ['the path of the request', `path: ${text}`, '', '{"path":"{path}"}'],
    [
      'the path of a field in a list',
      `errors: {type: array, items: {type: object, required: [path], properties: {path: ${text}}}}`,
      'errors',
      '{"errors":[{"path":"{field}"}]}',
    ],
  ])('has %s', (_, properties, required, body) => {
    expect(formOf(properties, required)).toBe(body)
  })
})

describe('a failure whose document has only an example', () => {
  const json = bodyOf('{properties: {error: {type: string}}}')

  it.each([
    ['stays open', `{'400': ${example}}`, undefined, [unread]],
    ['has the body of another failure', `{'400': ${example}, '422': ${json}}`, '{"error":"{detail}"}', []],
    ['has the body of default', `{'400': ${example}, default: ${json}}`, '{"error":"{detail}"}', []],
  ])('%s', (_, responses, body, notes) => {
    const reading = read(createOf(responses))
    const texts = reading.notes.map(({ text }) => text).filter((text) => text.includes('stays open'))
    expect([valuesOf(reading)['error.body'], texts]).toEqual([body, notes])
  })
})

describe('YAML', () => {
  it.each([
    ['a: !thing 1', /^Unresolved tag: !thing$/, 1],
    ['a: !!binary aGk=', /tag/, 1],
    ['? [a]\n: 1', /keys must be strings/, 1],
  ])('%#: is refused with the line', (text, error, line) => {
    expect(parseYaml(text)).toEqual({ error: expect.stringMatching(error), line })
  })

  it('is that of version 1.2 with merge keys, whose keys are texts', () => {
    const { value } = parseYaml('200: no\n1.0: 012\n<<: {a: &x 0x10, 200: yes}\n__proto__: *x') as {
      readonly value: object
    }
    expect(JSON.stringify(value)).toBe('{"200":"no","1.0":12,"a":16,"__proto__":16}')
  })

  it('merges one map in hundreds of places', () => {
    const yaml = `x: &x {a: 1}\nmany:\n${'  - {<<: *x}\n'.repeat(300)}`
    expect(parseYaml(yaml)).toMatchObject({ value: { many: { length: 300 } } })
  })
})
