import { allowViolation, createPlantMock, variations } from 'plant-mock'
import { checkConformance } from 'plant-mock/conformance'
import { connectPlantMock } from 'plant-mock/control'
import { aPlant, plantFactory } from 'plant-mock/fixtures'
import { plantHandlers } from 'plant-mock/msw'
import { loadFixtures, plantMiddleware, startPlantMock } from 'plant-mock/node'
import { plantMock } from 'plant-mock/vite'
import { describe, expect, it } from 'vitest'

const mock = createPlantMock()

const callsWithOptions: Readonly<Record<string, (options: never) => unknown>> = {
  createPlantMock,
  plantHandlers: (options) => plantHandlers(mock, options),
  plantMiddleware: (options) => plantMiddleware(mock, options),
  connectPlantMock: (options) => connectPlantMock('http://127.0.0.1:4010', options),
  'the plugin plantMock': plantMock,
  startPlantMock,
  plantFactory,
  checkConformance,
  variations,
}

const required: Readonly<Record<string, object>> = {
  checkConformance: { fetch: mock.fetch, baseUrl: 'http://mock.example', tokens: { caller: 'alice' }, rules: [] },
}

const messageOf = async (name: string, options: unknown): Promise<string> => {
  try {
    const started = await (callsWithOptions[name] as (options: unknown) => unknown)(options)
    await (started as { close?: () => unknown }).close?.()
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('an unknown option', () => {
  it.each([
    ['createPlantMock', { fixtuers: [] }, 'Did you mean "fixtures"?'],
    ['createPlantMock', { delay: 300 }, 'Did you mean "latency"?'],
    ['createPlantMock', { plants: [] }, 'Did you mean "fixtures"?'],
    ['createPlantMock', { port: 1 }, 'Options are fixtures, assume, assumptions, tokens, '],
    ['plantHandlers', { baseURL: 'https://api.example.com' }, 'Did you mean "baseUrl"?'],
    ['plantMiddleware', { key: 'open-sesame' }, 'Did you mean "controlKey"?'],
    ['connectPlantMock', { controlKey: 'open-sesame' }, 'Did you mean "key"?'],
    ['variations', { thorogh: true }, 'Did you mean "thorough"?'],
    ['plantFactory', { token: ['alice'] }, 'Did you mean "tokens"?'],
    ['checkConformance', { readonly: true }, 'Did you mean "readOnly"?'],
    ['checkConformance', { url: 'https://staging.example' }, 'Did you mean "baseUrl"?'],
    ['connectPlantMock', { headers: {} }, 'Options are key, fetch.'],
    ['the plugin plantMock', { prefx: '/api' }, 'Did you mean "prefix"?'],
    ['the plugin plantMock', { port: 1 }, 'Options are '],
    ['startPlantMock', { hots: '::1' }, 'Did you mean "host"?'],
    ['startPlantMock', { handlers: [] }, 'Did you mean "respond"?'],
    ['startPlantMock', { constructor: 1 }, 'Options are '],
  ])('of %s is refused: %j', async (name, options, hint) => {
    const [option] = Object.keys(options)
    const message = await messageOf(name, options)
    expect(message.startsWith(`Unknown option "${option}" of ${name}. ${hint}`), message).toBe(true)
  })

  it('of an upstream is refused', async () => {
    expect(await messageOf('startPlantMock', { upstream: { url: 'http://127.0.0.1:1', scope: 'all' } })).toBe(
      'Unknown option "scope" of upstream. Options are url, for, timeout, check, record.',
    )
  })

  it('of a new mock is refused beside an existing one', async () => {
    for (const options of [{ fixtures: ['garden'] }, { prefer: false }, { latency: 20 }])
      expect(await messageOf('startPlantMock', { mock, ...options })).toMatch(
        /^The options mock and \w+ exclude each other\. Give \w+ to createPlantMock instead\.$/,
      )
    expect(await messageOf('startPlantMock', { mock, onNotice() {} })).toBe('')
  })

  it('counts as missing when it is undefined', async () => {
    for (const name of Object.keys(callsWithOptions))
      expect(await messageOf(name, { ...required[name], other: undefined })).toBe('')
  })

  it('is refused where the options are no object', async () => {
    for (const name of Object.keys(callsWithOptions))
      for (const options of [null, 'garden', 4010])
        expect(await messageOf(name, options)).toMatch(
          new RegExp(`^The options of ${name} must be an object such as \\{ `),
        )
  })
})

it('a latency of 0 is no fault', async () => {
  expect(await createPlantMock({ latency: 0 }).faults()).toEqual([])
})

describe('a value of another kind', () => {
  it.each([
    ['createPlantMock', { tokens: 'alice' }, 'an array'],
    ['createPlantMock', { tokens: 5 }, 'an array'],
    ['createPlantMock', { faults: { status: 503 } }, 'an array'],
    ['createPlantMock', { callers: ['alice'] }, 'an object'],
    ['createPlantMock', { assumptions: 'learned.json' }, 'an object'],
    ['createPlantMock', { seed: 10n }, 'a finite number'],
    ['createPlantMock', { journal: -1 }, 'a whole number, 0 or more'],
    ['createPlantMock', { sessions: 1.5 }, 'a whole number, 0 or more'],
    ['createPlantMock', { prefer: 'no' }, 'true or false'],
    ['createPlantMock', { onNotice: console }, 'a function'],
    ['plantFactory', { tokens: 'alice' }, 'an array'],
    ['variations', { only: 'list.order' }, 'an array'],
    ['plantHandlers', { baseUrl: new URL('http://a.example') }, 'a text'],
    ['connectPlantMock', { fetch: {} }, 'a function'],
    ['checkConformance', { readOnly: 'yes' }, 'true or false'],
    ['checkConformance', { headers: null }, 'an object'],
    ['startPlantMock', { persist: 5 }, 'a text'],
    ['startPlantMock', { port: 70_000 }, 'a port from 0 to 65535'],
    ['startPlantMock', { port: 'http' }, 'a port from 0 to 65535'],
    ['startPlantMock', { grace: '5 s' }, 'a number, 0 or more'],
    ['startPlantMock', { upstream: 'http://127.0.0.1:1' }, 'an object'],
    ['startPlantMock', { store: 'redis://127.0.0.1' }, 'an object'],
  ])('is refused by %s, without the value, which may be a token: %o', async (name, options, kind) => {
    const [option] = Object.keys(options)
    expect(await messageOf(name, { ...required[name], ...options })).toBe(
      `The option ${option} of ${name} must be ${kind}.`,
    )
  })

  it('is refused as a store', async () => {
    expect(await messageOf('startPlantMock', { store: {} })).toBe(
      'The option store must be the result of sharedState() of plant-mock/redis.',
    )
  })

  it.each([{}, { values: { 'create.status': 200 } }, Promise.resolve({})])(
    'is refused as learned assumptions: %o',
    async (assumptions) => {
      expect(await messageOf('createPlantMock', { assumptions })).toBe(
        'The option assumptions must be the result of loadAssumptions().',
      )
    },
  )

  it.each<readonly [string, () => unknown, string]>([
    ['a fixture', () => loadFixtures(undefined as never), 'Fixtures are names or paths of files, such as "garden"'],
    ['the fields of a plant', () => aPlant('fern' as never), 'The fields of a plant must be an object, such as'],
    [
      'a response',
      () => allowViolation('8', undefined as never),
      'allowViolation() needs a response, such as HttpResponse.json',
    ],
  ])('is refused as %s', async (_, call, message) => {
    await expect((async () => call())()).rejects.toThrow(message)
  })

  it('may be infinite where it counts or waits, and a port may be its digits', async () => {
    expect(await messageOf('createPlantMock', { journal: Number.POSITIVE_INFINITY })).toBe('')
    expect(await messageOf('startPlantMock', { grace: Number.POSITIVE_INFINITY })).toBe('')
    expect(await messageOf('startPlantMock', { port: '0' })).toBe('')
  })
})

describe('a value that is no mock', () => {
  it.each([undefined, null, 'mock'])('is refused: %s', (value) => {
    expect(() => plantMiddleware(value as never)).toThrow(
      'plantMiddleware needs a mock: the result of createPlantMock().',
    )
    expect(() => plantHandlers(value as never)).toThrow('plantHandlers needs a mock: the result of createPlantMock().')
  })

  it('nor is a missing session id, or a set of fixture names', () => {
    expect(() => mock.session(undefined as never)).toThrow('Invalid session id.')
    expect(() => createPlantMock({ fixtures: new Set(['garden']) as never })).toThrow(
      'Names of fixtures must be in an array, not another iterable: ["garden"].',
    )
  })
})

it('the option store, whose plants several processes share, is none of a mock in this process', async () => {
  expect(await messageOf('createPlantMock', { store: {} })).toMatch(/^Unknown option "store" of createPlantMock\./)
  expect(await messageOf('startPlantMock', { store: {}, persist: 'plants.ndjson' })).toMatch(
    'The option persist excludes mock and store',
  )
})
