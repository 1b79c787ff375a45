import { once } from 'node:events'
import { request } from 'node:http'
import express from 'express'
import { createPlantMock } from 'plant-mock'
import { plantMiddleware, type StartOptions } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'

const { serve, start: startMock } = useServers()

const start = async (options: StartOptions) => {
  const started = await startMock(options)
  return { ...started, url: started.url.replace('0.0.0.0', '127.0.0.1').replace('[::]', '[::1]') }
}

describe('the health of a server', () => {
  it.each<[string, StartOptions]>([
    ['a loopback address', {}],
    ['every address, with the control interface off', { host: '0.0.0.0' }],
    ['every address of IPv6', { host: '::' }],
    ['a control key', { host: '0.0.0.0', controlKey: 'open-sesame' }],
    ['handlers', { respond: async () => new Response('handler') }],
  ])('says only that it is ready: with %s', async (_, options) => {
    const { url } = await start(options)
    const response = await fetch(`${url}/__plant-mock/health`)
    expect([response.status, await response.text()]).toEqual([200, '{"ready":true}'])
    const head = await fetch(`${url}/__plant-mock/health`, { method: 'HEAD' })
    expect([head.status, await head.text()]).toEqual([200, ''])
  })

  it('names the methods that it takes', async () => {
    const { url } = await start({})
    const response = await fetch(`${url}/__plant-mock/health`, { method: 'PUT' })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  it('is that of the mock in front of an upstream', async () => {
    const service = await serve((_, res) => void res.writeHead(500).end())
    const { url } = await start({ upstream: { url: service.url, for: 'all' } })
    expect((await fetch(`${url}/__plant-mock/health`)).status).toBe(200)
  })

  it('is there in the middleware, below its path', async () => {
    const app = express().use('/api', plantMiddleware(createPlantMock(), { controlKey: 'open-sesame' }))
    const { url } = await serve(app)
    const response = await fetch(`${url}/api/__plant-mock/health`)
    expect(await response.json()).toEqual({ ready: true })
  })

  it.each<Record<string, string>>([
    { 'x-forwarded-for': '192.0.2.7' },
    { via: '1.1 proxy' },
    { host: 'mock.internal' },
    { origin: 'https://app.example.com' },
    { 'sec-fetch-site': 'cross-site' },
    { 'plant-mock-control-key': 'wrong-key' },
    { 'content-type': 'text/plain', 'content-length': '1' },
  ])('is told to everybody: %j', async (headers) => {
    const { url } = await start({})
    const sent = request(`${url}/__plant-mock/health?session=x`, {
      headers: { 'plant-mock-session': 'y', ...headers },
    }).end('content-length' in headers ? 'x' : undefined)
    const [response] = await once(sent, 'response')
    response.resume()
    expect([response.statusCode, response.headers['access-control-allow-origin']]).toEqual([200, undefined])
  })

  it('creates no session, and is not in the journal', async () => {
    const { url, mock } = await start({ host: '0.0.0.0' })
    await fetch(`${url}/__plant-mock/health?session=x`, { headers: { 'plant-mock-session': 'y' } })
    expect([await mock.sessions.all(), await mock.requests.count()]).toEqual([[], 0])
  })

  it('opens no other method and no other route', async () => {
    const { url } = await start({ host: '0.0.0.0' })
    const statuses: number[] = []
    for (const [method, path] of [
      ['POST', 'health'],
      ['GET', 'health/'],
      ['GET', 'state'],
      ['GET', ''],
    ])
      statuses.push((await fetch(`${url}/__plant-mock/${path}`, { method: method ?? '' })).status)
    expect(statuses).toEqual([403, 403, 403, 403])
  })
})
