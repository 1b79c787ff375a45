import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { routeTo } from '../../../src/server/upstream/route.ts'
import { finish } from '../../support/command-line.ts'
import { behindProxy, startForwardProxy } from '../../support/forward-proxy.ts'
import { aloe, fern } from '../../support/plants.ts'
import { useServers } from '../../support/start.ts'
import { as } from '../../support/targets.ts'
import { refusingUrl } from '../../support/upstream.ts'
import { openConnection, requestText } from '../../support/wire.ts'

const { closers, serveSockets, start, startProxy } = useServers()

const useProxy = async (...variables: readonly string[]) => {
  const proxy = await startForwardProxy()
  closers.push(proxy.close)
  for (const variable of variables) vi.stubEnv(variable, proxy.url)
  return proxy
}
afterEach(() => {
  vi.unstubAllEnvs()
})

const switching = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'
const pem = (name: string) => readFileSync(new URL(`../../package/support/tls/${name}.pem`, import.meta.url), 'utf8')

const startService = async (protocol: string) => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const tls = protocol === 'https' ? { tls: { cert: pem('cert'), key: pem('key') } } : {}
  const { url } = await start({ fixtures: [fern, aloe], ...tls })
  return behindProxy(url)
}

const lineOf = (service: string, path: string): string =>
  service.startsWith('https:') ? `CONNECT ${new URL(service).host}` : `GET ${service}${path}`

const secret = /ss-of-proxy|cGFzcw|cEBzcy/
const detailOf = async (response: Response) => ((await response.json()) as { detail: string }).detail

describe.each(['http', 'https'])('an upstream with %s', (protocol) => {
  const variable = `${protocol.toUpperCase()}_PROXY`

  it.each([
    [variable, 'all', '/plants?limit=1', 200],
    [variable.toLowerCase(), 'rest', '/other', 404],
  ] as const)('is reached through the proxy of %s (forwarded: %s)', async (name, scope, path, status) => {
    const { lines } = await useProxy(name)
    const service = await startService(protocol)
    const { url } = await startProxy(service, { for: scope })
    const response = await fetch(`${url}${path}`, as('alice'))
    expect([response.status, response.headers.get('plant-mock-source')]).toEqual([status, 'upstream'])
    expect(lines).toEqual([lineOf(service, path)])
  })

  it('is reached without one if NO_PROXY has its name, or on a loopback address', async () => {
    const { lines } = await useProxy(variable)
    const service = await startService(protocol)
    vi.stubEnv('NO_PROXY', `other.invalid, ${new URL(service).hostname}`)
    const { url } = await startProxy(service)
    const response = await fetch(`${url}/other`)
    expect([response.status, await detailOf(response)]).toEqual([502, expect.stringContaining('ENOTFOUND')])
    vi.stubEnv('NO_PROXY', '')
    const { url: nearby } = await startProxy(service.replace('service.invalid', 'localhost'))
    expect((await fetch(`${nearby}/other`)).status).toBe(404)
    expect(lines).toEqual([])
  })

  it('is named with a proxy that cannot be reached, without the credentials', async () => {
    const proxy = (await refusingUrl()).replace('//', '//user:p%40ss-of-proxy@')
    vi.stubEnv(variable, proxy)
    const { url } = await startProxy(`${protocol}://service.invalid`)
    const detail = await detailOf(await fetch(`${url}/other`))
    const name = proxy.replace(/user.*@/, '')
    expect(detail).toContain(
      `${protocol}://service.invalid, through the proxy ${name}, cannot be reached (ECONNREFUSED`,
    )
    expect(detail).not.toMatch(secret)
  })

  it('is checked by verify through the proxy, whose credentials are not printed', async () => {
    const { lines, host } = await useProxy(variable)
    const service = await startService(protocol)
    const args = ['verify', service, '--token', 'secret-of-alice', '--read-only', '--reporter', 'json']
    const { code, out, error } = await finish(args)
    expect([code, JSON.parse(out)]).toMatchObject([0, { baseUrl: service }])
    expect(lines).toContain(lineOf(service, '/plants'))
    vi.stubEnv(variable, `http://user:wr%40ng-pass-of-proxy@${host}`)
    const refused = await finish(args)
    expect([refused.code, `${refused.out}${refused.error}`]).toEqual([3, expect.stringMatching(/\b407\b/)])
    expect(`${out}${error}${refused.out}${refused.error}`).not.toMatch(secret)
  })
})

