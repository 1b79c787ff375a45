import { describe, expect, it } from 'vitest'
import { bodyTooLarge } from '../../../src/core/http/exchange.ts'
import { createPlant } from '../../../src/core/operations/create-plant.ts'
import { listPlants } from '../../../src/core/operations/list-plants.ts'
import type { AnsweredRequest, CheckedRequest } from '../../../src/core/operations/operation.ts'

const sent = (given: Partial<CheckedRequest> = {}): CheckedRequest => ({
  method: 'GET',
  path: '/plants',
  query: '',
  header: () => undefined,
  body: undefined,
  ...given,
})
const answered = (given: Partial<AnsweredRequest>): AnsweredRequest => ({
  query: '',
  sent: undefined,
  isRepeated: false,
  hasTag: () => false,
  ...given,
})
const details = (findings: readonly { readonly detail: string }[]) => findings.map(({ detail }) => detail)

describe('the check of a list request', () => {
  it.each([
    ['', []],
    ['limit=1', []],
    ['limit=10', []],
    ['limit=1x', ['limit must be one number; the query has "1x".']],
    ['limit=', ['limit must be one number; the query has "".']],
    ['limit=1&limit=2', ['limit must be one number; the query has "1" and "2".']],
    ['page=2&page=3', ['A list has no query parameter page; it has limit.']],
  ])('finds in the query %j: %j', (query, expected) => {
    expect(details(listPlants.checkRequest(sent({ query })))).toEqual(expected)
  })

  it('finds a body, but no empty one', () => {
    expect(details(listPlants.checkRequest(sent({ body: 'x' })))).toEqual(['A list has no request body.'])
    expect(listPlants.checkRequest(sent({ body: '' }))).toEqual([])
    expect(details(listPlants.checkRequest(sent({ body: bodyTooLarge })))).toEqual(['A list has no request body.'])
  })
})

describe('the check of a list', () => {
  const plants = Array.from({ length: 11 }, () => ({ name: 'n', tag: 't' }))
  const tooMany = (limit: string) => [`The list has 11 plants, more than limit=${limit}`]

  it.each([
    ['', []],
    ['limit=11', []],
    ['limit=10', tooMany('10')],
    ['limit=0', tooMany('0')],
    ['limit=', []],
    ['limit=-1', []],
    ['limit=1e0', []],
    ['limit=%201', []],
  ])('of eleven plants finds for the query %j: %j', (query, expected) => {
    expect(details(listPlants.response.check(plants, answered({ query })))).toEqual(expected)
  })
})

describe('the check of a create request', () => {
  const json = (name: string) => (name === 'content-type' ? 'application/json' : undefined)
  const body = '{"id":1,"name":"n","tag":"t"}'

  it('finds query parameters, each once', () => {
    const findings = createPlant.checkRequest(sent({ query: 'a=1&b=2&a=3', header: json, body }))
    expect(findings).toEqual([
      { section: '4.1', detail: 'A create has no query parameter a.' },
      { section: '4.1', detail: 'A create has no query parameter b.' },
    ])
  })

  it('finds a missing Content-Type, and another one', () => {
    expect(details(createPlant.checkRequest(sent({ body })))).toEqual([
      'Content-Type must be application/json; none was sent.',
    ])
    expect(
      details(
        createPlant.checkRequest(sent({ body, header: (name) => (name === 'content-type' ? 'a/b' : undefined) })),
      ),
    ).toEqual(['Content-Type must be application/json; it is a/b.'])
  })
})

describe('the check of a created plant', () => {
  const shown = { name: 'n', tag: '' }

  it('compares it with the fields that were sent', () => {
    expect(details(createPlant.response.check(shown, answered({ sent: { id: 1, name: 'm', tag: '' } })))).toEqual([
      'name differs from the request',
    ])
    expect(createPlant.response.check(shown, answered({ sent: { id: 1, name: 'n' } }))).toEqual([])
  })

  it.each([undefined, []])('compares it with no request that was not read: %s', (body) => {
    expect(createPlant.response.check(shown, answered({ sent: body }))).toEqual([])
  })
})
