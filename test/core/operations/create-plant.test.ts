import { describe, expect, it } from 'vitest'
import { fern } from '../../support/plants.ts'
import { problemOf } from '../../support/problem.ts'
import { as, post, targetsFor } from '../../support/targets.ts'
import { useTarget } from '../../support/use-target.ts'

type Case = readonly [title: string, init: RequestInit, status: number, problem: string]

const invalidCreates: readonly Case[] = [
  ['no body', { ...post(''), body: null }, 400, 'malformed-json'],
  ['an empty body', post(''), 400, 'malformed-json'],
  ['only white space', post('  \n'), 400, 'malformed-json'],
  ['half an object', post('{"name":"x"'), 400, 'malformed-json'],
  ['a trailing comma', post('{"name":"x","id":1,"tag":"y",}'), 400, 'malformed-json'],
  ['single quotes', post("{'name':'x','id':1,'tag':'y'}"), 400, 'malformed-json'],
  ['NaN', post('{"name":"x","id":NaN,"tag":"y"}'), 400, 'malformed-json'],
  ['form data', post('name=x&id=1&tag=y'), 400, 'malformed-json'],
  ['null', post('null'), 400, 'invalid-plant'],
  ['a number', post('1'), 400, 'invalid-plant'],
  ['a string', post('"x"'), 400, 'invalid-plant'],
  ['an array', post('[]'), 400, 'invalid-plant'],
  ['an array with a plant', post([fern]), 400, 'invalid-plant'],
  ['an empty object', post({}), 400, 'invalid-plant'],
  ['no name', post({ id: 1, tag: 'y' }), 400, 'invalid-plant'],
  ['no id', post({ name: 'x', tag: 'y' }), 400, 'invalid-plant'],
  ['no tag', post({ name: 'x', id: 1 }), 400, 'invalid-plant'],
  ['a null name', post({ ...fern, name: null }), 400, 'invalid-plant'],
  ['a number as name', post({ ...fern, name: 5 }), 400, 'invalid-plant'],
  ['an object as tag', post({ ...fern, tag: {} }), 400, 'invalid-plant'],
  ['an array as tag', post({ ...fern, tag: ['y'] }), 400, 'invalid-plant'],
  ['a string as id', post({ ...fern, id: '7' }), 400, 'invalid-plant'],
  ['a fraction as id', post({ ...fern, id: 1.5 }), 400, 'invalid-plant'],
  ['true as id', post({ ...fern, id: true }), 400, 'invalid-plant'],
  ['a null id', post({ ...fern, id: null }), 400, 'invalid-plant'],
  ['an id of 2^53', post('{"name":"x","id":9007199254740992,"tag":"y"}'), 400, 'invalid-plant'],
  ['an id of 1e999', post('{"name":"x","id":1e999,"tag":"y"}'), 400, 'invalid-plant'],
  ['a name in another case', post({ Name: 'x', id: 1, tag: 'y' }), 400, 'invalid-plant'],
  ['fields behind __proto__', post('{"__proto__":{"name":"x","id":1,"tag":"y"}}'), 400, 'invalid-plant'],
  [
    'no Content-Type',
    { ...post(''), body: new Blob([JSON.stringify(fern)]), headers: { authorization: 'Bearer alice' } },
    415,
    'unsupported-media-type',
  ],
  ['text/plain', post(fern, { 'content-type': 'text/plain' }), 415, 'unsupported-media-type'],
  ['application/jsonp', post(fern, { 'content-type': 'application/jsonp' }), 415, 'unsupported-media-type'],
  ['bytes that are not UTF-8', { ...post(''), body: new Uint8Array([0x22, 0xff, 0x22]) }, 400, 'malformed-json'],
  ['a body over 1 MiB', post({ ...fern, name: 'x'.repeat(1024 * 1024) }), 413, 'body-too-large'],
]

describe.each(targetsFor('creates'))('POST /plants on $name', ({ open }) => {
  const target = useTarget(open)

  it('answers 201 with exactly name and tag', async () => {
    const response = await target.request('/plants', post(fern))
    expect(response.status).toBe(201)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.text()).toBe('{"name":"Nephrolepis exaltata","tag":"fern"}')
  })

  it.each(invalidCreates)('refuses %s and stores nothing', async (_, init, status, type) => {
    const response = await target.request('/plants', init)
    expect(response.status).toBe(status)
    expect((await problemOf(response)).type).toBe(`urn:problem-type:plant-mock:${type}`)
    expect(await target.mock.plants.all()).toEqual([])
  })

  it('points to each invalid field', async () => {
    const problem = await problemOf(await target.request('/plants', post({ name: 1, id: 1.5 })))
    expect(problem.errors).toEqual([
      { pointer: '#/name', detail: 'must be a string, not a number' },
      { pointer: '#/id', detail: 'must be an integer, not 1.5' },
      { pointer: '#/tag', detail: 'is required' },
    ])
  })

  it.each(['application/json; charset=utf-8', 'Application/JSON', 'application/json;foo=bar'])(
    'accepts the content type %s',
    async (type) => {
      expect((await target.request('/plants', post(fern, { 'content-type': type }))).status).toBe(201)
    },
  )

  it.each([0, -0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER])('accepts the id %i', async (id) => {
    expect((await target.request('/plants', post({ ...fern, id }))).status).toBe(201)
    expect((await target.request('/plants', post({ ...fern, id }))).status).toBe(409)
  })

  it.each([
    ['markup', '<script>alert(1)</script>'],
    ['emoji', '🌵🪴'],
    ['right-to-left text', 'صبار'],
    ['control characters', '\u0000\u001F\u007F'],
    ['a lone surrogate', '\uD800'],
    ['line separators', '\u2028\u2029'],
    ['quotes and backslashes', '"\\/\''],
    ['nothing', ''],
  ])('returns a name of %s unchanged', async (_, name) => {
    const created = await target.request('/plants', post({ ...fern, name }))
    expect(await created.json()).toEqual({ name, tag: 'fern' })
    expect(await (await target.request('/plants', as('alice'))).json()).toEqual([{ name, tag: 'fern' }])
  })

  it('drops fields that the contract does not name, including __proto__', async () => {
    const body =
      '{"name":"x","id":1,"tag":"y","colour":"green","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'
    expect(await (await target.request('/plants', post(body))).json()).toEqual({ name: 'x', tag: 'y' })
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('answers 409 when the caller already has a plant with that id, and keeps that plant', async () => {
    await target.request('/plants', post(fern))
    const response = await target.request('/plants', post({ ...fern, name: 'Another' }))
    expect(response.status).toBe(409)
    expect(await problemOf(response)).toMatchObject({
      type: 'urn:problem-type:plant-mock:duplicate-id',
      errors: [{ pointer: '#/id' }],
    })
    expect(await target.mock.plants.all()).toEqual([{ ...fern, access: ['alice'] }])
  })

  it('answers 409 for the id of a shared plant, but 201 for the id of another caller’s plant', async () => {
    await target.mock.seed([
      { ...fern, id: 1 },
      { ...fern, id: 2, access: ['bob'] },
    ])
    expect((await target.request('/plants', post({ ...fern, id: 1 }))).status).toBe(409)
    expect((await target.request('/plants', post({ ...fern, id: 2 }))).status).toBe(201)
  })

  it('accepts exactly one of forty concurrent creates with the same id', async () => {
    const statuses = await Promise.all(
      Array.from({ length: 40 }, async () => (await target.request('/plants', post(fern))).status),
    )
    expect(statuses.filter((status) => status === 201)).toHaveLength(1)
    expect(statuses.filter((status) => status === 409)).toHaveLength(39)
  })
})
