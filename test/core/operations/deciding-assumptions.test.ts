import { createPlantMock, type PlantMockOptions } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { as, post } from '../../support/targets.ts'

type Request = readonly [path: string, init: RequestInit]

const decided = async (options: PlantMockOptions, ...requests: readonly Request[]) => {
  const mock = createPlantMock(options)
  for (const [path, init] of requests) await mock.fetch(path, init)
  const last = await mock.requests.last()
  return `${last?.status} ${last?.assumptions.join(' ')}`
}

const plants = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `n${index}`, tag: 't' }))
const list = (query = ''): Request => [`/plants${query}`, as('alice')]
const create = (body: object | string, headers?: Record<string, string>): Request => ['/plants', post(body, headers)]
const plant = { id: 9, name: 'n', tag: 't' }

describe('a list is decided by', () => {
  const none = 'list.status auth.tokens rate.limit json.contentType'
  it.each<[string, PlantMockOptions, string, string]>([
    ['no order when it is empty', {}, '', `200 list.defaultLimit ${none}`],
    ['no order when it has one plant', { fixtures: plants(1) }, '?limit=2', `200 ${none} json.keyOrder`],
    ['the order when it is cut to one', { fixtures: plants(2) }, '?limit=1', `200 ${none} json.keyOrder list.order`],
    ['the order of several', { fixtures: plants(2) }, '?limit=2', `200 ${none} json.keyOrder list.order`],
    ['the limit of zero', { fixtures: plants(2) }, '?limit=0', `200 list.zeroLimit ${none}`],
    [
      'the maximum when that many plants exist',
      { fixtures: plants(100), assume: { 'list.defaultLimit': 'none' } },
      '',
      `200 list.defaultLimit list.maxLimit ${none} json.keyOrder list.order`,
    ],
    [
      'no maximum when fewer exist',
      { fixtures: plants(99), assume: { 'list.defaultLimit': 'none' } },
      '',
      `200 list.defaultLimit ${none} json.keyOrder list.order`,
    ],
    ['the limit of 100 alone', {}, '?limit=100', `200 ${none}`],
    ['the maximum for a larger limit', {}, '?limit=101', `200 list.maxLimit ${none}`],
    [
      'the refusal of a larger limit',
      { assume: { 'list.maxLimit': 'reject' } },
      '?limit=101',
      '400 list.maxLimit auth.tokens rate.limit',
    ],
    [
      'the refusal of zero',
      { assume: { 'list.zeroLimit': 'reject' } },
      '?limit=0',
      '400 list.zeroLimit auth.tokens rate.limit',
    ],
    [
      'the repeated limit and what an invalid one gives',
      { fixtures: plants(1), assume: { 'list.invalidLimit': 'ignore' } },
      '?limit=1&limit=2',
      `200 list.repeatedLimit list.invalidLimit list.defaultLimit ${none} json.keyOrder`,
    ],
    [
      'the repeated limit alone, where that is ignored for itself',
      { fixtures: plants(1), assume: { 'list.repeatedLimit': 'ignore' } },
      '?limit=1&limit=2',
      `200 list.repeatedLimit list.defaultLimit ${none} json.keyOrder`,
    ],
  ])('%s', async (_, options, query, expected) => {
    const [status, ...ids] = (await decided(options, list(query))).split(' ')
    const [wanted, ...wantedIds] = expected.split(' ')
    expect([status, ...ids.filter((id) => !/^(?:error|problem)\./.test(id))]).toEqual([wanted, ...wantedIds])
  })

  it('the visibility of plants that the caller has created', async () => {
    expect(await decided({}, create(plant), list('?limit=5'))).toMatch(/ create\.visibility$/)
    expect(await decided({ fixtures: plants(2) }, list('?limit=5'))).not.toMatch(/visibility/)
  })
})

describe('a create is decided by', () => {
  const always = '201 create.status create.duplicateId auth.tokens rate.limit json.keyOrder json.contentType'
  it.each<[string, PlantMockOptions['assume'], object, string]>([
    ['no tolerance', {}, plant, always],
    ['fields that are missing', { 'create.required': 'none' }, { name: 'n', tag: 't' }, `${always} create.required`],
    ['unknown fields', { 'create.unknownFields': 'ignore' }, { ...plant, colour: 1 }, `${always} create.unknownFields`],
    ['the tag null', { 'create.nullTag': 'null' }, { ...plant, tag: null }, `${always} create.required create.nullTag`],
    ['empty texts', { 'create.emptyStrings': 'accept' }, { ...plant, tag: '' }, `${always} create.emptyStrings`],
    [
      'its size, over 16 KiB',
      {},
      { ...plant, name: 'x'.repeat(16 * 1024 - JSON.stringify(plant).length + 2) },
      `${always} body.maxSize`,
    ],
    [
      'not its size up to that',
      {},
      { ...plant, name: 'x'.repeat(16 * 1024 - JSON.stringify(plant).length + 1) },
      always,
    ],
  ])('%s', async (_, assume, body, expected) => {
    expect(await decided({ assume: assume ?? {} }, create(body))).toBe(expected)
  })

  it('another Content-Type than JSON', async () => {
    const text = create(plant, { 'content-type': 'text/plain' })
    expect(await decided({ assume: { 'create.contentType': 'ignore' } }, text)).toBe(`${always} create.contentType`)
    expect(await decided({}, text)).toMatch(/^415 create\.contentType /)
  })

  it('the assumption behind each field that is refused', async () => {
    const refusal = await decided({ assume: { 'create.unknownFields': 'reject' } }, create({ ...plant, colour: 1 }))
    expect(refusal).toMatch(/^4\d\d .*create\.unknownFields/)
  })

  it('no assumption about fields when the contract itself refuses one', async () => {
    expect(await decided({}, create({ ...plant, id: '9' }))).toBe(
      '400 error.invalidStatus auth.tokens rate.limit error.body',
    )
  })

  it.each([
    ['', 'The body is empty.'],
    [' \n', 'The body is empty.'],
  ])('nothing when its body is %j', async (body, detail) => {
    const response = await createPlantMock().fetch('/plants', post(body))
    expect([response.status, await response.json()]).toMatchObject([400, { detail }])
  })
})