describe('NO_PROXY', () => {
  it.each<[names: string, host: string, isDirect: boolean]>([
    ['10.0.0.0/8', '10.1.2.3', true],
    ['a.example, 10.0.0.0/8', '11.1.2.3', false],
    ['192.0.2.7', '192.0.2.7', true],
    ['192.0.2.0/32', '192.0.2.7', false],
    ['2001:db8::1', '[2001:db8::1]', true],
    ['[2001:db8::1]', '[2001:db8::1]', true],
    ['2001:db8::/32', '[2001:DB8:0:0::9]', true],
    ['2001:db8::/32', '[2001:db9::9]', false],
    ['10.0.0.0/8', '[::ffff:10.1.2.3]', true],
    ['10.0.0.0/', '10.1.2.3', false],
    ['10.0.0.0/33', '10.1.2.3', false],
    ['10.0.0.0/8', 'service.example', false],
    ['*', '192.0.2.7', true],
  ])('%s: is %s reached directly? %s', (names, host, isDirect) => {
    vi.stubEnv('HTTP_PROXY', 'http://proxy.example:3128')
    vi.stubEnv('NO_PROXY', names)
    vi.stubEnv('no_proxy', '')
    expect(routeTo(new URL(`http://${host}:8080`), 1_000).proxy === undefined).toBe(isDirect)
  })
})

describe('a proxy', () => {
  it('that refuses a tunnel is named as the reason', async () => {
    const { host } = await useProxy()
    vi.stubEnv('HTTPS_PROXY', `http://user:wrong-pass-of-proxy@${host}`)
    const { url } = await startProxy('https://service.invalid')
    expect(await detailOf(await fetch(`${url}/other`))).toBe(
      `https://service.invalid, through the proxy http://${host}, cannot be reached (Bad response: 407).`,
    )
  })

  it.each(['socks5://user:pass-of-proxy@proxy', 'http://us%er:pass-of-proxy@proxy', 'http://'])(
    'with the address %s is refused at the start, without its credentials',
    async (address) => {
      vi.stubEnv('HTTPS_PROXY', address)
      await expect(startProxy('https://service.invalid')).rejects.toThrow(
        'HTTPS_PROXY is not the address of an HTTP proxy. Write it as http://proxy.example:3128, or name service.invalid in NO_PROXY.',
      )
    },
  )

  it('is used for a WebSocket too, by a tunnel', async () => {
    const { lines } = await useProxy('HTTP_PROXY')
    const service = behindProxy(
      await serveSockets((socket) => {
        socket.once('data', () => socket.write(switching))
      }),
    )
    const { url } = await startProxy(service)
    const connection = openConnection(url)
    connection.send(requestText('GET /socket', ['Connection: Upgrade', 'Upgrade: websocket']))
    expect(await connection.until(/\r\n/)).toMatch(/^HTTP\/1\.1 101 /)
    expect(lines).toEqual([`CONNECT ${new URL(service).host}`])
    connection.socket.destroy()
  })

  it('is used again when a read is repeated, whose connection was closed', async () => {
    const { lines } = await useProxy('HTTPS_PROXY')
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
    const seen = new WeakSet<object>()
    const service = createServer({ cert: pem('cert'), key: pem('key') }, ({ socket }, res) => {
      if (seen.has(socket)) socket.destroy()
      else res.end()
      seen.add(socket)
    })
    await once(service.listen(0, '127.0.0.1'), 'listening')
    closers.push(() => service.close())
    const host = `service.invalid:${(service.address() as AddressInfo).port}`
    const { url } = await startProxy(`https://${host}`)
    for (let count = 0; count < 2; count++) expect((await fetch(`${url}/x`)).status).toBe(200)
    expect(lines).toEqual([`CONNECT ${host}`, `CONNECT ${host}`])
  })
})
