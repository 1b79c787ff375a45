import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { bearer, createPlantMock, type PlantMock } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { handlers, plantHandlers, plantMock, unhandled } from 'plant-mock/msw'
import { startPlantMock } from 'plant-mock/node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { listen } from '../support/conformance.ts'

const server = setupServer()
afterEach(() => {
  server.close()
  server.resetHandlers()
  vi.restoreAllMocks()
})

const fern = { id: 7, name: 'Nephrolepis exaltata', tag: 'fern' }
const alice = { headers: bearer('alice') }

describe('the handlers', () => {
  it.each([
    ['https://api.example.com', 'https://api.example.com/plants'],
    ['https://api.example.com/', 'https://api.example.com/plants'],
    ['https://api.example.com/v1//', 'https://api.example.com/v1/plants'],
    ['https://api.example.com:8443/a/b', 'https://api.example.com:8443/a/b/plants'],
    ['*', 'https://anything.example/at/all/plants'],
    [undefined, 'http://127.0.0.1:1/plants'],
  ])('match below the base URL %s', async (baseUrl, url) => {
    server.listen(unhandled('error'))
    server.use(...plantHandlers(createPlantMock({ fixtures: [fern] }), baseUrl === undefined ? {} : { baseUrl }))
    expect(await (await fetch(`${url}?limit=5`, alice)).json()).toHaveLength(1)
  })

  it('take a request once, where several servers of msw have them', async () => {
    const mock = createPlantMock({ fixtures: [fern] })
    const handlers = plantHandlers(mock)
    const other = setupServer(...handlers)
    server.listen(unhandled('error'))
    server.use(...handlers)
    other.listen(unhandled('error'))
    expect(await (await fetch('https://api.example.com/plants', alice)).json()).toHaveLength(1)
    expect(await mock.requests.count()).toBe(1)
    other.close()
  })

  it('print which requests they refuse, if they are the ready-made ones', async () => {
    const printed = vi.spyOn(console, 'warn').mockReturnValue()
    server.listen(unhandled('error'))
    server.use(...handlers)
    await fetch('https://api.example.com/plants')
    await fetch('https://api.example.com/plants?limit=1', alice)
    expect(printed.mock.calls).toEqual([
      [expect.stringMatching(/^plant-mock: GET .*missing-token\n.* Authorization: Bearer alice/)],
    ])
    printed.mockRestore()
  })

  it('leave the control interface of a mock server alone, and its plants once this process has connected', async () => {
    const started = await startPlantMock({ fixtures: [fern] })
    server.listen(unhandled('error'))
    server.use(...plantHandlers(createPlantMock()))
    expect(await (await fetch(`${started.url}/plants`, alice)).json()).toHaveLength(0)
    const connected = connectPlantMock(started.url)
    expect(await connected.plants.all()).toHaveLength(1)
    expect(await (await connected.fetch('/plants', alice)).json()).toHaveLength(1)
    await started.close()
  })

  it('take a mock under its plain type, and refuse one that is not in this process', async () => {
    const mock: PlantMock = createPlantMock({ fixtures: [fern] })
    server.listen(unhandled('error'))
    server.use(...plantHandlers(mock.session('one')))
    expect(await (await fetch('https://api.example.com/plants', alice)).json()).toHaveLength(1)
    expect(() => plantHandlers(connectPlantMock('http://127.0.0.1:4010'))).toThrow(
      'plantHandlers needs a mock of this process, from createPlantMock(). A mock of connectPlantMock() already has a server: send the requests to that server.',
    )
  })

  it('reject a request whose body breaks off', async () => {
    server.listen(unhandled('error'))
    const mock = createPlantMock()
    server.use(...plantHandlers(mock, { baseUrl: 'https://api.example.com' }))
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"name":')),
      pull: (controller) => controller.error(new Error('The source of the body failed.')),
    })
    const init = {
      method: 'POST',
      headers: { ...alice.headers, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    }
    await expect(fetch('https://api.example.com/plants', init as RequestInit)).rejects.toThrow(TypeError)
    expect(await mock.plants.all()).toEqual([])
  })

  it('leave other paths and hosts to other handlers', async () => {
    server.listen(unhandled('error'))
    server.use(
      ...plantHandlers(createPlantMock(), { baseUrl: 'https://api.example.com' }),
      http.get('https://api.example.com/plants/1', () => HttpResponse.text('one')),
      http.get('https://other.example.com/plants', () => HttpResponse.text('other')),
    )
    expect(await (await fetch('https://api.example.com/plants/1')).text()).toBe('one')
    expect(await (await fetch('https://other.example.com/plants')).text()).toBe('other')
  })

  it('come after a handler that a test adds later', async () => {
    server.listen(unhandled('error'))
    server.use(...plantHandlers(createPlantMock()))
    server.use(http.get('*/plants', () => HttpResponse.error(), { once: true }))
    await expect(fetch('https://api.example.com/plants', alice)).rejects.toThrow()
    expect((await fetch('https://api.example.com/plants', alice)).status).toBe(200)
  })

  it('are exported ready-made, with the plants of the garden', async () => {
    server.listen(unhandled('error'))
    server.use(...handlers)
    expect(await (await fetch('https://any.example/plants', alice)).json()).toHaveLength(22)
    await fetch('https://any.example/plants', {
      method: 'POST',
      headers: { ...bearer('alice'), 'content-type': 'application/json' },
      body: JSON.stringify({ ...fern, id: 700 }),
    })
    expect(await plantMock.plants.visibleTo('alice')).toHaveLength(23)
    await plantMock.reset()
    expect(await plantMock.plants.visibleTo('alice')).toHaveLength(22)
  })
})

