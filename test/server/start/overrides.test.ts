import { gzipSync } from 'node:zlib'
import express from 'express'
import { bearer, createPlantMock } from 'plant-mock'
import { type LoggedRequest, overrideMiddleware, plantMiddleware, type StartOptions } from 'plant-mock/node'
import { describe, expect, it, vi } from 'vitest'
import { listen } from '../../support/conformance.ts'
import { useServers } from '../../support/start.ts'

const { start, closers } = useServers()
const alice = { headers: bearer('alice') }

describe('a handler in front of the mock of a server', () => {
  it('is caught in journal and log, or in a notice where no log shows it', async () => {
    const logged: LoggedRequest[] = []
    const notices: string[] = []
    const respond = async () => Response.json({ plants: [] })
    const started = [
      await start({ respond, onRequest: (request) => logged.push(request) }),
      await start({ respond, onNotice: (text) => notices.push(text) }),
    ]
    const violations = [{ in: 'response', section: '4.2' }]
    for (const { url, mock } of started) {
      await fetch(`${url}/plants`, alice)
      await expect.poll(() => mock.requests.all()).toMatchObject([{ source: 'handlers', violations }])
    }
    expect(logged).toMatchObject([{ violations }])
    expect(notices).toEqual([
      expect.stringMatching(/^An override violates the contract: GET \/plants → 200\n {2}contract 4\.2: /),
    ])
  })

  it('may compress its response, which is not checked then', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    const { url, mock } = await start({ respond: async () => new Response(gzipSync('{}'), { headers }) })
    expect(await (await fetch(`${url}/plants`, alice)).json()).toEqual({})
    await expect.poll(() => mock.requests.count()).toBe(1)
    expect(await mock.violations()).toEqual([])
  })
})

describe('a handler that throws', () => {
  const thrown = async (error: unknown, options: StartOptions = {}) => {
    const { url } = await start({
      respond: async () => {
        throw error
      },
      ...options,
    })
    const response = await fetch(`${url}/plants`, { headers: bearer('a-token-of-alice-that-is-long') })
    return [response.status, response.headers.get('plant-mock-source')]
  }

  it('has the stack of its error in the log, without the token of the request', async () => {
    const notices: string[] = []
    const error = new Error('no plants for a-token-of-alice-that-is-long')
    expect(await thrown(error, { onNotice: (text) => notices.push(text) })).toEqual([500, 'handlers'])
    expect(notices).toEqual([expect.stringMatching(/^a handler threw: Error: no plants for …\n +at /)])
  })

  it.each([
    [Object.assign(new Error('x'), { stack: 'Error: x\n  ::add-mask::y\n##[error]z' })],
    ['Error: x\n  ::add-mask::y\n##[error]z'],
  ])('gives no command to a terminal or a CI system: %s', async (error) => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    await thrown(error)
    expect(warn.mock.calls).toEqual([
      ['plant-mock: a handler threw: Error: x\n  \\u003a:add-mask::y\n\\u0023#[error]z'],
    ])
    warn.mockRestore()
  })
})

describe('own routes in front of plantMiddleware', () => {
  const serve = async (routes: (app: express.Express) => void) => {
    const notices: string[] = []
    const mock = createPlantMock({ onNotice: (text) => notices.push(text) })
    const app = express()
    app.use('/api', overrideMiddleware(mock))
    routes(app)
    app.use('/api', plantMiddleware(mock))
    const { url, close } = await listen(app)
    closers.push(close)
    return { url: `${url}/api`, mock, notices }
  }

  it('are caught, with the body that a parser has read', async () => {
    const { url, mock, notices } = await serve((app) => {
      app.use(express.json())
      app.post('/api/plants', (req, res) => {
        res.status(201).json({ ...req.body, name: 'x' })
      })
    })
    await fetch(`${url}/plants`, {
      method: 'POST',
      headers: { ...bearer('alice'), 'content-type': 'application/json' },
      body: '{"id":1,"name":"a","tag":"b"}',
    })
    await expect.poll(() => mock.requests.count({ source: 'handlers' })).toBe(1)
    expect(notices.join()).toContain('contract 2.1, 4.1: id is not a field of a plant.')
  })

  it('may mark a violation, and write in parts', async () => {
    const { url, mock, notices } = await serve((app) =>
      app.get('/api/plants', (_, res) => {
        res.set('Plant-Mock-Violates', '4.2').type('json')
        res.write('{"plants"')
        res.end(':[]}')
      }),
    )
    expect(await (await fetch(`${url}/plants`, alice)).json()).toEqual({ plants: [] })
    await expect
      .poll(() => mock.requests.all())
      .toMatchObject([{ source: 'handlers', violations: [], response: { json: { plants: [] } } }])
    expect(notices).toEqual([])
  })

  it('leave to the mock what they do not take', async () => {
    const { url, mock } = await serve((app) => app.get('/api/other', (_, res) => void res.end('other')))
    await fetch(`${url}/plants`, alice)
    await fetch(`${url}/other`)
    await fetch(`${url}/plants`, { ...alice, method: 'PUT' })
    expect((await mock.requests.all()).map(({ source, status }) => [source, status])).toEqual([
      ['assumption', 200],
      ['assumption', 405],
    ])
  })
})
