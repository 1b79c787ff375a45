import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createRequest, curlLine } from '../../src/verify/test-request.ts'

/** The body that the command sends, with a curl that prints it. */
const sentBy = (line: string): string => {
  const curl = 'curl() { while [ "$1" != --data-raw ]; do shift; done; printf %s "$2"; }'
  return execFileSync('sh', ['-c', `${curl}\n${line}`], { encoding: 'utf8' })
}

describe('the curl line of a body', () => {
  it.each<[string, string]>([
    ['arrays within each other', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
    ['a text with a quote', JSON.stringify({ name: "it's", id: 1 })],
    ['backslashes', '\\'.repeat(999)],
    ['line breaks', `${'\n'.repeat(900)}x`],
  ])('sends %s', (_, body) => {
    expect(sentBy(curlLine(createRequest(body), 'http://127.0.0.1'))).toBe(body)
  })

  it('names the length of one that is too long', () => {
    expect(curlLine(createRequest('x'.repeat(5_001)), 'http://127.0.0.1')).toContain("… (5001 characters)'")
  })
})
