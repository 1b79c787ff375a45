import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { StartedPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { connected, openConnection, parseResponses, parseStatuses, requestText, sendRaw } from '../../support/wire.ts'

const servers = useServers()
const start = () => servers.start({ grace: 3_600_000 })

const close = 'Connection: close'
const assume = (status: number, headers: readonly string[] = []): string =>
  requestText(
    'PATCH /__plant-mock/assumptions',
    ['Content-Type: application/json', ...headers],
    JSON.stringify({ 'create.status': status }),
  )
const createStatus = async ({ mock }: StartedPlantMock) => (await mock.assumptions())['create.status']

describe('the first request to the control interface', () => {
  it('is handled with its body', async () => {
    const started = await start()
    expect(parseStatuses(await sendRaw(started.url, assume(200, [close])))).toEqual([204])
    expect(await createStatus(started)).toBe(200)
  })

  it('is handled when its body arrives in pieces', async () => {
    const started = await start()
    const request = assume(200, [close])
    const connection = openConnection(started.url)
    await once(connection.socket, 'connect')
    connection.socket.setNoDelay(true)
    for (const piece of [request.slice(0, -12), request.slice(-12, -6), request.slice(-6)]) {
      connection.send(piece)
      await (await fetch(`${started.url}/plants`)).text()
    }
    expect(parseStatuses(await connection.ended)).toEqual([204])
    expect(await createStatus(started)).toBe(200)
  })

  it('is handled when its body is longer than the buffers of node:http', async () => {
    const { url, mock } = await start()
    const plants = Array.from({ length: 5_000 }, (_, id) => ({ id, name: 'x'.repeat(100), tag: 'fern' }))
    const headers = ['Content-Type: application/json', close]
    const request = requestText('POST /__plant-mock/plants', headers, JSON.stringify({ plants }))
    expect(parseStatuses(await sendRaw(url, request))).toEqual([204])
    expect(await mock.plants.all()).toHaveLength(5_000)
  })

  it('takes effect, and has its response, before those that follow it on a connection whose client has ended its side', async () => {
    const { url, mock } = await start()
    await mock.seed([{ name: 'Fern', tag: 'fern' }])
    const clear = requestText('PUT /__plant-mock/plants', ['Content-Type: application/json'], '{"plants":[]}')
    const connection = openConnection(url, { halfOpen: true })
    const state = requestText('GET /__plant-mock/state')
    connection.send(clear, state, assume(201), requestText('GET /plants'))
    connection.socket.end()
    const responses = parseResponses(await connection.ended)
    expect(responses.map(({ status }) => status)).toEqual([204, 200, 204, 200])
    expect(responses.map(({ body }) => body.slice(0, 20))).toEqual(['', '{"name":"plant-mock"', '', '[]'])
  })

  it('takes effect before those that arrive on other connections meanwhile', async () => {
    const started = await start()
    const sockets = await Promise.all([200, 201, 200].map(() => connected(started.url)))
    const texts = sockets.map((socket) => text(socket))
    for (const [index, socket] of sockets.entries()) socket.write(assume(index === 1 ? 201 : 200, [close]))
    for (const received of texts) expect(parseStatuses(await received)).toEqual([204])
    expect(await createStatus(started)).toBe(200)
  })

  it('has its response when the server closes at once', async () => {
    const started = await start()
    const socket = await connected(started.url)
    const received = text(socket)
    socket.write(assume(200))
    await started.close()
    expect(parseResponses(await received)).toMatchObject([{ status: 204, headers: { connection: 'close' } }])
  })

  it('does not keep the server from closing when its client disconnects', async () => {
    const started = await start()
    const socket = await connected(started.url)
    socket.write(requestText('GET /__plant-mock/events'))
    socket.resetAndDestroy()
    await started.close()
  })
})
