import { readFileSync } from 'node:fs'
import { type ClientHttp2Session, connect, createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createPlantMock, type PlantMock } from 'plant-mock'
import { plantMiddleware } from 'plant-mock/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const pem = (name: string) => readFileSync(new URL(`../../package/support/tls/${name}.pem`, import.meta.url))

let mock: PlantMock
let server: Http2SecureServer
let client: ClientHttp2Session

beforeEach(async () => {
  const local = createPlantMock()
  mock = local
  const middleware = plantMiddleware(local)
  server = createSecureServer({ cert: pem('cert'), key: pem('key') }, (req, res) =>
    middleware(req as never, res as never, () => res.writeHead(404).end()),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  client = connect(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, { rejectUnauthorized: false })
})
afterEach(() => {
  client.destroy()
  server.close()
})

type Answer = { readonly status: number; readonly text: string }

const send = (headers: Record<string, string>, ...parts: string[]): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const stream = client.request(headers, { endStream: parts.length === 0 })
    let status = 0
    let text = ''
    stream.on('response', (received) => {
      status = Number(received[':status'])
    })
    stream.setEncoding('utf8').on('data', (data) => {
      text += data
    })
    stream.on('end', () => resolve({ status, text }))
    stream.on('error', reject)
    for (const part of parts) stream.write(part)
    if (parts.length > 0) stream.end()
  })

const authorization = 'Bearer alice'

describe('over HTTP/2, as under Vite with HTTPS', () => {
  it('a create is streamed, and a list has its plant', async () => {
    const headers = { ':method': 'POST', ':path': '/plants', authorization, 'content-type': 'application/json' }
    const created = await send(headers, '{"id":1,"name":', '"Fern","tag":"fern"}')
    expect(created).toEqual({ status: 201, text: '{"name":"Fern","tag":"fern"}' })
    expect(await send({ ':path': '/plants', authorization })).toEqual({
      status: 200,
      text: '[{"name":"Fern","tag":"fern"}]',
    })
  })

  it('the control interface and the dashboard know the host', async () => {
    expect((await send({ ':path': '/__plant-mock/state' })).status).toBe(200)
    expect((await send({ ':path': '/__plant-mock/', accept: 'text/html' })).text).toContain('<!doctype html>')
    const foreign = await send({ ':path': '/__plant-mock/state', ':authority': 'evil.example' })
    expect([foreign.status, JSON.parse(foreign.text).detail]).toEqual([
      403,
      'The Host "evil.example" is not a loopback name. Use 127.0.0.1 or localhost.',
    ])
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const reset = { ':method': 'POST', ':path': '/__plant-mock/reset', 'content-type': 'application/json' }
    expect((await send({ ...reset, origin })).status).toBe(204)
    expect((await send({ ...reset, origin: 'https://evil.example' })).status).toBe(403)
  })

  it('the journal has the headers without those of the protocol', async () => {
    await send({ ':path': '/plants', authorization })
    const [entry] = await mock.requests.all()
    expect(Object.keys(entry?.request.headers ?? {}).sort()).toEqual(['authorization', 'host'])
  })

  it('events arrive', async () => {
    const stream = client.request({ ':path': '/__plant-mock/events' }).setEncoding('utf8')
    let text = ''
    const seen = (part: string) =>
      new Promise<void>((resolve) => {
        const check = () => text.includes(part) && resolve()
        stream.on('data', (data) => {
          text += data
          check()
        })
        check()
      })
    await seen('event: state')
    await send({ ':path': '/plants', authorization })
    await seen('event: requests')
    stream.destroy()
  })

  it.each([{ reset: true } as const, { truncate: true } as const])(
    'the fault %j breaks the stream alone',
    async (fault) => {
      await mock.fail({ ...fault, times: 1 })
      await expect(send({ ':path': '/plants', authorization })).rejects.toThrow()
      expect((await send({ ':path': '/plants', authorization })).status).toBe(200)
    },
  )
})
