import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createRequest, curlLine } from '../../src/verify/read/test-request.ts'

const sentBy = (line: string): string => execFileSync('bash', ['-c', `curl() { cat; }\n${line}`], { encoding: 'utf8' })

describe('the curl line of a long body', () => {
  it.each<[string, string]>([
    ['arrays that are not closed', '['.repeat(2_000)],
    ['arrays within each other', `${'['.repeat(2_000)}${']'.repeat(2_000)}`],
    ['objects within each other', `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`],
    ['a long text with a quote', JSON.stringify({ name: `${'x'.repeat(70_000)}it's`, id: 1 })],
    ['formats of printf', '%s'.repeat(400)],
    ['escapes of printf', '\\n'.repeat(400)],
    ['backslashes', '\\'.repeat(999)],
    ['quotes', "'".repeat(999)],
    ['an option of printf', '-n '.repeat(300)],
    ['line breaks', `${'\n'.repeat(900)}x`],
    ['letters beyond ASCII', 'é'.repeat(700)],
    ['surrogate pairs', '🌱'.repeat(700)],
  ])('sends %s, and is short', (_, body) => {
    const line = curlLine(createRequest(body), 'http://127.0.0.1')
    expect(line.length).toBeLessThan(500)
    expect(sentBy(line)).toBe(body)
  })

  it('names the length of one without repeated parts', () => {
    const body = Array.from({ length: 999 }, (_, index) => index).join(' ')
    expect(curlLine(createRequest(body), 'http://127.0.0.1')).toContain(`… (${body.length} characters)'`)
  })
})
