import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'
import { emptyList } from '../../support/upstream.ts'
import { sendRaw } from '../../support/wire.ts'

const { serveBytes, serveSockets, startProxy } = useServers()

describe('a mock in front of an upstream', () => {
  const smuggled = 'GET /admin HTTP/1.1\r\nHost: hidden\r\n\r\n'
  const chunked = `${smuggled.length.toString(16)}\r\n${smuggled}\r\n0\r\n\r\n`
  const close = 'Host: localhost\r\nConnection: close'

  it.each([
    ['DELETE', '/thing', `${close}\r\nTransfer-Encoding: chunked`, chunked],
    ['GET', '/thing', `${close}\r\nTransfer-Encoding: chunked`, chunked],
    ['GET', '/plants', `${close}\r\nTransfer-Encoding: chunked`, chunked],
    [
      'DELETE',
      '/thing',
      `Host: localhost\r\nConnection: close, content-length\r\nContent-Length: ${smuggled.length}`,
      smuggled,
    ],
    [
      'GET',
      '/plants',
      `Host: localhost\r\nConnection: close, content-length\r\nContent-Length: ${smuggled.length}`,
      smuggled,
    ],
  ])('frames the body of %s %s, so that it cannot smuggle a second request', async (method, path, headers, body) => {
    const service = await serveBytes(emptyList)
    const { url } = await startProxy(service.url, { for: 'all' })
    await sendRaw(url, `${method} ${path} HTTP/1.1\r\n${headers}\r\n\r\n${body}`)
    const [head = ''] = service.received().split('\r\n\r\n')
    const length = /^content-length: (\d+)$/im.exec(head)?.[1]
    const isFramed = /^transfer-encoding: chunked$/im.test(head) || Number(length) === smuggled.length
    expect({ head, isFramed }).toMatchObject({ isFramed: true })
  })

  it.each(['HTTP/1.1 099 Odd', 'HTTP/1.1 000 Odd', 'HTTP/1.1 200 O\u0001K', 'HTTP/1.1 999 Odd'])(
    'keeps serving after a response that begins with %j',
    async (line) => {
      const service = await serveBytes(`${line}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`)
      const { url } = await startProxy(service.url, { for: 'all', timeout: 1_000 })
      for (const path of ['/x', '/plants']) expect([200, 502]).toContain((await fetch(`${url}${path}`, as('a'))).status)
      expect((await fetch(`${url}/__plant-mock/state`)).status).toBe(200)
    },
  )

  it.each(['/x', '/plants'])('answers 502 to a protocol switch that it did not request (%s)', async (path) => {
    const closed: Promise<unknown>[] = []
    const upstream = await serveSockets((socket) => {
      closed.push(once(socket, 'close'))
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
      )
    })
    const { url } = await startProxy(upstream, { for: 'all' })
    const response = await fetch(`${url}${path}`, as('a'))
    expect([response.status, await response.json()]).toMatchObject([
      502,
      { detail: expect.stringContaining('it switched protocols although the request did not ask for it') },
    ])
    await Promise.all(closed)
  })

  it.each([200, 599])('passes on the status %i', async (status) => {
    const service = await serveBytes(`HTTP/1.1 ${status} Odd\r\nContent-Length: 0\r\n\r\n`)
    const { url } = await startProxy(service.url, { for: 'all' })
    for (const path of ['/x', '/plants']) expect((await fetch(`${url}${path}`, as('a'))).status).toBe(status)
  })

  it('answers 413 to a create of more than 16 MiB, which it does not forward', async () => {
    const service = await serveBytes(emptyList)
    const { url } = await startProxy(service.url, { for: 'all' })
    const body = ' '.repeat(16 * 1024 * 1024 + 1)
    const response = await fetch(`${url}/plants`, { ...post({}), body })
    expect([response.status, await response.json()]).toMatchObject([
      413,
      { type: 'urn:problem-type:plant-mock:body-too-large', detail: 'A forwarded body may have at most 16 MiB.' },
    ])
    expect(service.received()).toBe('')
  })
})
