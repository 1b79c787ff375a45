import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { ControlListener } from '../../../src/server/control/listener.ts'
import { controlOnDemand } from '../../../src/server/start/control-on-demand.ts'
import { problemOf } from '../../support/problem.ts'

const closers: (() => unknown)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A server whose control interface is loaded by `load`, with the notices that it gave. */
const start = async (load: () => Promise<ControlListener>) => {
  const notices: string[] = []
  const serve = (req: IncomingMessage, res: ServerResponse): void => {
    if (!control(req, res)) res.end('of the service')
  }
  const control = controlOnDemand(load, (text) => notices.push(text))
  const server = createServer(serve).listen(0, '127.0.0.1')
  closers.push(() => server.close())
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, notices }
}

const listener: ControlListener = (req, res) => {
  if (req.url?.startsWith('/__plant-mock/') !== true) return false
  res.end('of the control interface')
  return true
}

describe('a control interface on demand', () => {
  it('is not loaded for requests of the service', async () => {
    const { url } = await start(() => Promise.reject(new Error('It was loaded.')))
    for (const path of ['/plants', '/plants?q=/__plant-mock/', '/__plant-mocks/'])
      expect(await (await fetch(`${url}${path}`)).text()).toBe('of the service')
  })

  it('is loaded once, also for requests at the same time', async () => {
    let loads = 0
    let finish: (loaded: ControlListener) => void = () => undefined
    const loaded = new Promise<ControlListener>((resolve) => {
      finish = resolve
    })
    const { url } = await start(() => {
      loads++
      return loaded
    })
    const responses = ['/', '/health', '/events'].map((path) => fetch(`${url}/__plant-mock${path}`))
    const service = fetch(`${url}/plants`)
    finish(listener)
    expect(await (await service).text()).toBe('of the service')
    for (const response of responses) expect(await (await response).text()).toBe('of the control interface')
    expect(await (await fetch(`${url}/__plant-mock/`)).text()).toBe('of the control interface')
    expect(loads).toBe(1)
  })

  it('refuses requests with 500 and a notice while it cannot be loaded, and then tries again', async () => {
    let attempts = 0
    const { url, notices } = await start(async () => {
      if (++attempts === 1) throw new Error('A file is missing')
      return listener
    })
    const body = 'x'.repeat(100_000)
    const response = await fetch(`${url}/__plant-mock/reset`, { method: 'POST', body })
    expect(response.status).toBe(500)
    expect(await problemOf(response)).toMatchObject({
      type: 'urn:problem-type:plant-mock:internal-error',
      detail: 'The control interface cannot be loaded. The log of plant-mock has the reason.',
    })
    expect(notices).toEqual(['The control interface cannot be loaded: A file is missing'])
    expect(await (await fetch(`${url}/__plant-mock/reset`, { method: 'POST' })).text()).toBe('of the control interface')
  })
})