describe('a fault behind the handlers', () => {
  const mocked = () => {
    const mock = createPlantMock({ fixtures: [fern] })
    server.listen(unhandled('error'))
    server.use(...plantHandlers(mock))
    return mock
  }
  const list = () => fetch('https://api.example.com/plants', alice)

  it('that resets the connection becomes a network error', async () => {
    await mocked().fail({ reset: true, times: 1 })
    await expect(list()).rejects.toThrow(TypeError)
    expect((await list()).status).toBe(200)
  })

  it('that truncates the body becomes a body that ends in an error', async () => {
    await mocked().fail({ truncate: true, times: 1 })
    const response = await list()
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  it('that drips becomes a body that never ends', async () => {
    await mocked().fail({ endless: true, times: 1 })
    const reader = (await list()).body?.getReader()
    expect([(await reader?.read())?.done, (await reader?.read())?.done]).toEqual([false, false])
    // msw clones the response for its events: cancelling this reader does not cancel the original body.
    reader?.cancel()
  })
})

describe('the session of a request to the handlers', () => {
  it('is that of the mock given to plantHandlers, or else that of the header', async () => {
    const mock = createPlantMock()
    await mock.session('one').seed([fern])
    server.listen(unhandled('error'))
    server.use(...plantHandlers(mock, { baseUrl: 'https://by-header.example' }))
    server.use(...plantHandlers(mock.session('one'), { baseUrl: 'https://by-mock.example' }))
    const count = async (host: string, headers = {}) =>
      (
        (await (
          await fetch(`https://${host}.example/plants`, { headers: { ...alice.headers, ...headers } })
        ).json()) as []
      ).length
    expect(await count('by-header')).toBe(0)
    expect(await count('by-header', { 'plant-mock-session': 'one' })).toBe(1)
    expect(await count('by-mock', { 'plant-mock-session': 'other' })).toBe(1)
  })
})

describe('unhandled', () => {
  it("'error' refuses a request without a handler before it reaches the network", async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined)
    const real = await listen((_, res) => res.end('real'))
    server.listen(unhandled('error'))
    await expect(fetch(`${real.url}/other`)).rejects.toThrow()
    expect(real.requests).toBe(0)
    await real.close()
  })

  it("'bypass' passes a request without a handler through to the network", async () => {
    const { url, close } = await listen((_, res) => res.end('real'))
    server.listen(unhandled('bypass'))
    expect(await (await fetch(`${url}/other`)).text()).toBe('real')
    await close()
  })

  it('returns the option under the names that msw 2 and msw 3 use', () => {
    expect(unhandled('warn')).toEqual({ onUnhandledRequest: 'warn', onUnhandledFrame: 'warn' })
  })
})
