import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createPlantMock } from 'plant-mock'
import { startPlantMock } from 'plant-mock/node'
import { afterEach, describe, expect, it } from 'vitest'
import { hex, plain } from '../../support/encodings.ts'
import { runs } from '../../support/runs.ts'
import { echo, sendJson, useUpstream } from '../../support/upstream.ts'

const { serve } = useUpstream()
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const inJson = (text: string) =>
  text.replaceAll(/./g, (character) => (character === '/' ? '\\/' : `\\u${hex(character, 4)}`))
const inUrl = (text: string) => text.replaceAll(/./g, (character) => `%${hex(character, 2)}`)

const token = fc
  .string({ unit: fc.constantFrom(...'abcXYZ0189-._~+/'), minLength: 16, maxLength: 40 })
  .map((text) => `s${text}`)

/** Requests that carry a secret in two places, of which only one is known to hold secrets. */
const requests: readonly ((secret: string) => { path: string; headers: Record<string, string>; body?: string })[] = [
  (secret) => ({ path: `/plants?x=${inUrl(secret)}`, headers: { authorization: `Bearer ${secret}` } }),
  (secret) => ({ path: `/plants?token=${encodeURIComponent(secret)}`, headers: { 'x-note': secret } }),
  (secret) => ({ path: `/plants?id%5Ftoken=${inUrl(secret)}`, headers: { 'x-note': encodeURIComponent(secret) } }),
  (secret) => ({ path: `/plants/${encodeURIComponent(secret)}`, headers: { 'x-auth-token': secret } }),
  (secret) => ({ path: `/plants?${inUrl(secret)}=1`, headers: { cookie: `a=b; sid=${secret}` } }),
  (secret) => ({
    path: '/plants',
    headers: { authorization: `Custom ${secret}` },
    body: `{"name":"${inJson(secret)}","tag":"x"}`,
  }),
  (secret) => ({
    path: '/plants',
    headers: { authorization: `Bearer a, Bearer ${secret}` },
    body: `{"${inJson(secret)}":1}`,
  }),
  (secret) => ({
    path: '/plants',
    headers: { authorization: `Bearer ${secret}` },
    body: `{"name":"my ${inJson(secret)}","tag":"${secret}"}`,
  }),
  (secret) => ({
    path: '/plants',
    headers: { authorization: 'Bearer alice', 'x-api-key': secret },
    body: `not JSON: ${secret}`,
  }),
  (secret) => ({ path: '/plants', headers: {}, body: `{"name":"n","tag":"t","access_token":"${secret}"}` }),
]

describe('a secret of a request', () => {
  const anyRequest = fc.tuple(fc.constantFrom(...requests), token)

  it('is in no part of the journal, of violations, and of messages', async () => {
    const property = fc.asyncProperty(fc.array(anyRequest, { minLength: 1, maxLength: 5 }), async (all) => {
      const mock = createPlantMock()
      for (const [request, secret] of all) {
        const { path, headers, body } = request(secret)
        await mock.fetch(
          path,
          body === undefined
            ? { headers }
            : { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body },
        )
      }
      const timeout = await mock.requests
        .waitFor({ status: 599 }, { timeout: 0 })
        .catch((error: Error) => error.message)
      const seen = plain(JSON.stringify([await mock.requests.all(), await mock.violations(), timeout]))
      for (const [, secret] of all) expect(seen).not.toContain(secret)
    })
    await fc.assert(property, { numRuns: runs(300) })
  })

  it('is in no line of the log, also when it goes to the upstream', async () => {
    const { url: upstream } = await serve((req, res) => {
      res.setHeader('set-cookie', `echo=${String(req.headers.authorization ?? '').replace(/^\S+ /, '')}`)
      echo(req, res)
    })
    const logged: unknown[] = []
    for (const scope of ['rest', 'all'] as const) {
      const { url, mock, close } = await startPlantMock({
        upstream: { url: upstream, for: scope, check: scope === 'all' ? 'report' : undefined } as never,
        onRequest: (request) => logged.push(request),
      })
      closers.push(close)
      const property = fc.asyncProperty(anyRequest, async ([request, secret]) => {
        const { path, headers, body } = request(secret)
        const init =
          body === undefined
            ? { headers }
            : { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
        await (await fetch(url + path, init)).text()
        const seen = plain(JSON.stringify([logged.splice(0), await mock.requests.all(), await mock.violations()]))
        expect(seen).not.toContain(secret)
        await mock.requests.clear()
      })
      await fc.assert(property, { numRuns: runs(60) })
    }
  })

  it('of another caller is hidden too', async () => {
    const mock = createPlantMock()
    const [first, second] = ['token-of-the-first-caller', 'token-of-the-second-caller']
    await mock.fetch('/plants', { headers: { authorization: `Bearer ${first}` } })
    const headers = { authorization: `Bearer ${second}`, 'content-type': 'application/json' }
    await mock.fetch('/plants', { method: 'POST', headers, body: JSON.stringify({ name: first, tag: second }) })
    expect(await mock.requests.last()).toMatchObject({ request: { json: { name: 'caller-1', tag: 'caller-2' } } })
  })

  it('that is configured is hidden before its caller sends a request', async () => {
    const mock = createPlantMock({ callers: { kate: 'real-token-of-kate' } })
    await mock.fetch('/plants?q=id-real-token-of-kate-x')
    expect((await mock.requests.last())?.url).toBe('/plants?q=id-kate-x')
  })
})

describe('a recording', () => {
  /** Records a list of plants with these names, and returns the file. */
  const recordNames = async (names: readonly string[], token: string): Promise<string> => {
    const { url: upstream } = await serve((_, res) =>
      sendJson(
        res.setHeader('set-cookie', 'sid=1; Domain=plants.example.com'),
        200,
        names.map((name) => ({ name, tag: name })),
      ),
    )
    const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
    closers.push(() => rm(folder, { recursive: true }))
    const record = join(folder, 'recorded.json')
    const { url, close } = await startPlantMock({ upstream: { url: upstream, for: 'all', record } })
    await (await fetch(`${url}/plants`, { headers: { authorization: `Bearer ${token}` } })).text()
    await close()
    return readFile(record, 'utf8')
  }

  it('keeps the names of ordinary plants', async () => {
    const names = [
      'GreyJasmine.potted.large',
      'Basic succulent-starter-2',
      'Bearer Monstera-Albo-4L',
      'Token strawberry-plant-2024',
      'sort-key=1',
      'Fern from plants.example.com',
    ]
    const { plants } = JSON.parse(await recordNames(names, 'alice')) as { plants: { name: string }[] }
    expect(plants.map(({ name }) => name)).toEqual(names)
  })

  it('holds no token, whatever a plant is called', async () => {
    const secret = 'AbCdEf0123456789/+xyz'
    const jwt = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl'
    const names = [secret, `my ${inUrl(secret)}`, inJson(secret), `x${jwt}`, `?access_token=${secret}`, 'Fern']
    const recorded = await recordNames(names, secret)
    expect(recorded).toContain('"Fern"')
    expect(plain(plain(recorded))).not.toContain(secret)
    expect(recorded).not.toContain(jwt.slice(0, 30))
  })
})
