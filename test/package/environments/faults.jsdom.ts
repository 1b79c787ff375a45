// @ts-expect-error Installed only in the projects of .ci/consumers.
import axios from 'axios'
import { setupServer } from 'msw/node'
import { bearer, createPlantMock } from 'plant-mock'
import { plantHandlers } from 'plant-mock/msw'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

const mock = createPlantMock({ fixtures: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] })
const url = 'https://api.example.com/plants'
const server = setupServer(...plantHandlers(mock, { baseUrl: 'https://api.example.com' }))
beforeAll(() => server.listen())
afterEach(() => mock.reset())
afterAll(() => server.close())

const headers = bearer('alice')
const viaAxios = async (adapter: 'xhr' | 'http') => {
  const { data } = await axios.get(url, { headers, adapter, timeout: 300 })
  return typeof data
}
const viaFetch = async () => (await fetch(url, { headers })).json()
const viaXhr = (): Promise<string> =>
  new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('GET', url)
    request.timeout = 300
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value)
    for (const event of ['load', 'error', 'abort', 'timeout'])
      request.addEventListener(event, () => resolve(`${event} ${request.responseText.length}`))
    request.send()
  })
const never = Symbol('never')
const within = (outcome: Promise<unknown>): Promise<unknown> =>
  Promise.race([outcome.catch((error: Error) => error), new Promise((resolve) => setTimeout(resolve, 1_000, never))])

const whole = '[{"name":"Aloe vera","tag":"succulent"}]'.length

describe('through msw in jsdom', () => {
  it('malformed: text for axios, half of the JSON for XMLHttpRequest', async () => {
    await mock.fail({ malformed: true })
    expect(await within(viaFetch())).toBeInstanceOf(SyntaxError)
    expect([await viaAxios('http'), await viaAxios('xhr')]).toEqual(['string', 'string'])
    expect(await viaXhr()).toBe(`load ${whole / 2}`)
  })

  it('truncate: XMLHttpRequest never ends', async () => {
    await mock.fail({ truncate: true })
    expect(await within(viaFetch())).toBeInstanceOf(Error)
    expect(await within(viaAxios('http'))).toBeInstanceOf(Error)
    expect([await within(viaAxios('xhr')), await within(viaXhr())]).toEqual([never, never])
  })

  it('endless: only axios in Node.js has a timeout', async () => {
    await mock.fail({ endless: true })
    expect(await within(viaAxios('http'))).toBeInstanceOf(Error)
    expect([await within(viaFetch()), await within(viaAxios('xhr')), await within(viaXhr())]).toEqual([
      ...[never, never, never],
    ])
  })

  it('delay: XMLHttpRequest has no timeout', async () => {
    await mock.fail({ delay: 600 })
    expect(await within(viaAxios('http'))).toBeInstanceOf(Error)
    expect([await within(viaAxios('xhr')), await within(viaXhr())]).toEqual(['object', `load ${whole}`])
  })

  it('reset: every client notices', async () => {
    await mock.fail({ reset: true })
    expect([await within(viaFetch()), await within(viaAxios('http'))]).toEqual([expect.any(Error), expect.any(Error)])
    expect(await within(viaAxios('xhr'))).toMatchObject({ code: 'ERR_NETWORK' })
    expect(await within(viaXhr())).toBe('error 0')
  })
})
