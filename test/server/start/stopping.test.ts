import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { Agent, get, type IncomingMessage } from 'node:http'
import { get as getSecurely } from 'node:https'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { bearer } from 'plant-mock'
import type { StartOptions } from 'plant-mock/node'
import { describe, expect, it, vi } from 'vitest'
import { useServers } from '../../support/start.ts'
import { connected as connect, openConnection } from '../../support/wire.ts'

const { closers, serve, start: startMock } = useServers()

const startWithLongGrace = (options: StartOptions = {}) => startMock({ grace: 3_600_000, ...options })

const connected = async (url: string): Promise<Socket> => {
  const socket = await connect(url)
  closers.push(() => socket.destroy())
  return socket
}

const alice = { headers: bearer('alice') }
const list = 'GET /plants HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer alice\r\n\r\n'

const large = Array.from({ length: 20_000 }, (_, id) => ({ id, name: 'x'.repeat(1_000), tag: '' }))

describe('close()', () => {
  const read = (name: string) => readFileSync(new URL(`../../package/support/tls/${name}.pem`, import.meta.url), 'utf8')

  it.each([
    ['HTTP', {}, get],
    ['HTTPS', { tls: { cert: read('cert'), key: read('key') } }, getSecurely],
  ])(
    'over %s lets a response larger than the socket buffers arrive completely, without waiting for a silent connection',
    async (_, options, send) => {
      const { url, close } = await startWithLongGrace({ fixtures: large, ...options })
      const silent = await connected(url)
      const request = send(`${url}/plants`, { ...alice, rejectUnauthorized: false })
      const [response] = (await once(request, 'response')) as [IncomingMessage]
      const closed = close()
      const length = Number(response.headers['content-length'])
      expect(Buffer.byteLength(await text(response))).toBe(length)
      await Promise.all([closed, silent.destroyed ? undefined : once(silent, 'close')])
    },
  )

  it('responds to a request that is received but not read yet', async () => {
    const { url, close } = await startWithLongGrace()
    const socket = await connected(url)
    socket.write(list)
    await once(socket, 'data')
    socket.write(list)
    const closed = close()
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*^Connection: close\r\n/m)
    await closed
  })

  it('responds to requests on connections that are not accepted yet', async () => {
    const { url, close } = await startWithLongGrace()
    const sockets = await Promise.all(Array.from({ length: 20 }, () => connected(url)))
    const responses = sockets.map((socket) => once(socket, 'data'))
    for (const socket of sockets) socket.write(list)
    const closed = close()
    for (const response of responses) expect(String(await response)).toMatch(/^HTTP\/1\.1 200 OK/)
    await closed
  })

  it('responds to all pipelined requests', async () => {
    const { url, close, mock } = await startWithLongGrace()
    await mock.fail({ delay: 200 })
    const socket = await connected(url)
    const received = text(socket)
    socket.write(list.repeat(3))
    await vi.waitFor(async () => expect((await mock.faults())[0]?.hits).toBe(3), { timeout: 60_000 })
    await close()
    expect((await received).match(/HTTP\/1\.1 200 OK\r\n/g)).toHaveLength(3)
    expect((await received).match(/Connection: close\r\n/g)).toHaveLength(1)
  })

  it('does not wait for a keep-alive connection after a forwarded response', async () => {
    let release = () => {}
    const { server: service, url: upstream } = await serve((_, res) => {
      release = () => res.end('{}')
      service.emit('requested')
    })
    service.keepAliveTimeout = 0
    const { url, close } = await startWithLongGrace({ upstream: { url: upstream } })
    const agent = new Agent({ keepAlive: true })
    closers.push(() => agent.destroy())
    const request = get(`${url}/orders`, { agent })
    await once(service, 'requested')
    const closed = close()
    release()
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    expect(await text(response)).toBe('{}')
    await closed
  })

  it('responds to a request whose upgrade was ignored, and closes its connection', async () => {
    const events = new EventEmitter()
    const { url, close } = await startWithLongGrace({
      upstream: { url: 'http://127.0.0.1:9' },
      respond: async () => {
        const released = once(events, 'release')
        events.emit('request')
        await released
        return new Response('{}')
      },
    })
    const { socket, ended } = openConnection(url, { halfOpen: true })
    closers.push(() => socket.destroy())
    const requested = once(events, 'request')
    socket.write('GET /orders HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
    await requested
    const closed = close()
    events.emit('release')
    expect(await ended).toMatch(/^HTTP\/1\.1 200 OK/)
    await closed
  })

  it('waits without a limit when grace is Infinity', async () => {
    const events = new EventEmitter()
    const { url, close } = await startWithLongGrace({
      grace: Number.POSITIVE_INFINITY,
      latency: 100,
      respond: async () => void events.emit('request'),
    })
    const requested = once(events, 'request')
    const response = fetch(`${url}/plants`, alice)
    await requested
    const closed = close()
    expect((await response).status).toBe(200)
    await closed
  })
})
