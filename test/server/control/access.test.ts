import { createPlantMock } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { plantMiddleware } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'

const { serve, start } = useServers()

describe('a control key', () => {
  const rule = 'must have at least 8 printable ASCII characters and no spaces. Omit it to run without a key.'
  const bad = ['', 'short', 'with a space', 'schlüssel', `line\nbreak`]

  it.each(bad)('is refused at the start of a server: %j', async (controlKey) => {
    await expect(start({ host: '0.0.0.0', controlKey })).rejects.toThrow(`The option controlKey ${rule}`)
  })

  it.each(bad)('is refused by the middleware: %j', (controlKey) => {
    expect(() => plantMiddleware(createPlantMock(), { controlKey })).toThrow(`The option controlKey ${rule}`)
  })

  it.each(bad)('is refused by the client: %j', (key) => {
    expect(() => connectPlantMock('http://127.0.0.1:4010', { key })).toThrow(`The option key ${rule}`)
  })

  it('stays with the mock when that redirects', async () => {
    const received: unknown[] = []
    const elsewhere = await serve((req, res) => {
      received.push(req.headers)
      res.end()
    })
    for (const status of [301, 302, 303, 307, 308]) {
      const redirecting = await serve((_, res) => {
        res.writeHead(status, { location: `${elsewhere.url}/__plant-mock/state` }).end()
      })
      const mock = connectPlantMock(redirecting.url, { key: 'open-sesame' })
      await expect(mock.reset()).rejects.toThrow(
        `${redirecting.url} is not a mock, or its control interface is elsewhere: it responded with ${status}, a redirect to ${elsewhere.url}/__plant-mock/state. Connect to the address of the mock itself.`,
      )
    }
    expect(received).toEqual([])
  })
})

describe('a control request without a key', () => {
  const foreign: readonly Record<string, string>[] = [
    { via: '1.1 proxy' },
    { 'x-forwarded-for': '192.0.2.7' },
    { 'x-forwarded-for': '127.0.0.1, 192.0.2.7' },
    { 'x-forwarded-for': '192.0.2.7:1234' },
    { 'x-forwarded-for': 'unknown' },
    { 'x-forwarded-for': '' },
    { 'x-real-ip': '2001:db8::7' },
    { forwarded: 'for=192.0.2.7;proto=http' },
    { forwarded: 'for="[2001:db8::7]:80"' },
    { forwarded: 'for=127.0.0.1, for=192.0.2.7' },
    { forwarded: 'for=_hidden' },
    { forwarded: 'proto=https' },
    { 'cf-connecting-ip': '192.0.2.7' },
    { 'x-forwarded': 'for=192.0.2.7' },
    { forwarded: 'for=127.0.0.1;for=192.0.2.7' },
  ]
  it.each(foreign)('is refused from another machine behind a proxy: %j', async (headers) => {
    const { url } = await start({})
    const [name] = Object.keys(headers)
    const response = await fetch(`${url}/__plant-mock/state`, { headers })
    expect([response.status, await response.json()]).toMatchObject([
      403,
      {
        type: 'urn:problem-type:plant-mock:control-off',
        detail: `A proxy forwarded this request (${name}), so another machine may have sent it. Start with --control-key KEY, and send the key in the header Plant-Mock-Control-Key.`,
      },
    ])
  })

  it.each([
    { 'x-forwarded-for': '127.0.0.1' },
    { 'x-forwarded-for': '::1, 127.0.0.1:8080' },
    { 'x-real-ip': '::ffff:127.0.0.1' },
    { forwarded: 'for=127.0.0.1;proto=http, For="[::1]:4711"' },
  ])('is accepted from this machine behind a proxy: %j', async (headers: Record<string, string>) => {
    const { url } = await start({})
    expect((await fetch(`${url}/__plant-mock/state`, { headers })).status).toBe(200)
  })

  it('is accepted with a key through any proxy', async () => {
    const { url } = await start({ controlKey: 'open-sesame' })
    const headers = { 'plant-mock-control-key': 'open-sesame', via: '1.1 proxy', 'x-forwarded-for': '192.0.2.7' }
    expect((await fetch(`${url}/__plant-mock/state`, { headers })).status).toBe(200)
  })

  it('is refused by the middleware too', async () => {
    const middleware = plantMiddleware(createPlantMock())
    const { url } = await serve((req, res) => middleware(req, res, () => res.end()))
    const state = `${url}/__plant-mock/state`
    expect((await fetch(state, { headers: { 'x-forwarded-for': '192.0.2.7' } })).status).toBe(403)
    expect((await fetch(state)).status).toBe(200)
  })
})
