import type { ServerResponse } from 'node:http'
import { connectPlantMock, PlantMockError } from 'plant-mock/control'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'

const { serve } = useServers()
const json = { 'content-type': 'application/json' }

const calls: Readonly<Record<string, (mock: ReturnType<typeof connectPlantMock>) => Promise<unknown>>> = {
  'plants.all': (mock) => mock.plants.all(),
  'plants.visibleTo': (mock) => mock.plants.visibleTo('alice'),
  'requests.all': (mock) => mock.requests.all(() => true),
  'requests.count': (mock) => mock.requests.count(),
  violations: (mock) => mock.violations(),
  assumptions: (mock) => mock.assumptions(),
  snapshot: (mock) => mock.snapshot(),
  fail: (mock) => mock.fail({ status: 503 }),
  'sessions.drop': (mock) => mock.sessions.drop('x'),
}

const broken: Readonly<Record<string, readonly [send: (res: ServerResponse) => void, message: RegExp]>> = {
  'is cut off': [
    (res) => {
      res.writeHead(200, { ...json, 'content-length': 100 })
      res.write('{"plants":[', () => res.destroy())
    },
    /^A response of the mock at http:\S+ broke off: .+\. Is the mock still running\? If a proxy is in between, connect to the mock itself\.$/,
  ],
  'is a failure that is cut off': [
    (res) => {
      res.writeHead(500, { ...json, 'content-length': 100 })
      res.write('{', () => res.destroy())
    },
    /^A response of the mock at http:\S+ broke off: /,
  ],
  'is half of its JSON': [
    (res) => res.writeHead(200, json).end('{"plants":['),
    /^http:\S+ is not a mock, or its control interface is elsewhere: it responded with 200\. Connect to the address of the mock itself\.$/,
  ],
  'is empty': [(res) => res.writeHead(200, json).end(), /^http:\S+ is not a mock/],
  'is other JSON': [(res) => res.writeHead(200, json).end('null'), /^http:\S+ is not a mock/],
}

describe.each(Object.entries(broken))('a control response that %s', (_, [send, message]) => {
  it.each(Object.entries(calls))('makes %s fail with the address and what to do', async (_name, call) => {
    const { url } = await serve((_req, res) => send(res))
    const error = await call(connectPlantMock(url)).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(PlantMockError)
    expect((error as Error).message).toMatch(message)
    expect((error as Error).message).toContain(url)
  })
})

describe('an event stream that is cut off before its first event', () => {
  it('makes waitFor fail with the address', async () => {
    const { url } = await serve((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write('event: st', () => res.destroy())
    })
    const error = await connectPlantMock(url)
      .requests.waitFor({})
      .catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(PlantMockError)
    expect((error as Error).message).toMatch(/^A response of the mock at http:\S+ broke off: /)
  })
})
