import { describe, expect, it } from 'vitest'
import { requestJson, requestLog } from '../../src/cli/server-output.ts'
import { requestLine } from '../../src/core/mock/request-line.ts'
import type { LoggedRequest } from '../../src/server/listener/logged-request.ts'
import { paintFor } from '../../src/server/start/paint.ts'
import { plain } from '../../src/util/terminal.ts'
import { pseudonym } from '../support/callers.ts'

const request: LoggedRequest = {
  method: 'GET',
  url: '/plants',
  status: 200,
  caller: pseudonym('caller-1'),
  problem: undefined,
  fault: undefined,
  by: undefined,
  violations: [],
  session: undefined,
  milliseconds: 1.25,
}

describe('the request log', () => {
  it('colours the status: green for success, yellow for 4xx, red for 5xx', () => {
    const line = (status: number) => requestLine({ ...request, status }, paintFor(true, {}))
    expect(line(200)).toContain('\u001B[32m200')
    expect(line(404)).toContain('\u001B[33m404')
    expect(line(500)).toContain('\u001B[31m500')
  })

  it('shows a reset connection without a status, in red', () => {
    const reset = { ...request, status: 0, fault: 'reset' } as const
    expect(requestLine(reset, plain)).toBe('GET     /plants             reset  caller-1     1.3 ms  fault: reset')
    expect(requestLine(reset, paintFor(true, {}))).toContain('\u001B[31mreset')
    expect(JSON.parse(requestJson(reset))).toMatchObject({ fault: 'reset' })
    expect(requestJson(reset)).not.toContain('status')
  })

  it.each([
    [0, '   0.0'],
    [0.04, '   0.0'],
    [0.05, '   0.1'],
    [9.96, '  10.0'],
    [1234.5, '1234.5'],
  ])('rounds %d ms to tenths', (milliseconds, shown) => {
    expect(requestLine({ ...request, milliseconds }, plain)).toBe(
      `GET     /plants             200  caller-1  ${shown} ms`,
    )
  })

  it('keeps the columns of usual requests below each other', () => {
    const refused = { ...request, method: 'DELETE', url: '/plants?limit=1000', status: 401, caller: undefined } as const
    const lines = [request, { ...refused, problem: 'missing-token', milliseconds: 120 }]
    expect(lines.map((one) => requestLine(one, plain))).toEqual([
      'GET     /plants             200  caller-1     1.3 ms',
      'DELETE  /plants?limit=1000  401  -          120.0 ms  missing-token',
    ])
  })

  it('truncates a long URL', () => {
    const url = `/plants?${'x'.repeat(5000)}`
    expect(requestLine({ ...request, url }, plain).length).toBeLessThan(200)
    expect((JSON.parse(requestJson({ ...request, url })) as { url: string }).url).toHaveLength(120)
  })

  it('has a line for each violation, with its section', () => {
    const violations = [
      { section: '4.2', in: 'request', detail: 'A list has no query parameter page; it has limit.' },
      { section: '4.1', in: 'request', detail: 'The body has no tag.' },
    ] as const
    expect(
      requestLine({ ...request, violations }, plain)
        .split('\n')
        .slice(1),
    ).toEqual([
      '        request violates contract 4.2: A list has no query parameter page; it has limit.',
      '        request violates contract 4.1: The body has no tag.',
    ])
  })

  it('escapes control characters', () => {
    const session = 'a\u001B]0;title\u0007b'
    const violations = [{ section: '4.2', in: 'request', detail: 'x\u001B[2J\ny' }] as const
    const text = requestLine({ ...request, session, url: '/\u009B2J', violations }, plain)
    expect(text).toBe(
      'GET     /\\u009b2J           200  caller-1     1.3 ms  [a\\u001b]0;title\\u0007b]\n        request violates contract 4.2: x\\u001b[2J y',
    )
  })
})

describe('a request log with a slow reader', () => {
  const open = () => {
    const printed: string[] = []
    const reader = { isSlow: false }
    const terminal = { out: (text: string) => printed.push(text), isSlow: () => reader.isSlow }
    const log = requestLog(
      terminal,
      ({ url }) => url,
      (text) => printed.push(`notice: ${text}`),
    )
    const print = (...urls: readonly string[]) => {
      for (const url of urls) log.print({ ...request, url })
    }
    return { printed, reader, log, print }
  }

  it('leaves requests out, and says how many before the next one', () => {
    const { printed, reader, print } = open()
    print('/1')
    reader.isSlow = true
    print('/2', '/3')
    reader.isSlow = false
    print('/4', '/5')
    const notice = 'notice: 2 requests not logged, because standard output is read too slowly'
    expect(printed).toEqual(['/1\n', notice, '/4\n', '/5\n'])
  })

  it('says at its end how many it has left out', () => {
    const { printed, reader, log, print } = open()
    reader.isSlow = true
    print('/1')
    log.end()
    log.end()
    expect(printed).toEqual(['notice: 1 request not logged, because standard output is read too slowly'])
  })
})

it.each([
  [true, {}, true],
  [false, {}, false],
  [undefined, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
])('uses colours only at a terminal and without NO_COLOR: %s %j', (isTerminal, environment, expected) => {
  expect(paintFor(isTerminal, environment)('red', 'x')).toBe(expected ? '\u001B[31mx\u001B[39m' : 'x')
})
