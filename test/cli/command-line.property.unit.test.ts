import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import { optionRows } from '../../src/cli/options.ts'
import { parseCommandLine } from '../../src/cli/parse.ts'
import { PlantMockError } from '../../src/util/errors.ts'
import { finish } from '../support/command-line.ts'

const value = fc.oneof(
  fc.constantFrom('', '0', '7', '-1', '1e3', '4010', '0x10', ' 1', 'true', 'report', '1-2', '2-1', '0.5', '2', 'a=b'),
  fc.constantFrom('create.status=200', 'create.status=', '=', 'list.order=newest', 'X-A: b', ':', '__proto__=1'),
  fc.constantFrom('garden', '../garden', './nowhere.json', 'alice', 'http://x', '--', '-', '--port', '\0', 'é'),
  fc.string(),
)
const name = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...optionRows.keys()) },
  fc.constantFrom('__proto__', 'constructor', 'no-port', 'prot', '', '=', 'p', 'h'),
)
const flag = fc.oneof(
  fc.tuple(name, value).map(([name, value]) => [`--${name}`, value]),
  fc.tuple(name, value).map(([name, value]) => [`--${name}=${value}`]),
  name.map((name) => [`--${name}`]),
  fc.constantFrom(['-p'], ['-p1'], ['-p', '1'], ['-H'], ['-hv'], ['-x'], ['-'], ['--'], ['---'], ['--=']),
)
const word = fc.oneof(fc.constantFrom(...Object.keys(commands)), value)
const line = fc
  .tuple(fc.array(word, { maxLength: 2 }), fc.array(flag, { maxLength: 3 }), fc.boolean())
  .map(([words, flags, first]) => (first ? [...words, ...flags.flat()] : [...flags.flat(), ...words]))
const environment = fc.dictionary(
  name.map((name) => `PLANT_MOCK_${name.toUpperCase().replaceAll('-', '_')}`),
  value,
  { maxKeys: 3 },
)

describe('any command line', () => {
  it('is parsed into known options of the command, or refused with a message', () => {
    const seen = new Set<string>()
    const property = fc.property(line, environment, (line, environment) => {
      try {
        const { command, values } = parseCommandLine(line, environment)
        expect(Object.keys(commands)).toContain(command)
        for (const name of Object.keys(values)) expect(optionRows.get(name)?.commands).toContain(command)
        seen.add('parsed')
      } catch (error) {
        expect(error).toBeInstanceOf(PlantMockError)
        expect((error as PlantMockError).message).toMatch(/^(?:\S.*)\S$/s)
        seen.add('refused')
      }
    })
    fc.assert(property, { numRuns: 2_000 })
    expect(seen).toEqual(new Set(['parsed', 'refused']))
  })

  it('prints a result on standard output, or only a message on standard error', async () => {
    const option = fc.constantFrom('assume', 'assumptions', 'seed', 'token', 'json', 'help', 'version')
    const lines = fc
      .tuple(
        fc.constantFrom('generate', 'assumptions', 'contract'),
        fc.array(fc.tuple(option, value), { maxLength: 2 }),
      )
      .map(([command, options]) => [command, ...options.map(([name, value]) => `--${name}=${value}`)])
    const property = fc.asyncProperty(lines, async (line) => {
      const { code, out, error } = await finish(line)
      if (code === 0) expect([out === '', error]).toEqual([false, ''])
      else {
        expect([code, out]).toEqual([2, ''])
        expect(error).toMatch(/^plant-mock: .*\n$/s)
      }
    })
    await fc.assert(property, { numRuns: 150 })
  })
})
