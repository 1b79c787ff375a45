import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { createPlantMock } from 'plant-mock'
import { checkConformance } from 'plant-mock/conformance'
import { startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { openTestFolder } from '../../support/folder.ts'
import { runs } from '../../support/runs.ts'
import { useServers } from '../../support/start.ts'
import { echo } from '../../support/upstream.ts'

const { closers, serve } = useServers()

const token = fc
  .string({ unit: fc.constantFrom(...'abcXYZ0189-._~+/'), minLength: 16, maxLength: 40 })
  .map((text) => `s${text}e`)

const formsInUrl = [
  (text: string) => text,
  encodeURIComponent,
  (text: string) => encodeURIComponent(text).replaceAll(/%../g, (code) => code.toLowerCase()),
]
const formsInJson = [...formsInUrl, (text: string) => text.replaceAll('/', '\\/')]

/** Moves a token across both truncation limits of a URL: 200 characters in messages, 500 in the journal. */
const padding = fc.oneof(
  fc.constant(''),
  fc.integer({ min: 150, max: 510 }).map((length) => 'x'.repeat(length)),
)

type Sent = { readonly path: string; readonly headers: Record<string, string>; readonly body?: string }

const places: readonly ((url: string, json: string) => Sent)[] = [
  (url) => ({ path: `/plants/${url}`, headers: {} }),
  (url) => ({ path: `/plants?limit=${url}`, headers: {} }),
  (url) => ({ path: `/plants?${url}=1`, headers: {} }),
  (url) => ({ path: '/plants', headers: { 'x-note': url, 'content-encoding': url } }),
  (url) => ({ path: '/plants', headers: { 'content-type': `text/plain; ${url}` }, body: url }),
  (_, json) => ({ path: '/plants', headers: {}, body: `{"id":1,"name":"${json}","tag":"${json}"}` }),
  (_, json) => ({ path: '/plants', headers: {}, body: `{"id":"${json}","${json}":1}` }),
]

const credentials = fc.constantFrom(
  (secret: string) => ({ authorization: `Bearer ${secret}` }),
  (secret: string) => ({ authorization: 'Bearer alice', cookie: `a=b; sid=${secret}` }),
  (secret: string) => ({ authorization: 'Bearer alice', 'x-api-key': secret }),
)

const sent = fc
  .record({
    secret: token,
    pad: padding,
    inUrl: fc.constantFrom(...formsInUrl),
    inJson: fc.constantFrom(...formsInJson),
    place: fc.constantFrom(...places),
    known: credentials,
  })
  .map(({ secret, pad, inUrl, inJson, place, known }) => {
    const { path, headers, body } = place(`${pad}${inUrl(secret)}`, `${pad}${inJson(secret)}`)
    const all = { 'content-type': 'application/json', ...headers, ...known(secret) }
    return { secret, path, init: { headers: all, ...(body !== undefined && { method: 'POST', body }) } }
  })

/** Compares only 12 characters, because the rest of the token may be truncated. */
const shows = (text: string, secret: string): boolean =>
  formsInJson.some((form) => text.replaceAll('\\\\', '\\').includes(form(secret).slice(0, 12)))

describe('a token', () => {
  it('is in no log and journal, in no violation and message', async () => {
    const { url: upstream } = await serve(echo)
    const logged: unknown[] = []
    const memory = createPlantMock()
    const { url, mock, close } = await startPlantMock({
      upstream: { url: upstream, for: 'all', check: 'report' },
      onRequest: (request) => logged.push(request),
    })
    closers.push(close)
    const property = fc.asyncProperty(sent, async ({ secret, path, init }) => {
      await memory.fetch(path, init)
      await (await fetch(url + path, init)).text()
      for (const { requests, violations } of [memory, mock]) {
        const timeout = await requests.waitFor({ status: 599 }, { timeout: 0 }).catch((error: Error) => error.message)
        const seen = JSON.stringify([await requests.all(), await violations(), timeout, logged.splice(0)])
        expect(shows(seen, secret)).toBe(false)
        await requests.clear()
      }
    })
    await fc.assert(property, { numRuns: runs(160) })
  })

  it('is in no recording and in no report about a service that writes it', async () => {
    let written = ''
    const { url: upstream } = await serve((req, res) => {
      req.resume()
      res.setHeader('content-type', 'application/json').end(`[{"name":"${written}","tag":"Fern"}]`)
    })
    const folder = await openTestFolder()
    let count = 0
    const writing = fc.record({ secret: token, pad: padding, form: fc.constantFrom(...formsInJson) })
    const property = fc.asyncProperty(writing, async ({ secret, pad, form }) => {
      written = `${pad}${form(secret)}`
      const record = join(folder, `${++count}.har`)
      const { url, close } = await startPlantMock({ upstream: { url: upstream, for: 'all', record } })
      await (await fetch(`${url}/plants`, { headers: { authorization: `Bearer ${secret}` } })).text()
      await close()
      const recorded = await readFile(record, 'utf8')
      expect([recorded.includes('Fern'), shows(recorded, secret)]).toEqual([true, false])
      const report = await checkConformance({ baseUrl: upstream, tokens: { caller: secret }, readOnly: true })
      expect(shows(JSON.stringify(report), secret)).toBe(false)
    })
    await fc.assert(property, { numRuns: runs(12) })
  })

  it('is known from options and fixtures before its caller sends a request', async () => {
    const mock = createPlantMock({
      callers: { kate: 'real-token-of-kate' },
      tokens: ['real-token-of-liam'],
      fixtures: [{ name: 'Fern', tag: 't', access: ['real-token-of-mary'] }],
    })
    await mock.fetch('/plants?q=real-token-of-kate-real-token-of-liam-real-token-of-mary-x')
    expect((await mock.requests.last())?.url).toBe('/plants?q=kate-…-…-x')
  })

  it('of another caller is replaced by its name, and one that was refused is hidden', async () => {
    const mock = createPlantMock({ assume: { 'auth.tokens': 'listed' }, callers: { kate: 'real-token-of-kate' } })
    const send = (caller: string, path: string) => mock.fetch(path, { headers: { authorization: `Bearer ${caller}` } })
    await send('an-unknown-token', '/plants')
    await send('real-token-of-kate', '/plants?q=an-unknown-token')
    await send('other-token', '/plants?q=real-token-of-kate')
    expect((await mock.requests.all()).map(({ url }) => url)).toEqual(['/plants', '/plants?q=…', '/plants?q=kate'])
  })

  it('that JSON writes in escapes of letters is hidden where its text is parsed', async () => {
    const mock = createPlantMock()
    const headers = { authorization: 'Bearer token-of-a-caller', 'content-type': 'application/json' }
    await mock.fetch('/plants', { method: 'POST', headers, body: '{"name":"\\u0074oken-of-a-caller","tag":"t"}' })
    expect((await mock.requests.last())?.request.json).toMatchObject({ name: 'caller-1' })
  })
})
