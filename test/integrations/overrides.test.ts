import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { type Assume, allowViolation, bearer, createPlantMock, variations } from 'plant-mock'
import { checkOverrides, plantHandlers, unhandled } from 'plant-mock/msw'
import { afterEach, describe, expect, it } from 'vitest'
import { type Mistake, wrongService } from '../support/wrong-service.ts'

type Responder = (request: Request) => Promise<Response>

const url = 'https://api.example.com'
const server = setupServer()
let stop: (() => void) | undefined
afterEach(() => {
  stop?.()
  server.close()
  server.resetHandlers()
})

const watch = (responder: Responder) => {
  const texts: string[] = []
  const mock = createPlantMock({ onNotice: (text) => texts.push(text) })
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

const mistaken = {
  'a list is an object': '4.2',
  'a list is not JSON': '1',
  'a list is one plant': '4.2',
  'lists show ids': '2.2, 4.2',
  'lists show owners': '2.2, 4.2',
  'lists show no tags': '2.2, 4.2',
  'lists show null for a tag': '2.2, 4.2',
  'lists show no names': '2.2, 4.2',
  'lists hold only names': '2.2, 4.2',
  'the last element of a list is null': '2.2, 4.2',
  'lists are declared as HTML': '1',
  'lists have no Content-Type': '1',
  'limit is ignored': '4.2, 8',
  'limit is one too many': '4.2, 8',
  'limit=0 is no limit': '4.2, 8',
  'a create returns the id': '2.1, 4.1',
  'a create returns nothing': '1',
  'a create returns an array': '2.1, 4.1',
  'a create returns no tag': '2.1, 4.1',
  'a create returns another name': '4.1',
  'creates are declared as text': '1',
  'creates have no Content-Type': '1',
} as const satisfies Partial<Record<Mistake, string>>

const ofService = (mistake: Mistake): Responder => {
  const service = wrongService(
    [mistake],
    [
      { name: 'Aloe vera', tag: 'succulent' },
      { name: 'Boston fern', tag: 'fern' },
    ],
  )
  return async (request) => {
    const { method, url, headers } = request
    return service(url, { method, headers: [...headers], body: await request.bytes() })
  }
}

const ofMock = (assume: Assume): Responder => {
  const mock = createPlantMock({ assume, tokens: ['alice'] })
  return (request) => mock.fetch(request)
}

const cases: readonly (readonly [name: string, responder: () => Responder, sections: readonly string[]])[] = [
  ...Object.entries(mistaken).map(
    ([mistake, section]) => [mistake, () => ofService(mistake as Mistake), [section]] as const,
  ),
  ...[{ name: 'no alternative', assume: {} }, ...variations({ thorough: true })].map(
    ({ name, assume }) => [name, () => ofMock(assume), []] as const,
  ),
]

const post = (body: string): RequestInit => ({
  method: 'POST',
  headers: { ...bearer('alice'), 'content-type': 'application/json' },
  body,
})
const plant = (id: number, name: string) => JSON.stringify({ id, name, tag: 'fern' })
const ofAlice = { headers: bearer('alice') }

const requests: readonly (readonly [path: string, init: RequestInit])[] = [
  ['/plants', post(plant(1, 'Maidenhair'))],
  ['/plants', post(plant(1, 'Staghorn'))],
  ['/plants', post('{"id":2}')],
  ['/plants', post('{"id":3,"name":"","tag":"","size":1}')],
  ['/plants', post('{"id":"4","name":"a","tag":"b"}')],
  ['/plants', post('{"id":5,')],
  ['/plants', { ...post(plant(6, 'Bracken')), headers: bearer('alice') }],
  ['/plants', post(plant(7, 'x'.repeat(20_000)))],
  ['/plants', post(plant(8, 'Hart’s tongue'))],
  ['/plants', ofAlice],
  ['/plants?limit=1', ofAlice],
  ['/plants?limit=0', ofAlice],
  ['/plants?limit=2&limit=3', ofAlice],
  ['/plants?limit=-1', ofAlice],
  ['/plants?limit=1e1', ofAlice],
  ['/plants?limit=200', ofAlice],
  ['/plants', { headers: bearer('stranger') }],
  ['/plants', { headers: { authorization: 'bearer alice' } }],
  ['/plants', {}],
  ['/plants', { method: 'PUT', ...ofAlice }],
]

describe('an override', () => {
  it.each(cases)('violates the contract, or is permitted: %s', async (_, responder, sections) => {
    const { texts, settled, mock } = watch(responder())
    for (const [path, init] of requests) await (await fetch(`${url}${path}`, init)).text()
    await settled()
    const found = (await mock.violations()).filter((violation) => violation.in === 'response')
    expect([...new Set(found.map(({ section }) => section))]).toEqual(sections)
    expect(texts).toHaveLength(new Set(found.map(({ request }) => request)).size)
    expect(await mock.requests.count({ source: 'handlers' })).toBe(requests.length)
  })

  it('is named with its request, section and field, and stands in the journal', async () => {
    const { texts, settled, mock } = watch(async () => HttpResponse.json([{ id: 1, name: 'Aloe vera', tag: 'x' }]))
    await list('?limit=3')
    await settled()
    expect(texts.join()).toMatch(
      /^An override violates the contract: GET \/plants\?limit=3 → 200\n {2}contract 2\.2, 4\.2: Element 0: id is not a field of a plant\.\nCorrect the override, or mark the violation as intended: allowViolation\('2\.2', response\)\. If the override is for another service, set baseUrl\. Read the contract: npx plant-mock contract 2\.2,4\.2$/,
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

  it.each(['2', '2.2', '4', '4.2', '2.2, 4.2', '4.2.1', '2.2.1'])(
    'is permitted for the section that it is marked with: %s',
    async (section) => {
      const { texts, settled, mock } = watch(async () =>
        allowViolation(section, HttpResponse.json([{ name: 'Aloe vera' }])),
      )
      await list()
      await settled()
      expect(texts).toEqual([])
      expect(await mock.violations()).toEqual([])
    },
  )

  it.each(['8', '2.1'])('is caught when another section is marked: %s', async (section) => {
    const { texts, settled } = watch(async () => allowViolation(section, HttpResponse.json([{ name: 'Aloe vera' }])))
    await list()
    await settled()
    expect(texts).toHaveLength(1)
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
