import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { bearer, createPlantMock, violates } from 'plant-mock'
import { checkOverrides, plantHandlers, unhandled } from 'plant-mock/msw'
import { afterEach, describe, expect, it } from 'vitest'
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
const ask = async () => {
  for (const [path, init] of requests) await (await fetch(`${url}${path}`, init)).text()
}

describe('an override', () => {
  it.each(lies)('is caught when $mistake', async ({ responder }) => {
    const { texts, settled } = watch(responder())
    await ask()
    await settled()
    expect(texts.join('\n')).toMatch(/^An override violates the contract: (?:GET|POST) \/plants.* → \d+/)
  })

  it.each(permitted)('is not caught for what the contract permits: $name', async ({ responder }) => {
    const { texts, settled, mock } = watch(responder())
    await ask()
    await settled()
    expect(texts).toEqual([])
    expect(await mock.requests.count({ source: 'handlers' })).toBe(requests.length)
  })

  it('is named with its request, section and field, and stands in the journal', async () => {
    const { texts, settled, mock } = watch(async () => HttpResponse.json([{ id: 1, name: 'Aloe vera', tag: 'x' }]))
    await list('?limit=3')
    await settled()
    expect(texts.join()).toMatch(
      /^An override violates the contract: GET \/plants\?limit=3 → 200\n {2}contract 2\.2, 4\.2: Element 0: id is not a field of a plant\.\nCorrect it, or mark it as intended: violates\('2\.2', response\)\. If the override is for another service, set baseUrl\. Read the contract: npx plant-mock contract 2\.2,4\.2$/,
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

  it('counts for coverage, because a client meets it', async () => {
    const { settled, mock } = watch(async () => new HttpResponse(null, { status: 503 }))
    await list()
    await settled()
    expect((await mock.coverage()).filter(({ count }) => count > 0)).toMatchObject([{ outcome: 'server-error' }])
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
