import { expect, it } from 'vitest'
import { windowsWord } from '../../src/util/shell.ts'

it.each([
  ['vitest', 'vitest'],
  ['C:\\tools\\npm.cmd', 'C:\\tools\\npm.cmd'],
  ['a b', '"a b"'],
  ['', '""'],
  ['a&b', '"a&b"'],
  ['say "hi"', '"say ""hi"""'],
  ['a \\"b\\', '"a \\\\""b\\\\"'],
])('quotes %s for cmd.exe as %s', (word, quoted) => {
  expect(windowsWord(word)).toBe(quoted)
})
