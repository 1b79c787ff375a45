import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { optionRows } from '../../src/cli/options.ts'
import { tokenize } from '../../src/cli/tokenize.ts'
import { runs } from '../support/runs.ts'

const options = Object.fromEntries(
  [...optionRows].map(([name, { needsValue, short }]) => [
    name,
    { type: needsValue ? ('string' as const) : ('boolean' as const), ...(short !== undefined && { short }) },
  ]),
)

/** The tokens of `parseArgs`, in the form of ours. Its index is wrong after a group of letters with a hyphen. */
const byParseArgs = (args: readonly string[]) =>
  parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true })
    .tokens.filter(({ kind }) => kind !== 'option-terminator')
    .map((token) =>
      token.kind === 'option'
        ? { kind: 'option', name: token.name, rawName: token.rawName, value: token.value }
        : { kind: 'word', value: (token as { value: string }).value },
    )

const letters = fc.array(fc.constantFrom('p', 'H', 'h', 'v', 'x', '=', '1', '-', 'é', '😀', '\n'), { maxLength: 4 })
const argument = fc.oneof(
  fc.constantFrom('serve', '', '-', '--', '--=', '---', '--port', '--port=', '--port=1=2', '--quiet', '--check=strict'),
  fc.constantFrom('--constructor', '--__proto__=1', '--no-quiet', '--p', '4010', '-p', '-p4010', '-hp', '-hv'),
  letters.map((texts) => `-${texts.join('')}`),
  fc.tuple(fc.constantFrom('', '-', '--'), fc.string()).map(([hyphens, text]) => `${hyphens}${text}`),
)

describe('the tokens of a command line', () => {
  it('are those of parseArgs', () => {
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 5 }), (args) => {
        const tokens = tokenize(args).map((token) => {
          if (token.kind === 'option') return token
          const { index: _, ...word } = token
          return word
        })
        expect(tokens).toEqual(byParseArgs(args))
      }),
      { numRuns: runs(4_000) },
    )
  })

  it.each([
    [
      ['vary', '-p', '1', 'npx'],
      [0, 3],
    ],
    [
      ['-hp', 'serve', 'a', 'b'],
      [2, 3],
    ],
  ])('of %j say where its words are', (args, indices) => {
    const words = tokenize(args).flatMap((token) => (token.kind === 'word' ? [token.index] : []))
    expect(words).toEqual(indices)
  })
})
