import { setImmediate } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as } from '../../support/targets.ts'
import { createText, openConnection, parseResponses, parseStatuses, requestText, sendRaw } from '../../support/wire.ts'

const { serveBytes, start, startProxy } = useServers()

const list = requestText('GET /plants?limit=0')
const lastList = requestText('GET /plants?limit=0', ['Connection: close'])
const noise = 'NOISE\r\n\r\n'
const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }

describe('bytes that the parser refuses after other requests', () => {
  it('get a 400 after the responses to the earlier requests', async () => {
    const { url, mock } = await start()
    await mock.fail({ delay: 20, times: 1 })
    expect(parseStatuses(await sendRaw(url, list + list + noise))).toEqual([200, 200, 400])
  })

  it('get a 400 after the earlier responses when they are in a request body', async () => {
    const { url, mock } = await start()
    await mock.fail({ delay: 20, times: 1 })
    const broken = requestText('POST /plants', ['Transfer-Encoding: chunked'])
    expect(parseStatuses(await sendRaw(url, `${list}${broken}zz\r\n`))).toEqual([200, 400])
  })

  it('get a 408 after the earlier responses when they take too long to arrive', async () => {
    const { url, mock } = await start({ headersTimeout: 20, requestTimeout: 20 })
    await mock.fail({ delay: 100, times: 1 })
    expect(parseStatuses(await sendRaw(url, `${list}GET /plants`))).toEqual([200, 408])
  })

  it.each([
    ['a preflight', 'OPTIONS /plants', ['Origin: http://a', 'Access-Control-Request-Method: POST'], 204],
    ['a foreign control request', 'POST /__plant-mock/reset', ['Origin: http://a'], 403],
  ])('get no second response when %s had its response before its body broke', async (_, line, headers, status) => {
    const { url } = await start()
    // The first control request loads the control interface; later requests get an answer at once.
    await (await fetch(`${url}/__plant-mock/health`)).text()
    const text = requestText(line, [...headers, 'Transfer-Encoding: chunked'])
    expect(parseStatuses(await sendRaw(url, `${text}zz\r\n`))).toEqual([status])
  })

  it('get no response inside an event stream', async () => {
    const { url, mock } = await start()
    const connection = openConnection(url)
    connection.send(requestText('GET /__plant-mock/events') + noise)
    await connection.until(/event: state/)
    await mock.assume({ 'create.status': 200 })
    const text = await connection.until(/event: change/)
    connection.socket.destroy()
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  it('end the event stream whose request body they are in', async () => {
    const { url } = await start()
    const text = requestText('GET /__plant-mock/events', ['Transfer-Encoding: chunked'])
    expect((await sendRaw(url, `${text}zz\r\n`)).match(/HTTP\/1\.1/g)?.length ?? 0).toBeLessThan(2)
  })

  it('are ignored after a request with Connection: close', async () => {
    const { url, mock } = await start()
    expect(parseStatuses(await sendRaw(url, lastList + createText(fern)))).toEqual([200])
    expect(await mock.plants.all()).toEqual([])
  })
})

describe('a refused connection', () => {
  it('lets the client finish sending and read the response', async () => {
    const { url } = await start()
    const connection = openConnection(url, { halfOpen: true })
    connection.send(`GET /plants HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}`)
    const text = await connection.ended
    for (let i = 0; i < 20; i++) {
      connection.send('y'.repeat(50_000))
      await setImmediate()
    }
    connection.socket.end()
    expect([parseStatuses(text), await connection.wasReset]).toEqual([[431], false])
    expect(parseStatuses(await sendRaw(url, lastList))).toEqual([200])
  })

  it('is destroyed when the client does not end its side', async () => {
    const { url, close } = await start({ grace: 2_000_000_000 })
    const connection = openConnection(url, { halfOpen: true })
    connection.send(noise)
    expect(parseStatuses(await connection.ended)).toEqual([400])
    await close()
    connection.socket.destroy()
  })
})

describe('a client that has ended its side', () => {
  it('receives its responses', async () => {
    const { url, mock } = await start()
    const connection = openConnection(url, { halfOpen: true })
    connection.send(list + createText(fern))
    connection.socket.end()
    expect(parseStatuses(await connection.ended)).toEqual([200, 201])
    expect(await mock.plants.all()).toMatchObject([fern])
  })

  it('is disconnected after sending nothing, and receives a 400 after half a request', async () => {
    const { url } = await start()
    const [silent, partial] = [openConnection(url), openConnection(url)]
    silent.socket.end()
    partial.socket.end('GET /plants HTTP/1.1\r\nHost')
    expect([await silent.ended, parseStatuses(await partial.ended)]).toEqual(['', [400]])
  })
})

describe('hundreds of pipelined requests', () => {
  it('find what a request of the control interface in front of them has changed', async () => {
    const { url } = await start({ fixtures: [fern] })
    const lines = ['DELETE /__plant-mock/plants', 'GET /plants', 'POST /__plant-mock/reset', 'GET /plants']
    const responses = parseResponses(await sendRaw(url, lines.map((line) => requestText(line)).join('') + lastList))
    expect(responses.map(({ status, body }) => [status, body.length > 2])).toEqual([
      [204, false],
      [200, false],
      [204, false],
      [200, true],
      [200, false],
    ])
  })

  it('get their responses in order, lists and creates', async () => {
    const { url, mock } = await start({ fixtures: ['crowded'] })
    const parts = Array.from({ length: 400 }, (_, i) =>
      i % 2 === 0
        ? requestText(`GET /plants?limit=${i % 100}`)
        : createText({ ...fern, id: 10_000 + i, name: `plant ${i}` }),
    )
    const responses = parseResponses(await sendRaw(url, parts.join('') + lastList))
    expect(responses).toHaveLength(401)
    for (const [i, { status, body }] of responses.slice(0, 400).entries()) {
      const json = JSON.parse(body) as { name: string } & unknown[]
      if (i % 2 === 0) expect([status, json.length]).toEqual([200, i % 100])
      else expect([status, json.name]).toEqual([201, `plant ${i}`])
    }
    expect(await mock.plants.all()).toHaveLength(450)
  })

  it('take effect in order, also behind bodies that arrive in chunks or late', async () => {
    const { url } = await start()
    const chunked = (id: number) => {
      const [head = '', body = ''] = createText({ ...fern, id, name: `plant ${id}` }).split('\r\n\r\n')
      const size = body.length.toString(16)
      return `${head.replace(/Content-Length: \d+/i, 'Transfer-Encoding: chunked')}\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`
    }
    const create = (id: number) => createText({ ...fern, id, name: `plant ${id}` })
    const connection = openConnection(url)
    const late = create(905)
    connection.send(
      chunked(901) + requestText('GET /plants') + create(902) + chunked(903) + create(904) + late.slice(0, -5),
    )
    connection.send(late.slice(-5) + requestText('GET /plants') + create(906) + requestText('GET /plants') + lastList)
    const responses = parseResponses(await connection.ended)
    const ids = responses
      .filter(({ body }) => body.startsWith('['))
      .map(({ body }) => [...body.matchAll(/plant (\d+)/g)].map(([, id]) => Number(id)))
      .slice(0, -1)
    expect(ids).toEqual([[901], [901, 902, 903, 904, 905], [901, 902, 903, 904, 905, 906]])
  })

  it('have no transfer coding but chunked: another one is refused, and the next request is served', async () => {
    const { url } = await start()
    const text = createText({ ...fern, id: 950 }).replace(/Content-Length: \d+/i, 'Transfer-Encoding: gzip, chunked')
    const [head = ''] = text.split('\r\n\r\n')
    const responses = parseResponses(await sendRaw(url, `${head}\r\n\r\n3\r\nabc\r\n0\r\n\r\n${lastList}`))
    expect(responses.map(({ status }) => status)).toEqual([501, 200])
    expect(JSON.parse(responses[0]?.body ?? '')).toMatchObject({
      type: 'urn:problem-type:plant-mock:unsupported-transfer',
      detail:
        'The Transfer-Encoding gzip, chunked is not supported. Send the body without Transfer-Encoding, or as chunked (RFC 9112, 6.1).',
    })
  })

  it.each([
    ['the control interface', 'POST /__plant-mock/load', {}],
    ['handlers in front', 'POST /other', { respond: async () => new Response('taken') }],
    ['an upstream', 'POST /other', { upstream: { url: 'http://127.0.0.1:9' } }],
  ])('have no transfer coding but chunked at %s either', async (_, line, options) => {
    const { url } = await start(options)
    const text = requestText(line, ['Content-Type: application/json', 'Transfer-Encoding: gzip, chunked'])
    expect(parseStatuses(await sendRaw(url, `${text}2\r\n[]\r\n0\r\n\r\n${lastList}`))).toEqual([501, 200])
  })

  it('of a client that reads nothing do not block others, and get their responses once it reads', async () => {
    const { url } = await start({ fixtures: ['crowded'] })
    const connection = openConnection(url)
    connection.socket.pause()
    connection.send(requestText('GET /plants').repeat(600) + lastList)
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(200)
    connection.socket.resume()
    const responses = parseResponses(await connection.ended)
    expect([responses.length, responses.at(599)?.body === responses.at(0)?.body]).toEqual([601, true])
  })
})

describe('a request that arrives a byte at a time (slowloris)', () => {
  it.each([
    ['headers', 'GET /plants HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n'],
    ['a body', 'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n', ' '],
    ['no bytes at all', '', ''],
  ])('gets a 408 although it never pauses for long: %s', async (_, beginning, endless) => {
    const { url } = await start({ headersTimeout: 40, requestTimeout: 40 })
    const connection = openConnection(url)
    connection.send(beginning)
    const dripping = setInterval(() => connection.send(endless), 5)
    const text = await connection.ended
    clearInterval(dripping)
    connection.socket.destroy()
    const type = 'urn:problem-type:plant-mock:request-timeout'
    expect(parseResponses(text)).toMatchObject([{ status: 408, body: expect.stringContaining(`"type":"${type}"`) }])
  })
})

describe('request smuggling', () => {
  const hidden = createText({ ...fern, id: 666 })
  const create = (...headers: string[]) => requestText('POST /plants', headers)
  const chunked = 'Transfer-Encoding: chunked'
  const hex = (text: string) => text.length.toString(16)

  it.each([
    ['a list of lengths', create(`Content-Length: 0, ${hidden.length}`), hidden],
    ['a length with a sign', create(`Content-Length: +0`), hidden],
    ['a length in hexadecimal digits', create('Content-Length: 0x0'), hidden],
    ['a negative length', create('Content-Length: -1'), hidden],
    ['a length beyond 64 bits', create(`Content-Length: ${'9'.repeat(30)}`), hidden],
    ['an empty length', create('Content-Length:'), hidden],
    ['a length before a NUL', create('Content-Length: 0\0'), hidden],
    ['a space before a colon', create('Content-Length : 0'), hidden],
    ['chunked as a coding other than the last', create('Transfer-Encoding: chunked, identity'), `0\r\n\r\n${hidden}`],
    ['chunked with a space before the colon', create('Transfer-Encoding : chunked'), `0\r\n\r\n${hidden}`],
    ['chunked in a folded line', create('Transfer-Encoding:\r\n chunked'), `0\r\n\r\n${hidden}`],
    ['an unknown coding', create('Transfer-Encoding: xchunked'), `0\r\n\r\n${hidden}`],
    ['chunked after a control character', create('Transfer-Encoding: \x0Bchunked'), `0\r\n\r\n${hidden}`],
    ['chunked after a bare line feed', create('X: y\nTransfer-Encoding: chunked'), `0\r\n\r\n${hidden}`],
    ['chunked after a bare carriage return', create('X: y\rTransfer-Encoding: chunked'), `0\r\n\r\n${hidden}`],
    ['a chunk that is longer than its size', create(chunked), `2\r\n{}{}\r\n0\r\n\r\n${hidden}`],
    ['a chunk size with a sign', create(chunked), `+0\r\n\r\n${hidden}`],
    ['a chunk size with 0x', create(chunked), `0x0\r\n\r\n${hidden}`],
    ['a chunk size beyond 64 bits', create(chunked), `10000000000000000\r\n\r\n${hidden}`],
    ['a chunk size that ends with a bare line feed', create(chunked), `0\n\n${hidden}`],
    ['a line feed in a chunk extension', create(chunked), `2;a="\n"\r\n{}\r\n0\r\n\r\n${hidden}`],
    ['a trailer that is not a header line', create(chunked), `0\r\nnothing\r\n\r\n${hidden}`],
    ['a trailer with a length', create(chunked), `0\r\nContent-Length: 5\r\n\r\n${hidden}`],
  ])('is prevented by a 400 and the end of the connection: %s', async (_, head, rest) => {
    const { url, mock } = await start()
    expect(parseStatuses(await sendRaw(url, head + rest))).toEqual([400])
    expect(await mock.plants.all()).toEqual([])
  })

  it.each([
    ['a body with a length', requestText('GET /plants', ['Connection: close'], hidden), 200],
    ['chunks', `${create(chunked, 'Connection: close')}${hex(hidden)};a=b\r\n${hidden}\r\n0\r\nX: y\r\n\r\n`, 415],
    ['a refused body', createText(hidden, ['Connection: close']), 400],
    ['an upgrade', requestText('GET /plants', ['Connection: Upgrade, close', 'Upgrade: h2c'], hidden), 200],
    ['a body after 100 Continue', createText(hidden, ['Expect: 100-continue', 'Connection: close']), 400],
  ])('is not suspected in a valid request: %s', async (_, text, status) => {
    const { url, mock } = await start()
    expect(parseStatuses(await sendRaw(url, text))).toEqual([status])
    expect(await mock.plants.all()).toEqual([])
  })

  it('by a missing Host is prevented with its reason, and HTTP/1.0 needs none', async () => {
    const { url } = await start()
    const plants = (version: string) =>
      `GET /plants ${version}\r\nAuthorization: Bearer alice\r\nConnection: close\r\n\r\n`
    const [refused] = parseResponses(await sendRaw(url, plants('HTTP/1.1')))
    expect([refused?.status, refused?.body]).toEqual([400, expect.stringContaining('Send one Host header')])
    expect(parseStatuses(await sendRaw(url, plants('HTTP/1.0')))).toEqual([200])
  })

  it('by two Authorization or two Host headers is prevented', async () => {
    const { url, mock } = await start()
    const callers = requestText('GET /plants', ['Authorization: Bearer bob', 'Connection: close'])
    const hosts = requestText('GET /__plant-mock/state', ['Host: evil.example', 'Connection: close'])
    expect(parseStatuses(await sendRaw(url, callers))).toEqual([400])
    expect(await mock.requests.last()).toMatchObject({ status: 400, problem: 'malformed-request' })
    expect(parseStatuses(await sendRaw(url, hosts))).toEqual([400])
    const plants = requestText('GET /plants', ['Host: 127.0.0.1', 'Connection: close'])
    expect(parseStatuses(await sendRaw(url, plants))).toEqual([400])
  })
})

describe('a reset fault', () => {
  it('resets the connection although an earlier pipelined request still has no response', async () => {
    const { url, mock } = await start()
    await mock.fail({ caller: 'bob', delay: 20 })
    await mock.fail({ caller: 'alice', reset: true })
    const connection = openConnection(url)
    connection.send(list.replace('alice', 'bob') + list)
    expect(await connection.wasReset).toBe(true)
  })
})

describe('a response without a body by its status has no Content-Length', () => {
  const lengths = async (url: string) => {
    const [response] = parseResponses(await sendRaw(url, lastList))
    return [response?.status, response?.headers['content-length']]
  }

  it.each([204, 304])('for a fault that asks for %i', async (status) => {
    const { url, mock } = await start()
    await mock.fail({ status, body: 'text' })
    expect(await lengths(url)).toEqual([status, undefined])
  })

  it.each([204, 304])('for a handler that responds with %i', async (status) => {
    const respond = async () => new Response(null, { status, headers: { 'content-length': '0' } })
    const { url } = await start({ respond })
    expect(await lengths(url)).toEqual([status, undefined])
  })

  it.each([
    ['204', 'all'],
    ['304', 'all'],
    ['304', 'rest'],
  ] as const)('for a %s of an upstream for %s', async (status, scope) => {
    const service = await serveBytes(`HTTP/1.1 ${status} X\r\nContent-Length: 2\r\nConnection: close\r\n\r\n`)
    const { url } = await startProxy(service.url, { for: scope })
    const text = requestText(scope === 'all' ? 'GET /plants' : 'GET /other', ['Connection: close'])
    const [response] = parseResponses(await sendRaw(url, text))
    expect([response?.status, response?.headers['content-length']]).toEqual([Number(status), undefined])
  })
})
