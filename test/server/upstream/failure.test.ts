import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as } from '../../support/targets.ts'
import { refusingUrl } from '../../support/upstream.ts'

const { serveSockets, startProxy } = useServers()

describe('a mock whose upstream fails', () => {
  const paths = ['/x', '/plants']

  it.each([
    ['refuses the connection', refusingUrl, 502, /cannot be reached \(ECONNREFUSED/],
    [
      'resets the connection',
      () => serveSockets((socket) => socket.once('data', () => socket.resetAndDestroy())),
      502,
      /^/,
    ],
    ['does not answer', () => serveSockets(() => undefined), 504, / did not respond within 0\.05 s\. Allow more with/],
  ] as const)('answers with the address and a hint when it %s', async (_, start, status, hint) => {
    const upstream = await start()
    const { url } = await startProxy(upstream, { for: 'all', timeout: 50 })
    for (const path of paths) {
      const response = await fetch(`${url}${path}`, as('alice'))
      expect([response.status, response.headers.get('content-type')]).toEqual([status, 'application/problem+json'])
      const { detail } = (await response.json()) as { detail: string }
      expect(detail).toContain(upstream)
      expect(detail).toMatch(hint)
    }
  })

  it('answers 504 when a response to an operation is not complete after the timeout', async () => {
    const upstream = await serveSockets((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[')),
    )
    const { url } = await startProxy(upstream, { for: 'all', timeout: 50 })
    const response = await fetch(`${url}/plants`, as('alice'))
    expect([response.status, await response.json()]).toMatchObject([504, { detail: expect.stringContaining('0.05 s') }])
  })

  it('answers 502 when the upstream does not speak HTTP', async () => {
    const upstream = await serveSockets((socket) => socket.once('data', () => socket.end('SSH-2.0-OpenSSH_9.6\r\n')))
    const { url } = await startProxy(upstream, { for: 'all' })
    for (const path of paths) expect((await fetch(`${url}${path}`, as('alice'))).status).toBe(502)
  })

  it('answers 502 when a buffered response is cut off, and cuts off a streamed one', async () => {
    const upstream = await serveSockets((socket) =>
      socket.once('data', () => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[{"name"', () =>
          socket.destroy(),
        )
      }),
    )
    const { url } = await startProxy(upstream, { for: 'all' })
    expect((await fetch(`${url}/plants`, as('alice'))).status).toBe(502)
    await expect(fetch(`${url}/x`).then((response) => response.text())).rejects.toThrow()
    expect((await fetch(`${url}/__plant-mock/state`)).status).toBe(200)
  })
})
