import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { assumptionFileSchema, layerOf, parseEntries } from '../../../src/core/assumptions/file.ts'
import { assumeVariable, checkAssume, environmentAssume, parseAssume } from '../../../src/core/assumptions/parse.ts'
import {
  type Assume,
  type AssumptionId,
  allValuesOf,
  assumptionRegistry,
  findAssumption,
  parseValue,
} from '../../../src/core/assumptions/registry.ts'
import { fillTemplate, partsOfTemplate, template } from '../../../src/core/assumptions/template.ts'
import { runs } from '../../support/runs.ts'

const count = fc.integer({ min: 2, max: 2 ** 40 })
const texts = fc.oneof(
  fc.string(),
  fc.stringMatching(/^[a-z]{1,8}:\d{1,20}$/),
  fc.stringMatching(/^application\/[a-z+;= -]{0,30}$/),
  fc.json(),
  fc.constantFrom(...assumptionRegistry.flatMap(allValuesOf).map(String)),
)

const withParameter: fc.Arbitrary<Assume> = fc.oneof(
  count.map((n) => ({ 'list.defaultLimit': n })),
  count.map((n) => ({ 'list.maxLimit': `clamp:${n}` as const })),
  count.map((n) => ({ 'list.maxLimit': `reject:${n}` as const })),
  count.map((n) => ({ 'create.visibility': `after-ms:${n}` as const })),
  count.map((n) => ({ 'rate.limit': `every:${n}` as const })),
  fc.integer({ min: 1, max: 2 ** 28 }).map((n) => ({ 'body.maxSize': n })),
  fc
    .dictionary(fc.string(), fc.oneof(fc.string(), fc.constant('{status}')))
    .map((body) => ({ 'error.body': JSON.stringify(body) as `{${string}}` })),
)

