import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createPlantMock, type JournalEntry } from 'plant-mock'
import { startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { hex, plain } from '../../support/encodings.ts'
import { skipsRedis } from '../../support/redis-server.ts'
import { startReplicas, storeOfItsOwn } from '../../support/replicas.ts'
import { runs } from '../../support/runs.ts'
import { useServers } from '../../support/start.ts'
import { sendJson, useUpstream } from '../../support/upstream.ts'

const { closers } = useServers()

const { serve } = useUpstream()

type Sent = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

const token = fc
  .string({ unit: fc.constantFrom(...'abcXYZ0189-._~+/'), minLength: 16, maxLength: 40 })
  .map((text) => `s${text}e`)

const inUrl: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => text.replaceAll(/./g, (character) => `%${hex(character)}`),
  (text) => text.replaceAll(/./g, (character) => `%25${hex(character)}`),
]

const inJson: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('/', '\\/'),
  (text) => text.replaceAll(/./g, (character) => `\\u${hex(character, 4)}`),
  (text) => text.replaceAll('+', ' '),
  encodeURIComponent,
  (text) => text.replaceAll(/./g, (character) => `&#${character.charCodeAt(0)};`),
]

/** A text around a token, such as `TOKEN.json`. */
const around = fc.constantFrom(
  (text: string) => text,
  (text: string) => `x${text}y`,
  (text: string) => `${text}.json`,
  (text: string) => `my ${text} plant`,
  (text: string) => `/${text}/`,
)

const create = (headers: Sent['headers'], fields: string): Sent => ({
  method: 'POST',
  path: '/plants',
  headers: { 'content-type': 'application/json', ...headers },
  body: `{ "id": 7, ${fields} }`,
})

const sent = fc
  .record({
    secret: token,
    wrap: around,
    url: fc.constantFrom(...inUrl),
    json: fc.constantFrom(...inJson),
    place: fc.nat(8),
  })
  .map(({ secret, wrap, url, json, place }): { secret: string; requests: readonly Sent[] } => {
    const own = { authorization: `Bearer ${secret}` }
    const inPath = url(wrap(secret)).replaceAll(' ', '%20')
    const text = json(wrap(secret))
    const list = (query: string, headers: Sent['headers'] = own): Sent => ({
      method: 'GET',
      path: `/plants${query}`,
      headers,
    })
    const places: readonly (readonly Sent[])[] = [
      [list(`/${inPath}`)],
      [list(`?limit=${inPath}`)],
      [list(`?${inPath}=1`)],
      [list(`?limit=1`, { ...own, 'x-note': wrap(secret) })],
      [list(`?access_token=${encodeURIComponent(secret)}`, { 'x-note': wrap(secret) })],
      [create(own, `"name":"${text}","tag":"t"`), list('?limit=3')],
      [create(own, `"name":"n","tag":"${text}"`), list('')],
      [create(own, `"name":"n","tag":"t","note":"${text}"`)],
      [create({ ...own, 'x-api-key': `${secret}k` }, `"name":"${text}","tag":"${secret}k"`)],
    ]
    return { secret, requests: places[place] ?? [] }
  })

/** What everybody can read of an entry, without what differs between carriers. */
const shownOf = ({ url, caller, violations, request, response, status }: JournalEntry) => ({
  url,
  caller,
  status,
  violations,
  requestBody: request.body,
  responseBody: response.body,
  note: request.headers['x-note'],
  authorization: request.headers.authorization,
  key: request.headers['x-api-key'],
})

const isShown = (text: string, secret: string): boolean =>
  [plain(text), plain(text).replaceAll('+', ' ')].some(
    (shown) => shown.includes(secret.replaceAll('+', ' ')) || shown.includes(secret),
  )

describe('a token', () => {
  it.skipIf(skipsRedis)(
    'is in no journal, and memory, a server and replicas of a store show the same text',
    async () => {
      const { url, mock, close } = await startPlantMock()
      const replicas = await startReplicas(2, await storeOfItsOwn())
      closers.push(close, ...replicas.map((replica) => replica.close))
      const property = fc.asyncProperty(sent, async ({ secret, requests }) => {
        const memory = createPlantMock()
        const session = `s-${Math.random()}`
        for (const [index, { method, path, headers, body }] of requests.entries()) {
          const init = { method, headers, ...(body !== undefined && { body }) }
          const inSession = { ...init, headers: { ...headers, 'plant-mock-session': session } }
          await memory.fetch(path, init)
          await (await fetch(url + path, inSession)).text()
          await (await fetch(`${replicas[index % 2]?.url}${path}`, inSession)).text()
        }
        const journals = await Promise.all(
          [memory, mock.session(session), ...replicas.map((replica) => replica.mock.session(session))].map(
            async ({ requests }) => (await requests.all()).map(shownOf).map((shown) => withoutNumbers(shown)),
          ),
        )
        for (const journal of journals) expect(isShown(JSON.stringify(journal), secret)).toBe(false)
        for (const journal of journals) expect(journal).toEqual(journals[0])
      })
      await fc.assert(property, { numRuns: runs(200) })
    },
  )

  it('is in no recording, however the upstream writes it', async () => {
    let names: readonly string[] = []
    const { url: upstream } = await serve((_, res) =>
      sendJson(
        res,
        200,
        names.map((name) => ({ name, tag: name })),
      ),
    )
    const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
    closers.push(() => rm(folder, { recursive: true }))
    let count = 0
    const forms = fc.record({ secret: token, wrap: around, json: fc.constantFrom(...inJson) })
    const property = fc.asyncProperty(forms, async ({ secret, wrap, json }) => {
      names = [json(wrap(secret)), 'Fern']
      const record = join(folder, `${++count}.json`)
      const { url, close } = await startPlantMock({ upstream: { url: upstream, for: 'all', record } })
      await (await fetch(`${url}/plants`, { headers: { authorization: `Bearer ${secret}` } })).text()
      await close()
      const recorded = await readFile(record, 'utf8')
      expect([recorded.includes('Fern'), isShown(recorded, secret)]).toEqual([true, false])
    })
    await fc.assert(property, { numRuns: runs(40) })
  })
})

/** Whether a caller has a number yet depends on the requests of earlier runs, which the memory mock does not get. */
const withoutNumbers = <T>(shown: T): T => JSON.parse(JSON.stringify(shown).replaceAll(/caller-\d+/g, '…')) as T
