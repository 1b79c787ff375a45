import { describe, expect, it } from 'vitest'
import type { LoggedRequest } from '../../src/adapters/node/logged-request.ts'
import { requestJson, requestLine } from '../../src/cli/request-log.ts'
import { usesColour } from '../../src/util/terminal.ts'

const request: LoggedRequest = {
  method: 'GET',
  url: '/plants',
  status: 200,
  caller: 'caller-1',
  problem: undefined,
  fault: undefined,
  by: undefined,
  violations: [],
  session: undefined,
  milliseconds: 1.25,
}

describe('the request log', () => {
  it('is coloured where colours may be used: green, yellow, red by status', () => {
    const line = (status: number) => requestLine({ ...request, status }, true)
    expect(line(200)).toContain('\u001B[32m200')
    expect(line(404)).toContain('\u001B[33m404')
    expect(line(500)).toContain('\u001B[31m500')
  })

  it('is plain where they may not', () => {
    expect(requestLine(request, false)).toBe('GET     /plants  200  caller-1  1.3 ms')
  })

  it('cuts a very long address', () => {
    const url = `/plants?${'x'.repeat(5000)}`
    expect(requestLine({ ...request, url }, false).length).toBeLessThan(200)
    expect((JSON.parse(requestJson({ ...request, url })) as { url: string }).url).toHaveLength(120)
  })

  it.each(['/plants?access_token=s3cret', '/plants?a=1&Access_Token=s3cret&b=2'])(
    'hides a token in %s',
    (url) => {
      expect(requestLine({ ...request, url }, false)).not.toContain('s3cret')
      expect(requestJson({ ...request, url })).not.toContain('s3cret')
    },
  )
})

it.each([
  [true, {}, true],
  [false, {}, false],
  [undefined, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
])(
  'uses colours at a terminal alone, and never with NO_COLOR: %s %j',
  (isTerminal, environment, expected) => {
    expect(usesColour(isTerminal, environment)).toBe(expected)
  },
)