describe('the value of an assumption', () => {
  it('is the same after it was sent through the environment, whatever characters it has', () => {
    const property = fc.property(fc.array(withParameter, { maxLength: 4 }), (parts) => {
      const texts = Object.entries(Object.assign({}, ...parts) as Assume).map(([id, value]) => `${id}=${value}`)
      const assume = parseAssume(texts)
      const changed = Object.entries(assume).filter(([id, value]) => value !== findAssumption(id)?.default)
      const list = changed.map(([id, value]) => `${id}=${value}`)
      const json = JSON.stringify(Object.fromEntries(changed))
      const text = list.some((one) => one.includes(',')) ? json : list.join()
      expect(environmentAssume({ [assumeVariable]: text })).toEqual(Object.fromEntries(changed))
    })
    fc.assert(property, { numRuns: runs(200) })
  })

  it('is written in one way only: what it is parsed from has the same meaning as itself', () => {
    const property = fc.property(fc.constantFrom(...assumptionRegistry), texts, ({ id, meaning }, text) => {
      const value = parseValue(id, text)
      if (value === undefined) return
      expect(parseValue(id, String(value))).toBe(value)
      expect(meaning(value)).not.toBe('')
    })
    fc.assert(property, { numRuns: runs(1_000) })
  })

  it('is in an assumptions file exactly if the JSON Schema of the file takes it', () => {
    const validate = new Ajv2020({ allowUnionTypes: true }).compile(assumptionFileSchema())
    const isTaken = (content: unknown): boolean => {
      try {
        layerOf(parseEntries(JSON.stringify(content), 'file.json'), 'file.json')
        return true
      } catch {
        return false
      }
    }
    const values = fc.oneof(texts, fc.integer({ min: -5, max: 2 ** 30 }))
    const property = fc.property(fc.constantFrom(...assumptionRegistry.map(({ id }) => id)), values, (id, value) => {
      const content = { assumptions: { [id]: value } }
      // A JSON Schema cannot express aliases, numbers as text, or whether text is JSON.
      const isKnownToDiffer =
        typeof value === 'string' && (/^\s*\{/.test(value) || /\d/.test(value) || /json/.test(value))
      if (!isKnownToDiffer) expect([id, value, isTaken(content)]).toEqual([id, value, validate(content)])
      else if (validate(content) && !/^\s*\{|\d{16}|:0*[01]?$/.test(value))
        expect([id, value, isTaken(content)]).toEqual([id, value, true])
    })
    fc.assert(property, { numRuns: runs(1_000) })
  })

  it.each<[AssumptionId, string, string | number]>([
    ['list.maxLimit', 'clamp:100', 'clamp'],
    ['list.maxLimit', 'reject:100', 'reject'],
    ['rate.limit', 'every:10', 'every-tenth'],
    ['body.maxSize', '1048576', '1MiB'],
    ['create.visibility', 'after-lists:1', 'eventual'],
    ['json.contentType', 'application/json; charset=utf-8', 'charset'],
    ['list.defaultLimit', '033', 33],
  ])('%s=%s is the same as %s', (id, text, value) => {
    expect(parseValue(id, text)).toBe(value)
  })

  it.each([
    ['list.defaultLimit', '0'],
    ['list.defaultLimit', '1.5'],
    ['list.maxLimit', 'clamp:'],
    ['list.maxLimit', 'clamp:-1'],
    ['list.maxLimit', 'constructor:5'],
    ['rate.limit', 'every:1'],
    ['body.maxSize', '300000000'],
    ['json.contentType', 'application/json\r\nX: 1'],
    ['json.contentType', 'text/html'],
    ['error.body', '{"a":'],
    ['error.body', '[1]'],
    ['error.body', '{"a":1} {"b":2}'],
  ] as const)('%s cannot be %j', (id, text) => {
    expect(() => parseAssume([`${id}=${text}`])).toThrow(`The assumption ${id} cannot be`)
  })
})

describe('a template', () => {
  const filled = (text: string) => {
    const { type, json } = partsOfTemplate(text)
    return { type, body: fillTemplate(json, { status: 404, title: 'Not Found', detail: 'no such path', path: '/x' }) }
  }

  it('has the status as a number, or as text', () => {
    const text = '{"code":"{status}","status":"{status:text}","message":"{status} {title:text}"}'
    expect(filled(text).body).toEqual({ code: 404, status: '404', message: '404 Not Found' })
  })

  it('has the path of the request', () => {
    expect(filled('{"path":"{path}","instance":"/v1{path}"}').body).toEqual({ path: '/x', instance: '/v1/x' })
  })

  it.each([
    ['{"a":1}', undefined],
    ['application/problem+json {"a":1}', 'application/problem+json'],
    ['application/vnd.error+json; v=2 {"a":1}', 'application/vnd.error+json; v=2'],
  ])('%s has the media type %s', (text, type) => {
    const value = parseValue('error.body', text)
    expect(value).toBe(text)
    expect(filled(String(value))).toEqual({ type, body: { a: 1 } })
    expect(environmentAssume({ [assumeVariable]: JSON.stringify({ 'error.body': text }) })).toEqual({
      'error.body': text,
    })
  })

  it.each([
    '"text without a media type"',
    'text/html <h1>{title}</h1>',
    'text/html [1]',
    'html "{title}"',
    'text/html\r\nX: 1 "{title}"',
    'application/json{"a":1}',
    'application/json\r\nX: 1 {"a":1}',
  ])('%j is none', (text) => expect(parseValue('error.body', text)).toBeUndefined())

  it.each([33, 5_000, 200_000])('nested %i levels deep is refused, with that as the reason', (depth) => {
    const text = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const message = /^The assumption error\.body cannot be .*: it is nested more than 32 levels deep\.$/
    expect(() => parseAssume([`error.body=${text}`])).toThrow(message)
    expect(() => checkAssume({ 'error.authBody': text })).toThrow(/more than 32 levels/)
    const file = JSON.stringify({ assumptions: { 'error.body': { value: text } } })
    expect(() => layerOf(parseEntries(file, 'file.json'), 'file.json')).toThrow(/more than 32 levels/)
  })

  it('filled in is JSON of the same shape, whatever the texts are', () => {
    const fields = fc.record({
      status: fc.integer({ min: 100, max: 599 }),
      title: fc.string(),
      detail: fc.string(),
      path: fc.string(),
    })
    const property = fc.property(fc.dictionary(fc.string(), fc.string()), fields, (body, filled) => {
      const text = template.parse(JSON.stringify({ ...body, code: '{status}', message: '{title}: {detail}' })) ?? '{}'
      const result = fillTemplate(text, filled) as Record<string, unknown>
      expect(Object.keys(result).sort()).toEqual([...new Set([...Object.keys(body), 'code', 'message'])].sort())
      expect(result).toMatchObject({ code: filled.status, message: `${filled.title}: ${filled.detail}` })
    })
    fc.assert(property, { numRuns: runs(200) })
  })
})
