import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { bearer, createPlantMock, type PlantMockOptions, violates } from 'plant-mock'
import { checkOverrides, plantHandlers, unhandled } from 'plant-mock/msw'
import { afterEach, describe, expect, it } from 'vitest'
import { layerOf, parseEntries } from '../../src/core/assumptions/file.ts'
import { lies, permitted, type Responder, requests } from '../support/override-corpus.ts'

const url = 'https://api.example.com'
const server = setupServer()
let stop: (() => void) | undefined
afterEach(() => {
  stop?.()
  server.close()
  server.resetHandlers()
})

/** Starts msw with a mock and an override, and watches. */
const watch = (responder: Responder, options: PlantMockOptions = {}) => {
  const texts: string[] = []
  const mock = createPlantMock({ onNotice: (text) => texts.push(text), ...options })
  server.listen(unhandled('error'))
  server.use(
    http.all('*/plants', ({ request }) => responder(request)),
    ...plantHandlers(mock),
  )
  const checked = checkOverrides(server, mock)
  stop = checked.stop
  return { mock, texts, settled: checked.settled }
}
const list = async (query = '') => (await fetch(`${url}/plants${query}`, { headers: bearer('alice') })).text()
const post = (plant: object) =>
  fetch(`${url}/plants`, {
    method: 'POST',
    headers: { ...bearer('alice'), 'content-type': 'application/json' },
    body: JSON.stringify(plant),
  })
const ask = async () => {
  for (const [path, init] of requests) await (await fetch(`${url}${path}`, init)).text()
}

describe('an override', () => {
  it.each(lies)('is caught when $mistake', async ({ responder }) => {
    const { texts, settled } = watch(responder())
    await ask()
    await settled()
    expect(texts.join('\n')).toMatch(
      /^An override violates the contract: (?:GET|POST) \/plants.* → \d+, by ALL \*\/plants/,
    )
  })

  it.each(permitted)('is not caught for what the contract permits: $name', async ({ responder }) => {
    const { texts, settled, mock } = watch(responder())
    await ask()
    await settled()
    expect(texts).toEqual([])
    expect(await mock.requests.count({ source: 'handlers' })).toBe(requests.length)
  })

  it('is named with its request, section, field and line, and stands in the journal', async () => {
    const { texts, settled, mock } = watch(async () => HttpResponse.json([{ id: 1, name: 'Aloe vera', tag: 'x' }]))
    await list('?limit=3')
    await settled()
    expect(texts.join()).toMatch(
      /^An override violates the contract: GET \/plants\?limit=3 → 200, by ALL \*\/plants \(.*overrides\.test\.ts:\d+:\d+\)\n {2}contract 2\.2, 4\.2: Element 0: id is not a field of a plant\.\nCorrect it, or mark it as intended: violates\('2\.2', response\)\. If the override is for another service, set baseUrl\. Read the contract: npx plant-mock contract 2\.2,4\.2$/,
    )
    expect(await mock.requests.all()).toMatchObject([
      {
        source: 'handlers',
        status: 200,
        operation: 'listPlants',
        violations: [{ in: 'response', section: '2.2, 4.2' }],
      },
    ])
  })

  it('shows no token', async () => {
    const { texts, settled } = watch(async () => HttpResponse.json({}))
    const token = 'a-token-of-a-caller-0123456789'
    await (await fetch(`${url}/plants?q=${token}`, { headers: bearer(token) })).text()
    await settled()
    expect(texts.join()).toMatch(/^An override .*\?q=caller-1/)
  })

  it.each(['2', '2.2', '4.2', '2.2, 4.2', '4.2.1'])(
    'is permitted for the section that it is marked with: %s',
    async (section) => {
      const { texts, settled, mock } = watch(async () => violates(section, HttpResponse.json([{ name: 'Aloe vera' }])))
      await list()
      await settled()
      expect(texts).toEqual([])
      expect(await mock.violations()).toEqual([])
    },
  )

  it.each(['8', '2.1', '4', '2.2.1'])('is caught when another section is marked: %s', async (section) => {
    const { texts, settled } = watch(async () => violates(section, HttpResponse.json([{ name: 'Aloe vera' }])))
    await list()
    await settled()
    expect(texts).toHaveLength(section === '4' || section === '2.2.1' ? 0 : 1)
  })

  it('is told from the mock, whose replies and faults are its own', async () => {
    const { texts, settled, mock } = watch(async () => HttpResponse.json([]))
    server.resetHandlers(...plantHandlers(mock))
    await mock.fail({ malformed: true, times: 1 })
    await mock.fail({ status: 200, body: '{}', times: 1 })
    await list()
    await list()
    await list()
    await settled()
    expect(texts).toEqual([])
    expect(await mock.requests.count({ source: 'handlers' })).toBe(0)
  })

  it('that never ends is not checked', async () => {
    const body = () => new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('[')) })
    const { texts, settled } = watch(async () => new HttpResponse(body(), { headers: { 'content-type': 'a/b' } }))
    await fetch(`${url}/plants`, { headers: bearer('alice') })
    await settled()
    expect(texts).toEqual([])
  })

  it('elsewhere than below the base URL is none', async () => {
    const { texts, mock } = watch(async () => HttpResponse.json({}))
    stop?.()
    const checked = checkOverrides(server, mock, { baseUrl: `${url}/v1` })
    stop = checked.stop
    await list()
    await fetch(`${url}/v1/plants`, { headers: bearer('alice') })
    await checked.settled()
    expect(texts).toHaveLength(1)
  })
})

