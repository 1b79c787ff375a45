import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { bearer } from 'plant-mock'
import { connectPlantMock } from 'plant-mock/control'
import { startPlantMock } from 'plant-mock/node'
import { describe, expect, it, vi } from 'vitest'
import { watchNetwork } from '../../src/integrations/overrides.ts'
import { appendJournal, createTestMock, journalOf, takeFailures } from '../../src/integrations/test-mock.ts'

const journal = 'Requests to the mock in this test: 1'

it('journalOf returns nothing in a run of vary, whose report shows the exchange', async () => {
  const test = createTestMock({}, setupServer())
  await test.mock.fetch('/plants', { headers: bearer('alice') })
  expect(await journalOf(test)).toContain(journal)
  vi.stubEnv('PLANT_MOCK_OBSERVER', 'observer.cjs')
  expect(await journalOf(test)).toBe('')
  vi.unstubAllEnvs()
})

it('createTestMock lets requests to a connected mock pass', async () => {
  const served = await startPlantMock({ fixtures: ['garden'] })
  const network = setupServer()
  const test = createTestMock({}, network)
  network.use(...test.handlers)
  network.listen()
  const connected = connectPlantMock(served.url)
  expect(await connected.pending()).toEqual([])
  expect((await connected.fetch('/elsewhere')).status).toBe(404)
  expect(await takeFailures(test, true)).toEqual([])
  network.close()
  await served.close()
})

describe('appendJournal', () => {
  it('appends to the message, and to the stack behind the message', () => {
    const error = new Error('wrong')
    expect(appendJournal(error, journal)).toBe(true)
    expect(error.message).toBe(`wrong\n\n${journal}`)
    expect(error.stack).toMatch(`Error: wrong\n\n${journal}\n    at `)
  })

  it('takes the errors that a runner has serialized', () => {
    const error = { message: 'wrong' }
    expect(appendJournal(error, journal)).toBe(true)
    expect(error).toEqual({ message: `wrong\n\n${journal}` })
  })

  it.each([
    ['a frozen error', () => Object.freeze(new Error('wrong'))],
    [
      'an error whose stack has a getter alone',
      () => Object.defineProperty(new Error('wrong'), 'stack', { get: () => 'at nowhere' }),
    ],
    [
      'an error whose message throws',
      () =>
        Object.defineProperty(new Error('wrong'), 'message', {
          get: () => {
            throw new Error('no message')
          },
        }),
    ],
    [
      'an error whose stack is without its message',
      () => Object.assign(new Error('wrong'), { stack: 'Error: other\n    at nowhere' }),
    ],
    ['a string', () => 'wrong'],
    ['a plain object', () => ({ a: 1 })],
    ['undefined', () => undefined],
  ])('throws nothing, and says that it does not show, for %s', (_, create) => {
    expect(appendJournal(create(), journal)).toBe(false)
  })

  it('has nothing to show without a journal', () => {
    expect(appendJournal('wrong', '')).toBe(true)
  })
})

describe('a request that no handler matches', () => {
  const handler = () => http.get('https://other.example/', () => HttpResponse.json([]))
  /** Early versions of msw 2 mark a handler with `__kind`, later versions with `kind`. */
  const ofOtherVersion = () => {
    const { kind, __kind, ...rest } = handler() as unknown as { kind?: string; __kind?: string }
    const mark = kind === undefined ? { kind: 'request' } : { __kind: 'RequestHandler' }
    return Object.assign(Object.create(prototype), rest, mark) as ReturnType<typeof handler>
  }
  const prototype = Object.getPrototypeOf(handler()) as object
  const hint =
    'msw ignores 1 handler made by another version of msw. Install one version of msw: npm ls msw lists the installed versions.'

  it.each([
    ['a handler of another version of msw, which the message names', ofOtherVersion, [expect.stringContaining(hint)]],
    ['a handler of this version', handler, []],
  ])('in spite of %s', async (_, create, failures) => {
    const server = setupServer()
    const test = createTestMock({}, server)
    server.listen({ onUnhandledRequest: 'bypass' })
    server.resetHandlers(...test.handlers)
    server.use(create())
    await fetch('https://other.example/').catch(() => undefined)
    expect(await takeFailures(test, true)).toEqual(failures)
    server.close()
  })

  it('counts once, and no matched request counts, where the project has a msw server of its own', async () => {
    const [own, server] = [setupServer(), setupServer()]
    own.listen({ onUnhandledRequest: 'bypass' })
    server.listen({ onUnhandledRequest: 'bypass' })
    let count = 0
    const stock = http.get('https://stock.example/', () => HttpResponse.json(++count))
    const test = createTestMock({ baseUrl: 'https://plants.example', handlers: [stock] }, server)
    const inTest = server.boundary(async () => {
      server.resetHandlers(...test.handlers)
      expect((await fetch('https://plants.example/plants', { headers: bearer('alice') })).status).toBe(200)
      expect(await takeFailures(test, true)).toEqual([])
      for (const expected of [1, 2]) expect(await (await fetch('https://stock.example/')).json()).toBe(expected)
      expect(await takeFailures(test, true)).toEqual([])
      await expect(fetch('https://other.example/')).rejects.toThrow()
      expect(await takeFailures(test, true)).toEqual([
        expect.stringContaining('No handler matches 1 request:\n  GET https://other.example/\n'),
      ])
    })
    await inTest()
    own.close()
    server.close()
  })
})

describe('an override that violates the contract', () => {
  const text = 'An override violates the contract: GET /plants → 200\n  contract 4.2: The body is not an array.'

  it.each([
    { failures: [expect.stringContaining(text)], warnings: [] },
    { overrides: 'report', failures: [], warnings: [[expect.stringContaining(`plant-mock: ${text}`)]] },
    { overrides: 'off', failures: [], warnings: [], recorded: 0 },
  ] as const)('fails the test unless the option overrides says otherwise: $overrides', async (row) => {
    const { failures, warnings, recorded = 1, ...options } = row
    const warn = vi.spyOn(console, 'warn').mockReturnValue()
    const server = setupServer()
    const test = createTestMock(options, server)
    const stop = watchNetwork(server, () => test.watched)
    server.listen({ onUnhandledRequest: 'bypass' })
    server.resetHandlers(...test.handlers)
    server.use(http.get('*/plants', () => HttpResponse.json({})))
    await (await fetch('https://plants.example/plants', { headers: bearer('alice') })).json()
    expect(await takeFailures(test, true)).toEqual(failures)
    expect(warn.mock.calls).toEqual(warnings)
    expect(await test.mock.requests.count()).toBe(recorded)
    stop()
    server.close()
    warn.mockRestore()
  })
})
