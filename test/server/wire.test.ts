import { once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { type StartedPlantMock, type StartOptions, startPlantMock } from 'plant-mock/node'
import { afterEach, describe, expect, it } from 'vitest'
import { as } from '../support/targets.ts'
import { answersIn, createText, requestText, say, statusesIn, wireTo } from '../support/wire.ts'

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})
const start = async (options?: StartOptions): Promise<StartedPlantMock> => {
  const started = await startPlantMock(options)
  open.push(started.close)
  return started
}

const list = requestText('GET /plants?limit=0')
const lastList = requestText('GET /plants?limit=0', ['Connection: close'])
const noise = 'NOISE\r\n\r\n'
const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }

describe('what is refused at a connection that has been used', () => {
  it('is answered after the answers that are still due', async () => {
    const { url, mock } = await start()
    await mock.fail({ delay: 20, times: 1 })
    expect(statusesIn(await say(url, list + list + noise))).toEqual([200, 200, 400])
  })

  it('is answered after them, too, when it is the body of a request in between', async () => {
    const { url, mock } = await start()
    await mock.fail({ delay: 20, times: 1 })
    const broken = requestText('POST /plants', ['Transfer-Encoding: chunked'])
    expect(statusesIn(await say(url, `${list}${broken}zz\r\n`))).toEqual([200, 400])
  })

  it('is answered after them, too, when it takes too long to come', async () => {
    const { url, mock } = await start({ headersTimeout: 20, requestTimeout: 20 })
    await mock.fail({ delay: 100, times: 1 })
    expect(statusesIn(await say(url, `${list}GET /plants`))).toEqual([200, 408])
  })

  it.each([
    ['a preflight', 'OPTIONS /plants', ['Origin: http://a', 'Access-Control-Request-Method: POST'], 204],
    ['a foreign control request', 'POST /__plant-mock/reset', ['Origin: http://a'], 403],
  ])('gets no second answer when %s was answered before its body broke', async (_, line, headers, status) => {
    const { url } = await start()
    const text = requestText(line, [...headers, 'Transfer-Encoding: chunked'])
    expect(statusesIn(await say(url, `${text}zz\r\n`))).toEqual([status])
  })

  it('does not get into a stream of events', async () => {
    const { url, mock } = await start()
    const wire = wireTo(url)
    wire.send(requestText('GET /__plant-mock/events') + noise)
    await wire.until(/event: state/)
    await mock.assume({ 'create.status': 200 })
    const text = await wire.until(/event: change/)
    wire.socket.destroy()
    expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  it('ends a stream whose request is not whole', async () => {
    const { url } = await start()
    const text = requestText('GET /__plant-mock/events', ['Transfer-Encoding: chunked'])
    expect((await say(url, `${text}zz\r\n`)).match(/HTTP\/1\.1/g)?.length ?? 0).toBeLessThan(2)
  })

  it('is not heard at all after Connection: close', async () => {
    const { url, mock } = await start()
    expect(statusesIn(await say(url, lastList + createText(fern)))).toEqual([200])
    expect(await mock.plants.all()).toEqual([])
  })
})

describe('a connection that was refused', () => {
  it('lets the client send to the end, and read why', async () => {
    const { url } = await start()
    const wire = wireTo(url, { halfOpen: true })
    wire.send(`GET /plants HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(17_000)}`)
    const text = await wire.ended
    for (let i = 0; i < 20; i++) {
      wire.send('y'.repeat(50_000))
      await setImmediate()
    }
    wire.socket.end()
    expect([statusesIn(text), await wire.broken]).toEqual([[431], false])
    expect(statusesIn(await say(url, lastList))).toEqual([200])
  })

  it('is given up when the client does not', async () => {
    const { url, close } = await start({ grace: 2_000_000_000 })
    const wire = wireTo(url, { halfOpen: true })
    wire.send(noise)
    expect(statusesIn(await wire.ended)).toEqual([400])
    await close()
    wire.socket.destroy()
  })
})

describe('closing', () => {
  it('does not wait for connections that never said anything', async () => {
    const { url, close } = await start({ grace: 2_000_000_000 })
    const wire = wireTo(url)
    await once(wire.socket, 'connect')
    await fetch(`${url}/plants`, as('alice'))
    await close()
    expect(await wire.ended).toBe('')
  })
})

describe('a client that has ended its side', () => {
  it('gets its answers', async () => {
    const { url, mock } = await start()
    const wire = wireTo(url, { halfOpen: true })
    wire.send(list + createText(fern))
    wire.socket.end()
    expect(statusesIn(await wire.ended)).toEqual([200, 201])
    expect(await mock.plants.all()).toMatchObject([fern])
  })

  it('is let go when it said nothing, and told so when it said half of something', async () => {
    const { url } = await start()
    const [nothing, half] = [wireTo(url), wireTo(url)]
    nothing.socket.end()
    half.socket.end('GET /plants HTTP/1.1\r\nHost')
    expect([await nothing.ended, statusesIn(await half.ended)]).toEqual(['', [400]])
  })
})

describe('hundreds of requests at one go', () => {
  it('are answered in their order, reads and creates', async () => {
    const { url, mock } = await start({ fixtures: ['crowded'] })
    const parts = Array.from({ length: 400 }, (_, i) =>
      i % 2 === 0
        ? requestText(`GET /plants?limit=${i % 100}`)
        : createText({ ...fern, id: 10_000 + i, name: `plant ${i}` }),
    )
    const answers = answersIn(await say(url, parts.join('') + lastList))
    expect(answers).toHaveLength(401)
    for (const [i, { status, body }] of answers.slice(0, 400).entries()) {
      const json = JSON.parse(body) as { name: string } & unknown[]
      if (i % 2 === 0) expect([status, json.length]).toEqual([200, i % 100])
      else expect([status, json.name]).toEqual([201, `plant ${i}`])
    }
    expect(await mock.plants.all()).toHaveLength(450)
  })

  it('of a client that reads nothing hold nobody else up, and are answered once it reads', async () => {
    const { url } = await start({ fixtures: ['crowded'] })
    const wire = wireTo(url)
    wire.socket.pause()
    wire.send(requestText('GET /plants').repeat(600) + lastList)
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(200)
    wire.socket.resume()
    const answers = answersIn(await wire.ended)
    expect([answers.length, answers.at(599)?.body === answers.at(0)?.body]).toEqual([601, true])
  })
})

describe('a request that is slow on purpose', () => {
  it.each([
    ['headers', 'GET /plants HTTP/1.1\r\nHost: x\r\n', 'X: y\r\n'],
    ['a body', 'POST /plants HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n', ' '],
    ['nothing at all', '', ''],
  ])('is answered 408, though it never pauses for long: %s', async (_, begin, drop) => {
    const { url } = await start({ headersTimeout: 40, requestTimeout: 40 })
    const wire = wireTo(url)
    wire.send(begin)
    const dropping = setInterval(() => wire.send(drop), 5)
    const text = await wire.ended
    clearInterval(dropping)
    wire.socket.destroy()
    expect(statusesIn(text)).toEqual([408])
  })
})

describe('a request in which two readers could see two', () => {
  const hidden = createText({ ...fern, id: 666 })
  const create = (...headers: string[]) => requestText('POST /plants', headers)
  const chunked = 'Transfer-Encoding: chunked'
  const hex = (text: string) => text.length.toString(16)

  it.each([
    ['a length and chunks', create('Content-Length: 5', chunked), `0\r\n\r\n${hidden}`],
    ['chunks and a length', create(chunked, 'Content-Length: 4'), `${hex(hidden)}\r\n${hidden}\r\n0\r\n\r\n`],
    ['two lengths', create('Content-Length: 0', `Content-Length: ${hidden.length}`), hidden],
    ['one length twice', create('Content-Length: 0', 'Content-Length: 0'), hidden],
    ['a list of lengths', create(`Content-Length: 0, ${hidden.length}`), hidden],
    ['a length with a sign', create(`Content-Length: +0`), hidden],
    ['a length of hexadecimal digits', create('Content-Length: 0x0'), hidden],
    ['a length that is negative', create('Content-Length: -1'), hidden],
    ['a length without end', create(`Content-Length: ${'9'.repeat(30)}`), hidden],
    ['a length of nothing', create('Content-Length:'), hidden],
    ['a length before a NUL', create('Content-Length: 0\0'), hidden],
    ['a space before a colon', create('Content-Length : 0'), hidden],
    [
      'chunks that are not the last coding',
      create('Transfer-Encoding: chunked, identity'),
      `0\r\n\r\n${hidden}`,
    ],
    ['chunks in two lines', create(chunked, chunked), `0\r\n\r\n${hidden}`],
    ['chunks, and then not', create(chunked, 'Transfer-Encoding: identity'), `0\r\n\r\n${hidden}`],
    ['chunks with a space before the colon', create('Transfer-Encoding : chunked'), `0\r\n\r\n${hidden}`],
    ['chunks in a folded line', create('Transfer-Encoding:\r\n chunked'), `0\r\n\r\n${hidden}`],
    ['chunks by another name', create('Transfer-Encoding: xchunked'), `0\r\n\r\n${hidden}`],
    ['chunks after a control character', create('Transfer-Encoding: \x0Bchunked'), `0\r\n\r\n${hidden}`],
    ['chunks after a bare line feed', create('X: y\nTransfer-Encoding: chunked'), `0\r\n\r\n${hidden}`],
    ['chunks after a bare carriage return', create('X: y\rTransfer-Encoding: chunked'), `0\r\n\r\n${hidden}`],
    ['a chunk that is longer than its size', create(chunked), `2\r\n{}{}\r\n0\r\n\r\n${hidden}`],
    ['a chunk size with a sign', create(chunked), `+0\r\n\r\n${hidden}`],
    ['a chunk size with 0x', create(chunked), `0x0\r\n\r\n${hidden}`],
    ['a chunk size beyond 64 bits', create(chunked), `10000000000000000\r\n\r\n${hidden}`],
    ['a chunk size ended by a bare line feed', create(chunked), `0\n\n${hidden}`],
    ['a line feed in a chunk extension', create(chunked), `2;a="\n"\r\n{}\r\n0\r\n\r\n${hidden}`],
    ['a trailer that is no header', create(chunked), `0\r\nnothing\r\n\r\n${hidden}`],
    ['a trailer with a length', create(chunked), `0\r\nContent-Length: 5\r\n\r\n${hidden}`],
  ])('is refused, and the connection ended: %s', async (_, head, rest) => {
    const { url, mock } = await start()
    expect(statusesIn(await say(url, head + rest))).toEqual([400])
    expect(await mock.plants.all()).toEqual([])
  })

  it.each([
    ['a body with a length', requestText('GET /plants', ['Connection: close'], hidden), 200],
    [
      'chunks',
      `${create(chunked, 'Connection: close')}${hex(hidden)};a=b\r\n${hidden}\r\n0\r\nX: y\r\n\r\n`,
      415,
    ],
    ['a refused body', createText(hidden, ['Connection: close']), 400],
    ['an upgrade', requestText('GET /plants', ['Connection: Upgrade, close', 'Upgrade: h2c'], hidden), 200],
    ['a body that is waited for', createText(hidden, ['Expect: 100-continue', 'Connection: close']), 400],
  ])('is one when it is right: %s', async (_, text, status) => {
    const { url, mock } = await start()
    expect(statusesIn(await say(url, text))).toEqual([status])
    expect(await mock.plants.all()).toEqual([])
  })

  it('has no two callers, and no two hosts', async () => {
    const { url } = await start()
    const callers = requestText('GET /plants', ['Authorization: Bearer bob', 'Connection: close'])
    const hosts = requestText('GET /__plant-mock/state', ['Host: evil.example', 'Connection: close'])
    expect(statusesIn(await say(url, callers))).toEqual([401])
    expect(statusesIn(await say(url, hosts))).toEqual([403])
  })

  it('has no connection of its own to reset while an answer is due before it', async () => {
    const { url, mock } = await start()
    await mock.fail({ caller: 'bob', delay: 20 })
    await mock.fail({ caller: 'alice', reset: true })
    const wire = wireTo(url)
    wire.send(list.replace('alice', 'bob') + list)
    expect(await wire.broken).toBe(true)
  })
})
