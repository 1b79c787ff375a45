import { once } from 'node:events'
import { type IncomingMessage, type RequestOptions, request } from 'node:http'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { bearer } from 'plant-mock'
import type { LoggedRequest } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'
import { sendJson } from '../../support/upstream.ts'

const { serve, startProxy } = useServers()

describe('the check of exchanges with the upstream', () => {
  const check = async (body: unknown, { status = 200, strict = false, contentType = 'application/json' } = {}) => {
    const logged: LoggedRequest[] = []
    const { url: upstream } = await serve((_, res) => {
      res.writeHead(status, { 'content-type': contentType }).end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    const started = await startProxy(
      upstream,
      { for: 'all', check: strict ? 'strict' : 'report' },
      { onRequest: (request) => logged.push(request) },
    )
    return { ...started, logged }
  }
  const list = '/plants?limit=2'
  const create = post({ id: 1, name: 'a', tag: 'b' })

  it('lets a plant have no tag that may have been created without one', async () => {
    const { url: upstream } = await serve((request, res) => {
      const plant = request.method === 'POST' ? { name: 'a' } : [{ name: 'a' }, { name: 'b', tag: null }]
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(plant))
    })
    const { mock } = await startProxy(upstream, { for: 'all', check: 'report' })
    const details = async () => (await mock.violations()).map(({ detail }) => detail)
    await mock.fetch('/plants', post({ id: 1, name: 'a' }))
    await mock.fetch('/plants', as('alice'))
    expect(await details()).toEqual([])
    await mock.fetch('/plants', post({ id: 2, name: 'b', tag: 'c' }))
    expect(await details()).toEqual(['tag is required.'])
    await mock.fetch('/plants', as('alice'))
    expect(await details()).toEqual(['tag is required.', 'Element 1: tag must be a string, not null.'])
  })

  it.each<[string, string, RequestInit, unknown, object, string[]]>([
    ['a valid list', list, as('alice'), [{ name: 'a', tag: 'b' }], {}, []],
    [
      'a failure in JSON',
      list,
      as('alice'),
      { error: 1 },
      { status: 500, contentType: 'application/problem+json' },
      [],
    ],
    [
      'a created plant with its id',
      '/plants',
      create,
      { id: 1, name: 'a', tag: 'b' },
      {},
      ['response 2.1, 4.1: id is not a field of a plant.'],
    ],
    [
      'an invalid request',
      '/plants?page=1',
      as('alice'),
      [],
      {},
      ['request 4.2: A list has no query parameter page; it has limit.'],
    ],
  ])('reports the violations of %s', async (_, path, init, body, responseOptions, violations) => {
    const { url, mock, logged } = await check(body, responseOptions)
    const response = await fetch(`${url}${path}`, init)
    expect(await response.text()).toBe(typeof body === 'string' ? body : JSON.stringify(body))
    const expected = violations.length === 0 ? '"none"' : violations.map((text) => JSON.stringify(text)).join(', ')
    expect(response.headers.get('plant-mock-violations')).toBe(expected)
    const format = (list: readonly { in: string; section: string; detail: string }[]) =>
      list.map((violation) => `${violation.in} ${violation.section}: ${violation.detail}`)
    expect(format(await mock.violations())).toEqual(violations)
    expect(format(logged[0]?.violations ?? [])).toEqual(violations)
  })

  it('answers 502 with the violations when it is strict, and does not forward an invalid request', async () => {
    const { url } = await check({ plants: [] }, { strict: true })
    const response = await fetch(`${url}/plants`, as('alice'))
    expect([response.status, await response.json()]).toMatchObject([
      502,
      {
        type: 'urn:problem-type:plant-mock:upstream-violation',
        detail: 'The response violates contract 4.2: The body is not an array. Read it: npx plant-mock contract 4.2',
        violations: [{ in: 'response', section: '4.2' }],
      },
    ])
    const request = await fetch(`${url}/plants?page=1`, as('alice'))
    expect([request.status, await request.json()]).toMatchObject([502, { violations: [{ in: 'request' }] }])
  })

  it('says how many violations follow the first when it is strict', async () => {
    const { url } = await check({ plants: [] }, { strict: true, contentType: 'text/html' })
    const { detail, violations } = await (await fetch(`${url}/plants`, as('alice'))).json()
    expect(violations).toHaveLength(2)
    expect(detail).toMatch(/Content-Type is text\/html\. 1 more follow\. Read it: npx plant-mock contract 1$/)
  })

  it('finds no other violation in a request body with a coding', async () => {
    const { url } = await check({ name: 'a', tag: 'b' })
    const headers = { ...create.headers, 'content-encoding': 'gzip' }
    const response = await fetch(`${url}/plants`, { ...create, headers, body: gzipSync('{"name":"a","tag":"b"}') })
    expect(response.headers.get('plant-mock-violations')).toMatch(/^"request [^"]*Content-Encoding[^"]*"$/)
  })

  it('accepts an id of any size, about which the contract says nothing', async () => {
    const { url } = await check({ name: 'a', tag: 'b' }, { strict: true, status: 201 })
    const body = '{"name":"a","tag":"b","id":1234567890123456789}'
    expect((await fetch(`${url}/plants`, { ...create, body })).status).toBe(201)
  })

  const checkBytes = async (bytes: Uint8Array, encoding: string, options: { check: 'report' | 'strict' }) => {
    const { url: service } = await serve((_, res) => {
      const headers = { 'content-type': 'application/json', ...(encoding !== '' && { 'content-encoding': encoding }) }
      res.writeHead(200, headers).end(bytes)
    })
    return startProxy(service, { for: 'all', ...options })
  }
  const invalid = Buffer.from('{"name":"a"}')
  /** `request` does not decode the body of the response, unlike fetch. */
  const statusAndViolations = async (url: string, options: RequestOptions = {}) => {
    const sent = request(`${url}/plants`, { ...options, headers: bearer('a') }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    response.resume()
    return [response.statusCode, response.headers['plant-mock-violations']]
  }

  it.each<[string, Uint8Array, string, string]>([
    ['is not UTF-8', Buffer.from('[{"name":"é","tag":""}]', 'latin1'), '', '1: The body is not JSON: it is not UTF-8.'],
    ['is not gzip', invalid, 'gzip', '1: The Content-Encoding is gzip, but the body is not.'],
    ['is cut', gzipSync('[]').subarray(0, 15), 'gzip', '1: The Content-Encoding is gzip, but the body is not.'],
    ['is not all that it says', gzipSync('[]'), 'br, gzip', '1: The Content-Encoding is br, but the body is not.'],
    ['is no list, in two codings', gzipSync(brotliCompressSync(invalid)), 'br, gzip', '4.2: The body is not an array.'],
    ['is no list, after identity', gzipSync(invalid), 'identity, gzip,', '4.2: The body is not an array.'],
    [
      'is no list, after spaces, in the old name of gzip',
      gzipSync(invalid),
      ' Identity , X-GZIP',
      '4.2: The body is not an array.',
    ],
    ['is no list, deflated', deflateSync(invalid), 'deflate', '4.2: The body is not an array.'],
    ['is no list, deflated without header', deflateRawSync(invalid), 'deflate', '4.2: The body is not an array.'],
  ])('finds the violation of a body that %s', async (_, bytes, encoding, violation) => {
    const report = await checkBytes(bytes, encoding, { check: 'report' })
    expect(await statusAndViolations(report.url)).toEqual([200, `"response ${violation}"`])
    const strict = await checkBytes(bytes, encoding, { check: 'strict' })
    expect(await statusAndViolations(strict.url)).toEqual([502, `"response ${violation}"`])
  })

  it('finds the violation of a request that is not UTF-8', async () => {
    const { url } = await check({ name: 'a', tag: 'b' }, { strict: true, status: 201 })
    const body = Buffer.from('{"name":"é","tag":""}', 'latin1')
    const response = await fetch(`${url}/plants`, { ...create, body })
    expect([response.status, response.headers.get('plant-mock-violations')]).toEqual([
      502,
      '"request 1: The body is not JSON: it is not UTF-8."',
    ])
  })

  it.each<[string, Uint8Array, string, string]>([
    ['an unknown coding', Buffer.from('x'), 'zstd', 'the Content-Encoding zstd is unknown'],
    [
      'six codings',
      Buffer.from('[]'),
      'gzip, gzip, br, deflate, gzip, br',
      'the Content-Encoding has more than 5 codings',
    ],
    ['more than 16 MiB', Buffer.alloc(17 * 1024 * 1024, ' '), '', 'the body has more than 16 MiB'],
    [
      'more than 16 MiB when decoded',
      gzipSync(Buffer.alloc(65 * 1024 * 1024, ' ')),
      'gzip',
      'the decoded body has more than 16 MiB',
    ],
  ])('says that it did not check a body of %s', async (_, bytes, encoding, reason) => {
    const { url, mock } = await checkBytes(bytes, encoding, { check: 'strict' })
    const header = `"not checked"; reason="${reason}"`
    expect(await statusAndViolations(url)).toEqual([200, header])
    const [entry] = await mock.requests.all()
    expect([entry?.violations, entry?.response.headers['plant-mock-violations']]).toEqual([[], header])
  })

  it('decodes five codings', async () => {
    let bytes: Uint8Array = Buffer.from('[]')
    for (let count = 0; count < 5; count++) bytes = gzipSync(bytes)
    const { url } = await checkBytes(bytes, 'gzip, gzip, identity, gzip, gzip, gzip', { check: 'strict' })
    expect(await statusAndViolations(url)).toEqual([200, '"none"'])
  })

  it('says so after the violations of the request', async () => {
    const { url } = await checkBytes(Buffer.from('x'), 'zstd', { check: 'report' })
    const response = await fetch(`${url}/plants?page=1`, as('a'))
    expect(response.headers.get('plant-mock-violations')).toMatch(
      /^"request 4\.2: .*", "not checked"; reason="the Content-Encoding zstd is unknown"$/,
    )
  })

  it('leaves out a long coding as a whole, and keeps the case of a short one, so that secrets in it are found', async () => {
    for (const [coding, shown] of [
      ['X-Zip', 'X-Zip'],
      ['x'.repeat(101), '?'],
    ] as const) {
      const { url } = await checkBytes(Buffer.from('x'), coding, { check: 'strict' })
      expect(await statusAndViolations(url)).toEqual([
        200,
        `"not checked"; reason="the Content-Encoding ${shown} is unknown"`,
      ])
    }
  })

  it('holds no workflow command of a CI system', async () => {
    const { url } = await checkBytes(Buffer.from('[]'), '', { check: 'report' })
    const response = await fetch(`${url}/plants?${encodeURIComponent('##[error]x')}=1`, as('a'))
    expect(response.headers.get('plant-mock-violations')).toContain('u0023#[error]x')
  })

  it('does not decode the body that a response to HEAD leaves out', async () => {
    const { url } = await checkBytes(gzipSync('[]'), 'gzip', { check: 'strict' })
    expect(await statusAndViolations(url, { method: 'HEAD' })).toEqual([200, '"none"'])
  })
})

it('a fault on a forwarded response leaves the violations in its header', async () => {
  const { url: upstream } = await serve((_, res) => sendJson(res, 200, [{ name: 'Fern', tag: 'fern', id: 7 }]))
  const { url, mock } = await startProxy(upstream, { for: 'all', check: 'report' })
  await mock.fail({ malformed: true })
  const { headers } = await fetch(`${url}/plants`, as('alice'))
  expect(headers.get('plant-mock-source')).toBe('fault; kind="malformed"')
  expect(headers.get('plant-mock-violations')).toMatch(/^"response 2\.2, 4\.2: /)
})
