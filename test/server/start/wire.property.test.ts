import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { type StartedPlantMock, type StartOptions, startPlantMock } from 'plant-mock/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { malformedHttp, splitAt } from '../../support/http-fuzz.ts'
import { runs } from '../../support/runs.ts'
import { as, post } from '../../support/targets.ts'
import { createText, openConnection, parseResponses, requestText, sendRaw } from '../../support/wire.ts'

/** The grace period exceeds the test timeout: a connection that survives `close()` fails the test. */
const grace = 2_000_000_000
let server: StartedPlantMock
beforeEach(async () => {
  server = await startPlantMock({ assume: { 'body.maxSize': '16KiB' }, grace })
})
afterEach(() => server.close())

const inheritedKeys = () => [Object.prototype, Array.prototype].flatMap(Reflect.ownKeys)

const cuttings = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 })

describe('malformed HTTP', () => {
  const initialKeys = inheritedKeys()
  const ending = fc.constantFrom('end', 'reset', 'destroy')

  it.each<[where: string, count: number, options: StartOptions]>([
    ['in front of the mock', 800, {}],
    ['in front of handlers', 600, { respond: async () => undefined }],
  ])('gets at most one response per request and no 5xx, and the server goes on: %s', async (_, count, options) => {
    const { url, close } = await startPlantMock({ assume: { 'body.maxSize': '16KiB' }, grace, ...options })
    let id = 1_000_000_000
    const statuses = new Set<number>()
    const property = fc.asyncProperty(malformedHttp, ending, async (chunks, end) => {
      const connection = openConnection(url)
      for (const chunk of chunks) {
        connection.send(chunk)
        await setImmediate()
      }
      if (end === 'reset') connection.socket.resetAndDestroy()
      else connection.socket.end()
      if (end === 'destroy') connection.socket.destroy()
      const text = await connection.ended
      connection.socket.destroy()

      const received = [...text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)].map(([, status]) => Number(status))
      for (const status of received) statuses.add(status)
      expect(received.filter((status) => status >= 500)).toEqual([])
      const sent = Buffer.concat(chunks).toString('latin1')
      const requests = sent.split(/HTTP\/\d/i).length
      expect(received.filter((status) => status >= 200).length).toBeLessThanOrEqual(requests)
      const created = await fetch(`${url}/plants`, post({ id: ++id, name: 'a', tag: 'b' }))
      expect([created.status, await created.text()]).toEqual([201, '{"name":"a","tag":"b"}'])
    })
    await fc.assert(property, { numRuns: runs(count) })
    expect(inheritedKeys()).toEqual(initialKeys)
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400]))
    const journal = await fetch(`${url}/__plant-mock/requests`)
    expect([journal.status, await journal.json()]).toEqual([200, expect.anything()])
    await close()
  })
})

describe('requests split into chunks at any byte', () => {
  /** If the server does not read a body to its end, it answers the request hidden in the body. */
  const hidden = createText({ id: 666, name: 'hidden', tag: 'x' })
  const id = fc.integer({ min: 0, max: 3 })
  type Sent = {
    readonly method: string
    readonly text: string
    readonly expected: (ids: Set<number>) => number
  }

  const chunked = (line: string, headers: readonly string[], body: string, sizes: readonly number[]): string => {
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
    .map(([isChunked, sizes, expectsContinue]) => (line: string, headers: readonly string[], body: string) => {
      const all = expectsContinue ? [...headers, 'Expect: 100-continue'] : headers
      return isChunked ? chunked(line, all, body, sizes) : requestText(line, all, body)
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
        ['POST /plants?x=1', [isJson, 'Authorization: Bearer bob'], hidden, 400],
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

  it('get one response each when they are valid, in order, and no body is read as a request', async () => {
    const property = fc.asyncProperty(requests, cuttings, async (sent, cuts) => {
      await server.mock.reset()
      const ids = new Set<number>()
      const connection = openConnection(server.url)
      for (const chunk of splitAt(sent.map(({ text }) => text).join(''), cuts)) {
        connection.send(chunk)
        await setImmediate()
      }
      const text = await connection.ended
      const responses = parseResponses(
        text,
        sent.map(({ method }) => method),
      )
      expect(responses.map(({ status }) => status)).toEqual(sent.map(({ expected }) => expected(ids)))
      expect((await server.mock.plants.all()).map(({ id }) => id)).toEqual([...ids])
    })
    await fc.assert(property, { numRuns: runs(300) })
  })

  it('are refused with a 400 when their framing is ambiguous', async () => {
    const value = fc.constantFrom('0', String(hidden.length), '+0', '-0', '0x0', '00', '0, 0', '1e0', '', '0;', '\x0B0')
    const coding = fc.constantFrom(
      'chunked',
      'Chunked',
      'identity',
      'chunked, identity',
      'gzip, chunked',
      'x',
      '\x0Bchunked',
    )
    const name = (header: string) =>
      fc.constantFrom(header, header.toLowerCase(), header.toUpperCase(), `${header} `, ` ${header}`)
    const length = fc.tuple(name('Content-Length'), value).map((pair) => pair.join(':'))
    const encoding = fc.tuple(name('Transfer-Encoding'), coding).map((pair) => pair.join(':'))
    const framing = fc
      .tuple(length, fc.array(fc.oneof(length, encoding), { minLength: 1, maxLength: 2 }))
      .chain(([first, others]) => fc.shuffledSubarray([first, ...others], { minLength: 1 + others.length }))
    const bodyStart = fc.constantFrom('', '0\r\n\r\n', `${hidden.length.toString(16)}\r\n`)
    const property = fc.asyncProperty(framing, bodyStart, async (framing, bodyStart) => {
      const text = await sendRaw(server.url, requestText('POST /plants', framing), bodyStart, hidden, hidden)
      expect(parseResponses(text).map(({ status }) => status)).toEqual([400])
    })
    await fc.assert(property, { numRuns: runs(400) })
    expect(await server.mock.plants.all()).toEqual([])
    expect((await fetch(`${server.url}/plants`, as('alice'))).status).toBe(200)
  })
})
