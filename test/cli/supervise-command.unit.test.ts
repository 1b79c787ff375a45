import { describe, expect, it } from 'vitest'
import { commandUrl, exitCodeOf, startFailure } from '../../src/cli/run.ts'

describe('the exit code of a command', () => {
  it.each([
    [0, null, 0],
    [42, null, 42],
    [null, 'SIGHUP', 129],
    [null, 'SIGKILL', 137],
  ] as const)('for code %s and signal %s is %d', (code, signal, exitCode) => {
    expect(exitCodeOf({ code, signal })).toBe(exitCode)
  })
})

describe('a command that cannot be started', () => {
  const failure = (words: readonly string[], code: string) =>
    startFailure(words, Object.assign(new Error(`spawn ${code}`), { code }))

  it.each([
    [['vitest', 'run', 'a b'], "Put npx before a program of a package: plant-mock run -- npx vitest run 'a b'"],
    [['npm test'], 'Write its words without quotes: plant-mock run -- npm test'],
    [['./suite.sh'], 'the file does not exist, or the interpreter that it names does not exist.'],
  ])('%j has exit code 127 and advice when it does not exist', (words, advice) => {
    const { code, message } = failure(words, 'ENOENT')
    expect(code).toBe(127)
    expect(message).toContain(advice)
  })

  it('has exit code 127 when it is empty', () => {
    expect(failure([''], 'ERR_INVALID_ARG_VALUE')).toEqual({
      code: 127,
      message: "Failed to run '': the command is empty.",
    })
  })

  it.each([
    ['EACCES', 'Failed to run ./suite: it is not an executable file, or its folder denies access.'],
    ['E2BIG', 'Failed to run ./suite: spawn E2BIG.'],
  ])('has exit code 126 after %s', (code, message) => {
    expect(failure(['./suite'], code)).toEqual({ code: 126, message })
  })
})

it.each([
  ['http://127.0.0.1:4010', 'http://127.0.0.1:4010'],
  ['http://0.0.0.0:4010', 'http://127.0.0.1:4010'],
  ['https://[::]:4010', 'https://[::1]:4010'],
  ['http://[fe80::1]:4010', 'http://[fe80::1]:4010'],
])('the command reaches the server of %s at %s', (url, expected) => {
  expect(commandUrl(url)).toBe(expected)
})