describe('learned assumptions', () => {
  const learn = (assumptions: object) =>
    layerOf(parseEntries(JSON.stringify({ assumptions }), 'learned.json'), 'learned.json')
  const observed = { host: 'staging.example', date: '2026-11-20' }
  const learned = (value: unknown) => ({ value, observed })
  const created = async () => HttpResponse.json({ name: 'a', tag: 'b' }, { status: 201 })
  const listed = async () => HttpResponse.json(Array(12).fill({ name: 'a', tag: 'b' }))

  it.each<[string, object, Responder, (() => Promise<unknown>) | undefined, string | undefined]>([
    [
      'a status',
      { 'create.status': learned(200) },
      created,
      undefined,
      '4.1: The status is 201; create.status=200 was learned at staging.example on 2026-11-20.',
    ],
    ['the same status', { 'create.status': learned(201) }, created, undefined, undefined],
    ['a status that was not learned', { 'create.status': 200 }, created, undefined, undefined],
    [
      'a media type',
      { 'json.contentType': learned('charset') },
      created,
      undefined,
      '4.1: Content-Type is application/json; json.contentType=charset was learned at staging.example on 2026-11-20.',
    ],
    [
      'a default limit',
      { 'list.defaultLimit': learned(10) },
      listed,
      list,
      '4.2: The list has 12 plants, more than 10; list.defaultLimit=10 was learned at staging.example on 2026-11-20.',
    ],
    [
      'a limit that is refused',
      { 'list.maxLimit': learned('reject:50') },
      listed,
      () => list('?limit=60'),
      '4.2: The list is not refused; list.maxLimit=reject:50 was learned at staging.example on 2026-11-20.',
    ],
    ['a limit that is kept', { 'list.maxLimit': learned('clamp:50') }, listed, () => list('?limit=60'), undefined],
    [
      'a failure',
      { 'create.status': learned(200) },
      async () => HttpResponse.json({}, { status: 500 }),
      undefined,
      undefined,
    ],
  ])('are those of the service for an override with %s', async (_, values, responder, request, expected) => {
    const { texts, settled } = watch(responder, { assumptions: learn(values) })
    await (request ?? (() => post({ id: 1, name: 'a', tag: 'b' })))()
    await settled()
    expect(texts.flatMap((text) => text.split('\n').filter((line) => line.startsWith('  contract ')))).toEqual(
      expected === undefined ? [] : [`  contract ${expected}`],
    )
  })

  it('do not count when a test assumes something else', async () => {
    const { texts, settled, mock } = watch(created, { assumptions: learn({ 'create.status': learned(200) }) })
    await mock.assume({ 'create.status': 201 })
    await post({ id: 1, name: 'a', tag: 'b' })
    await settled()
    expect(texts).toEqual([])
  })

  it('are in force', async () => {
    const mock = createPlantMock({ assumptions: learn({ 'create.status': learned(200) }) })
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 200 })
  })
})
