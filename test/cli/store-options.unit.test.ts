import { describe, expect, it } from 'vitest'
import { checkOptions } from '../../src/cli/check-options.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { sharedStore } from '../../src/cli/shared-store.ts'

const password = 'a-password-to-hide'

const errorOf = (args: readonly string[], environment: Readonly<Record<string, string>> = {}): string => {
  try {
    const line = parseCommandLine(args, environment)
    checkOptions(line)
    if (line.values.store !== undefined) sharedStore(line, line.values.store)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('--store', () => {
  it.each([
    'redis://127.0.0.1:6379/0',
    'redis://127.0.0.1',
    'redis://127.0.0.1?db=3',
    `rediss://user:${password}@store.example:6380/3`,
    'unix:/tmp/redis.sock',
    `unix://:${password}@/tmp/redis.sock?db=1`,
  ])('takes %s', (url) => {
    expect(errorOf(['--store', url, '--store-name', 'team-a', '--store-reset'])).toBe('')
    expect(errorOf(['run', '--', 'true'], { PLANT_MOCK_STORE: url, PLANT_MOCK_STORE_NAME: 'team-a' })).toBe('')
  })

  it.each([
    `${password}@127.0.0.1`,
    `:${password}@127.0.0.1:6379`,
    `http://:${password}@127.0.0.1`,
    `redis://:${password}@127.0.0.1/plants`,
    `redis://:${password}@127.0.0.1?db=plants`,
    `redis://:${password}%@127.0.0.1`,
    `unix://:${password}@host/tmp/redis.sock`,
    `unix://:${password}%@/tmp/redis.sock`,
    '',
  ])('refuses %j, and does not repeat it', (url) => {
    const error = errorOf(['--store', url])
    expect(error).toContain('--store is not an address.')
    expect(error).not.toContain(password)
  })

  it('has no empty variable, with which a process would serve a mock of its own', () => {
    expect(errorOf([], { PLANT_MOCK_STORE: '' })).toBe(
      'The variable PLANT_MOCK_STORE is empty. Give it a value, or remove it: env -u PLANT_MOCK_STORE.',
    )
    expect(errorOf(['--store', 'redis://h'], { PLANT_MOCK_STORE: '' })).toBe('')
  })

  it('is named in the message by the variable that holds it', () => {
    expect(errorOf([], { PLANT_MOCK_STORE: password })).toMatch(/^PLANT_MOCK_STORE is not an address\. Use redis:/)
  })

  it.each([
    [['--store-name', 'a'], '--store-name needs --store URL or PLANT_MOCK_STORE.'],
    [['--store-reset'], '--store-reset needs --store URL or PLANT_MOCK_STORE.'],
    [['--store', 'redis://h', '--store-name', 'a b'], 'The name of a store has 1 to 64 letters, digits'],
    [['--store', 'redis://h', '--persist', 'p.ndjson'], '--persist and --store exclude each other: '],
    [['--store', 'redis://h', '--watch'], '--watch and --store exclude each other: '],
    [['vary', '--store', 'redis://h', '--', 'true'], '--store is not an option of vary, but of serve, run.'],
  ])('%j is refused', (args, message) => {
    expect(errorOf(args)).toContain(message)
  })

  it('excludes the file and the watch that variables set', () => {
    const store = { PLANT_MOCK_STORE: 'redis://h' }
    expect(errorOf([], { ...store, PLANT_MOCK_PERSIST: 'p.ndjson' })).toContain('--persist and --store')
    expect(errorOf([], { ...store, PLANT_MOCK_WATCH: '1' })).toContain('--watch and --store')
    expect(errorOf([], { ...store, PLANT_MOCK_WATCH: '0', PLANT_MOCK_STORE_RESET: '0' })).toBe('')
  })
})
