import { readdirSync, readFileSync } from 'node:fs'
import { maxHeaderSize } from 'node:http'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const [, limits = ''] = readFileSync(`${root}.github/SECURITY.md`, 'utf8').split('## Limits\n')

const sourcesOf = (folder: string): string =>
  readdirSync(`${root}src/${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readFileSync(`${root}src/${folder}/${file}`, 'utf8'))
    .join('\n')

describe('the limits in SECURITY.md', () => {
  it.each([
    ['1 MiB (`body.maxSize`), then 413', 'core/assumptions', /'1MiB': 1024 \* 1024\b/],
    ['64 MiB below `/__plant-mock/`', 'server/control', /body\w* = 64 \* 1024 \* 1024\b/i],
    ['16 MiB, then 413', 'core/http', /\b\w+ = 16 \* 1024 \* 1024\b/],
    ['10 s for the headers', 'server', /headersTimeout\w* = 10_000\b/i],
    ['30 s for the whole request, then 408', 'server', /requestTimeout\w* = 30_000\b/i],
    ['the last 1000 requests', 'core/journal', /journal\w* = 1_?000\b/i],
    ['32 Mi characters in all', 'core/journal', /budget\w* = 32 \* 1024 \* 1024\b/i],
    ['1 MiB; then requests are omitted', 'cli', /waiting\w* = 1024 \* 1024\b/i],
    ['256; one more evicts', 'core/mock', /sessions\w* = 256\b/i],
    ['5 s for requests in flight', 'server', /\b\w+ = 5_000\b/],
  ])('include "%s", as in src/%s', (phrase, folder, constant) => {
    expect(limits).toContain(phrase)
    expect(sourcesOf(folder)).toMatch(constant)
  })

  it('include the size of headers in Node.js', () => {
    expect(limits).toContain('16 KiB together, then 431')
    expect(maxHeaderSize).toBe(16 * 1024)
  })
})
