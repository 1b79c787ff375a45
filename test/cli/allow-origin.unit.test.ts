import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../src/cli/parse.ts'

const allowed = (...origins: readonly string[]) => {
  const flags = origins.flatMap((origin) => ['--allow-origin', origin])
  return parseCommandLine(['serve', '--upstream', 'http://x.example', ...flags], {}).values['allow-origin']
}

describe('--allow-origin', () => {
  it('accepts several origins, and null, in lower case', () => {
    expect(allowed('https://APP.example:8443', 'null')).toEqual(['https://app.example:8443', 'null'])
  })

  it.each(['*', 'https://*', 'https://*.example', 'https://app.example/', 'app.example', ''])(
    'refuses the value "%s", which is no origin',
    (value) => {
      expect(() => allowed('https://app.example', value)).toThrow(
        '--allow-origin must be an origin such as https://app.example.com, without a path or wildcard.',
      )
    },
  )
})
