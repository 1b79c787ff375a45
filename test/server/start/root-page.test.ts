import { once } from 'node:events'
import express from 'express'
import { getResponse, HttpResponse, http } from 'msw'
import { createPlantMock } from 'plant-mock'
import { plantHandlers } from 'plant-mock/msw'
import { plantMiddleware } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as } from '../../support/targets.ts'

const { serve, start } = useServers()

describe('the page at / of a server', () => {
  it('is a short text with the ways that lead on, also for a browser', async () => {
    const { url } = await start()
    const response = await fetch(url, { headers: { accept: 'text/html,*/*;q=0.8' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(await response.text()).toBe(
      [
        'plant-mock is ready. It is a mock of the plant store service.',
        '',
        `Plants     curl -H 'Authorization: Bearer alice' '${url}/plants?limit=3'`,
        `Dashboard  ${url}/__plant-mock/`,
        'Guide      npx plant-mock help, or README.md in the package',
        '',
      ].join('\n'),
    )
  })

  it('answers HEAD without a body, and any query', async () => {
    const { url } = await start()
    const head = await fetch(`${url}/?x=1`, { method: 'HEAD' })
    const { length } = await (await fetch(`${url}/?x=1`)).text()
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, `${length}`, ''])
  })

  it('names the address that the client uses, unless it is none', async () => {
    const { url } = await start()
    const { port } = new URL(url)
    expect(await (await fetch(url.replace('127.0.0.1', 'localhost'))).text()).toContain(
      `http://localhost:${port}/__plant-mock/`,
    )
    const response = await sendWithHost(url, `';exit:${port}`)
    expect(response).toContain(`${url}/__plant-mock/`)
    expect(response).not.toContain('exit')
  })

  it('is there on an address that other machines reach, and says that the dashboard is off', async () => {
    const { url } = await start({ host: '0.0.0.0' })
    const text = await (await fetch(url.replace('0.0.0.0', '127.0.0.1'))).text()
    expect(text).toMatch(/^Dashboard {2}off, because other machines/m)
    const { url: withKey } = await start({ host: '0.0.0.0', controlKey: 'open-sesame' })
    expect(await (await fetch(withKey.replace('0.0.0.0', '127.0.0.1'))).text()).toMatch(/^Dashboard {2}http/m)
  })

  it('does not show a token where only known ones are accepted', async () => {
    const { url } = await start({ tokens: ['secret'] })
    expect(await (await fetch(url)).text()).toMatch(/^Plants {5}curl -H "Authorization: Bearer \$TOKEN"/m)
  })

  it('comes from the server: it meets no assumption and no fault, and is in no journal', async () => {
    const logged: string[] = []
    const onRequest = ({ method, url, status }: { method: string; url: string; status: number }) =>
      void logged.push(`${method} ${url} ${status}`)
    const { url, mock } = await start({
      assume: { 'auth.scope': 'everywhere', 'operation.other': 405 },
      failRate: 1,
      onRequest,
    })
    const response = await fetch(url, { headers: { prefer: 'code=503', 'plant-mock-session': 'test 1' } })
    expect([response.status, response.headers.get('plant-mock-source')]).toEqual([200, 'server'])
    expect([await mock.requests.count(), await mock.sessions.all()]).toEqual([0, []])
    expect(logged).toEqual(['GET / 200'])
  })

  it('is not for a request with a token: that is one of a client, and the mock answers it', async () => {
    const { url, mock } = await start()
    const response = await fetch(url, as('alice'))
    expect([response.status, response.headers.get('plant-mock-source')]).toEqual([
      404,
      'assumption; names="auth.scope auth.tokens error.pathBody error.body"',
    ])
    expect(await mock.violations()).toMatchObject([{ section: '4', exchange: 'GET /' }])
  })

  it('is open to pages of every origin', async () => {
    const { url } = await start()
    const response = await fetch(url, { headers: { origin: 'https://app.example.com' } })
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('answers GET and HEAD alone: other methods belong to the mock', async () => {
    const { url, mock } = await start()
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(404)
    expect((await fetch(`${url}/other`)).status).toBe(404)
    expect(await mock.requests.count()).toBe(2)
  })
})

describe('the path / is left', () => {
  it('to an upstream', async () => {
    const service = await serve((_, res) => void res.end('the service'))
    for (const scope of ['rest', 'all'] as const) {
      const { url } = await start({ upstream: { url: service.url, for: scope } })
      expect(await (await fetch(url)).text()).toBe('the service')
    }
  })

  it('to a handler of the user', async () => {
    const handlers = [http.get('*/', () => HttpResponse.text('the handler'))]
    const { url } = await start({ respond: (request) => getResponse(handlers, request) })
    expect(await (await fetch(url)).text()).toBe('the handler')
    const { url: other } = await start({ respond: async () => undefined })
    expect(await (await fetch(other)).text()).toMatch(/^plant-mock is ready/)
  })

  it('to the application around the middleware', async () => {
    const app = express().use(plantMiddleware(createPlantMock()))
    app.get('/', (_, res) => void res.send('the application'))
    const { url } = await serve(app)
    expect(await (await fetch(`${url}/`)).text()).toBe('the application')
  })

  it('to the mock in a process, which answers as the service would', async () => {
    const mock = createPlantMock()
    expect((await mock.fetch('/', as('alice'))).status).toBe(404)
    expect(await getResponse(plantHandlers(mock), new Request('https://api.example.com/'))).toBeUndefined()
  })
})

const sendWithHost = async (url: string, host: string): Promise<string> => {
  const { request } = await import('node:http')
  const [response] = await once(request(url, { headers: { host } }).end(), 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}
