import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { type StartedPlantMock, type StartOptions, startPlantMock } from 'plant-mock/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { inPieces, soup } from '../support/http-fuzz.ts'
import { as, post } from '../support/targets.ts'
import { answersIn, createText, requestText, say, wireTo } from '../support/wire.ts'

/** Connections that were left open would hold up the end of each test. */
const grace = 2_000_000_000
let server: StartedPlantMock
beforeEach(async () => {
  server = await startPlantMock({ assume: { 'body.maxSize': '16KiB' }, grace })
})
afterEach(() => server.close())

/** What a program could find in every object, if a request got it there. */
const inherited = () => [Object.prototype, Array.prototype].flatMap(Reflect.ownKeys)

const cutting = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 })

describe('whatever comes over a connection', () => {
  const untouched = inherited()
  const ending = fc.constantFrom('end', 'reset', 'leave')

  it.each<[where: string, numRuns: number, options: StartOptions]>([
    ['by the mock', 400, {}],
    ['behind handlers', 100, { respond: async () => undefined }],
  ])(
    'is answered at most once a request, without a failure, by what then goes on: %s',
    async (_, numRuns, options) => {
      const { url, close } = await startPlantMock({ assume: { 'body.maxSize': '16KiB' }, grace, ...options })
      let id = 1_000_000_000
      const statuses = new Set<number>()
      const property = fc.asyncProperty(soup, ending, async (pieces, how) => {
        const wire = wireTo(url)
        for (const piece of pieces) {
          wire.send(piece)
          await setImmediate()
        }
        if (how === 'reset') wire.socket.resetAndDestroy()
        else wire.socket.end()
        if (how === 'leave') wire.socket.destroy()
        const text = await wire.ended
        wire.socket.destroy()

        const given = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map(([, status]) => Number(status))
        for (const status of given) statuses.add(status)
        expect(given.filter((status) => status >= 500)).toEqual([])
        const sent = Buffer.concat(pieces).toString('latin1')
        const requests = sent.split(/HTTP\/\d/i).length
        expect(given.filter((status) => status >= 200).length).toBeLessThanOrEqual(requests)
        const created = await fetch(`${url}/plants`, post({ id: ++id, name: 'a', tag: 'b' }))
        expect([created.status, await created.text()]).toEqual([201, '{"name":"a","tag":"b"}'])
      })
      await fc.assert(property, { numRuns })
      expect(inherited()).toEqual(untouched)
      expect([...statuses]).toEqual(expect.arrayContaining([200, 400]))
      // All of it can be looked at.
      expect((await fetch(`${url}/__plant-mock/requests`)).status).toBe(200)
      await close()
    },
    60_000,
  )
})

