import { describe, expect, it } from 'vitest'
import { bodyNotUtf8, bodyTooLarge } from '../../../src/core/http/exchange.ts'
import { discardRest, reply } from '../../../src/core/http/reply.ts'
import { toReceivedRequest, toResponse } from '../../../src/core/mock/fetch.ts'

const exchangeOf = (body: BodyInit | null, max = 4, url = 'http://localhost/a?b#c') =>
  toReceivedRequest(new Request(url, { method: 'POST', body }), max, undefined)

describe('a Request', () => {
  it('has the body up to the maximum size, and its bytes', async () => {
    expect(await exchangeOf('1234')).toMatchObject({ body: '1234', bytes: new TextEncoder().encode('1234') })
    const { body, bytes } = await exchangeOf('12345')
    expect([body, bytes]).toEqual([bodyTooLarge, undefined])
  })

  it('with a body that is not UTF-8 keeps its bytes', async () => {
    const bytes = new Uint8Array([0xff])
    expect(await exchangeOf(bytes)).toMatchObject({ body: bodyNotUtf8, bytes })
  })

  it('has path and query without the fragment, and no body', async () => {
    const { path, query, body } = await exchangeOf(null)
    expect([path, query, body]).toEqual(['/a', 'b', undefined])
    expect((await exchangeOf(null, 1, 'http://localhost/a#?b')).query).toBe('')
  })
})

const restOf = () => {
  const state = { closed: false }
  async function* chunks() {
    try {
      yield new TextEncoder().encode('b')
      yield new TextEncoder().encode('c')
    } finally {
      state.closed = true
    }
  }
  return { state, rest: chunks() }
}

describe('a Response', () => {
  const bytes = new TextEncoder().encode('a')

  it('streams a forwarded body to its end', async () => {
    const { rest } = restOf()
    const response = toResponse(reply(200, [], undefined, { forwarded: { by: 'upstream', bytes, rest } }), 'GET')
    expect(await response.text()).toBe('abc')
  })

  it('closes a forwarded body that its reader cancels', async () => {
    const { state, rest } = restOf()
    const response = toResponse(reply(200, [], undefined, { forwarded: { by: 'upstream', bytes, rest } }), 'GET')
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.read()
    await reader?.cancel()
    expect(state.closed).toBe(true)
  })

  it.each([
    ['GET', 200, 'x', 'x'],
    ['HEAD', 200, 'x', ''],
    ['GET', 204, 'x', ''],
    ['GET', 200, undefined, ''],
  ])('to %s with the status %i', async (method, status, body, text) => {
    expect(await toResponse(reply(status, [], body, {}), method).text()).toBe(text)
  })

  it('that is truncated has half of its text, and then an error', async () => {
    const response = toResponse(reply(200, [], 'abc', { delivery: 'truncate' }), 'GET')
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('ab')
    await expect(reader?.read()).rejects.toThrow('terminated')
  })

  it('that is reset is an error', () => {
    expect(toResponse(reply(200, [], 'abc', { delivery: 'reset' }), 'GET').type).toBe('error')
  })

  it('has no assumptions and no delay unless they are given', () => {
    expect(reply(200, [], undefined, {}).meta).toMatchObject({ assumptions: [], delay: 0 })
  })
})

describe('a stream that nobody reads', () => {
  it('is closed, and its failure ignored', async () => {
    const { state, rest } = restOf()
    await rest.next()
    discardRest({ rest })
    await Promise.resolve()
    expect(state.closed).toBe(true)
    const failing = { [Symbol.asyncIterator]: () => ({ next: () => rest.next(), return: () => Promise.reject('x') }) }
    expect(() => discardRest({ rest: failing })).not.toThrow()
    expect(() => discardRest({ rest: { [Symbol.asyncIterator]: () => ({ next: () => rest.next() }) } })).not.toThrow()
    expect(() => [discardRest(undefined), discardRest({})]).not.toThrow()
  })
})