describe('right requests, however they are cut into pieces', () => {
  /** What would be a request, if a body were not read to its end. */
  const hidden = createText({ id: 666, name: 'hidden', tag: 'x' })
  const id = fc.integer({ min: 0, max: 3 })
  type Sent = {
    readonly method: string
    readonly text: string
    readonly expected: (ids: Set<number>) => number
  }

  const chunked = (
    line: string,
    headers: readonly string[],
    body: string,
    sizes: readonly number[],
  ): string => {
    let chunks = ''
    let rest = body
    for (const size of [...sizes, body.length]) {
      const chunk = rest.slice(0, size)
      rest = rest.slice(size)
      if (chunk !== '') chunks += `${chunk.length.toString(16)};x="y"\r\n${chunk}\r\n`
    }
    return `${requestText(line, [...headers, 'Transfer-Encoding: chunked'])}${chunks}0\r\nX-Trailer: z\r\n\r\n`
  }
  const isJson = 'Content-Type: application/json'
  const withBody = fc
    .tuple(fc.boolean(), fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 4 }), fc.boolean())
    .map(([inChunks, sizes, asks]) => (line: string, headers: readonly string[], body: string) => {
      const all = asks ? [...headers, 'Expect: 100-continue'] : headers
      return inChunks ? chunked(line, all, body, sizes) : requestText(line, all, body)
    })
  const create = fc.tuple(withBody, id, fc.constantFrom('a', hidden)).map(
    ([write, id, name]): Sent => ({
      method: 'POST',
      text: write('POST /plants', [isJson], JSON.stringify({ id, name, tag: 'x' })),
      expected: (ids) => (ids.size === ids.add(id).size ? 409 : 201),
    }),
  )
  const refused = fc
    .tuple(
      withBody,
      fc.constantFrom<[line: string, headers: string[], body: string, status: number]>(
        ['POST /plants', [isJson], hidden, 400],
        ['POST /plants', [isJson], `${hidden}${' '.repeat(20_000)}`, 413],
        ['POST /plants', [], hidden, 415],
        ['POST /plants?x=1', [isJson, 'Authorization: Bearer bob'], hidden, 401],
        ['PUT /plants', [isJson], hidden, 405],
        ['DELETE /elsewhere', [], hidden, 404],
        ['GET /plants', [], hidden, 200],
        ['POST /__plant-mock/reset', ['Origin: http://evil.example'], hidden, 403],
        ['OPTIONS /plants', ['Origin: http://a', 'Access-Control-Request-Method: GET'], hidden, 204],
      ),
    )
    .map(
      ([write, [line, headers, body, status]]): Sent => ({
        method: line.split(' ')[0] ?? '',
        text: write(line, headers, body),
        expected: () => status,
      }),
    )
  const read = fc
    .constantFrom('GET', 'HEAD')
    .map((method): Sent => ({ method, text: requestText(`${method} /plants?limit=1`), expected: () => 200 }))
  const ending = fc.constantFrom('GET', 'HEAD').map(
    (method): Sent => ({
      method,
      text: requestText(`${method} /plants?limit=1`, ['Connection: close']),
      expected: () => 200,
    }),
  )
  const requests = fc
    .tuple(fc.array(fc.oneof(create, refused, read), { maxLength: 12 }), ending)
    .map(([sent, last]) => [...sent, last])

  it('are answered one by one, in their order, and no body is ever a request', async () => {
    const property = fc.asyncProperty(requests, cutting, async (sent, cuts) => {
      await server.mock.reset()
      const ids = new Set<number>()
      const wire = wireTo(server.url)
      for (const piece of inPieces(sent.map(({ text }) => text).join(''), cuts)) {
        wire.send(piece)
        await setImmediate()
      }
      const text = await wire.ended
      const answers = answersIn(
        text,
        sent.map(({ method }) => method),
      )
      expect(answers.map(({ status }) => status)).toEqual(sent.map(({ expected }) => expected(ids)))
      expect((await server.mock.plants.all()).map(({ id }) => id)).toEqual([...ids])
    })
    await fc.assert(property, { numRuns: 150 })
  }, 60_000)

  it('are no requests when what they say of their length is not clear', async () => {
    const value = fc.constantFrom(
      '0',
      String(hidden.length),
      '+0',
      '-0',
      '0x0',
      '00',
      '0, 0',
      '1e0',
      '',
      '0;',
      '\x0B0',
    )
    const coding = fc.constantFrom(
      'chunked',
      'Chunked',
      'identity',
      'chunked, identity',
      'gzip, chunked',
      'x',
      '\x0Bchunked',
    )
    const name = (usual: string) =>
      fc.constantFrom(usual, usual.toLowerCase(), usual.toUpperCase(), `${usual} `, ` ${usual}`)
    const length = fc.tuple(name('Content-Length'), value).map((pair) => pair.join(':'))
    const encoding = fc.tuple(name('Transfer-Encoding'), coding).map((pair) => pair.join(':'))
    const framing = fc
      .tuple(length, fc.array(fc.oneof(length, encoding), { minLength: 1, maxLength: 2 }))
      .chain(([first, others]) => fc.shuffledSubarray([first, ...others], { minLength: 1 + others.length }))
    const begin = fc.constantFrom('', '0\r\n\r\n', `${hidden.length.toString(16)}\r\n`)
    const property = fc.asyncProperty(framing, begin, async (framing, begin) => {
      const text = await say(server.url, requestText('POST /plants', framing), begin, hidden, hidden)
      expect(answersIn(text).map(({ status }) => status)).toEqual([400])
    })
    await fc.assert(property, { numRuns: 200 })
    expect(await server.mock.plants.all()).toEqual([])
    expect((await fetch(`${server.url}/plants`, as('alice'))).status).toBe(200)
  }, 60_000)
})
