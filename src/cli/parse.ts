import { parseArgs } from 'node:util'
import { closestMatch } from 'leven'
import { PlantMockError } from '../util/errors.ts'
import { type Command, commands, operands, optionRows, type Values, variableOf } from './options.ts'

export type CommandLine = {
  readonly command: Command
  readonly values: Values
  /** The flags as they were given, by name; a switch has the value `true`. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  /** What the command is about: the URL of `verify`. */
  readonly operand: string | undefined
  /** What stands behind `--`: the command that `vary` runs. */
  readonly rest: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads command, flags and environment. Flags win over variables; variables of repeatable options hold several
 * values with commas between.
 * @throws PlantMockError for whatever it does not know, with the nearest name that it does.
 */
export const parseCommandLine = (all: readonly string[], environment: Environment): CommandLine => {
  const end = all.indexOf('--')
  const [args, rest] = end === -1 ? [all, []] : [all.slice(0, end), all.slice(end + 1)]
  const { tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      [...optionRows].map(([name, { short, argument, optional }]) => [
        name,
        {
          type: argument === undefined || optional ? 'boolean' : 'string',
          ...(short !== undefined && { short }),
        } as const,
      ]),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  })

  for (const token of tokens) if (token.kind === 'option') checkKnown(token.name, token.rawName)
  const words = tokens.filter((token) => token.kind === 'positional').map(({ value }) => value)
  const command = commandOf(words)
  const operand = operandOf(command, words.slice(1), given(tokens, 'help'))
  if (end !== -1 && command !== 'vary')
    throw new PlantMockError(`"plant-mock ${command}" runs no other command: nothing may follow --.`)
  const flags = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    checkUse(token.name, token.value, command)
    flags.set(token.name, [...(flags.get(token.name) ?? []), token.value ?? 'true'])
  }
  const values: Record<string, unknown> = {}
  for (const [name, option] of optionRows) {
    const texts = flags.get(name) ?? fromEnvironment(name, environment, command)
    if (texts === undefined) continue
    const label = flags.has(name) ? `--${name}` : variableOf(name)
    if (option.repeatable) values[name] = texts.map((text) => option.read(text, label))
    else if (texts.length > 1)
      throw new PlantMockError(`${label} was given ${texts.length} times; it takes one value.`)
    else values[name] = option.read(texts[0] ?? '', label)
  }
  return { command, values: values as Values, flags, operand, rest }
}

const commandOf = (words: readonly string[]): Command => {
  const [word = 'serve'] = words
  if (!Object.hasOwn(commands, word)) throw unknown('command', word, Object.keys(commands))
  return word as Command
}

const operandOf = (command: Command, words: readonly string[], forHelp: boolean): string | undefined => {
  const wanted = operands[command]
  const [operand, extra] = wanted === undefined ? [undefined, ...words] : words
  if (wanted !== undefined && operand === undefined && !forHelp)
    throw new PlantMockError(`${wanted} is missing: plant-mock ${command} ${wanted}.`)
  if (extra !== undefined)
    throw new PlantMockError(`"${extra}" is one word too many after "${operand ?? command}".`)
  return operand
}

const given = (
  tokens: readonly { readonly kind: string; readonly name?: string }[],
  option: string,
): boolean => tokens.some(({ kind, name }) => kind === 'option' && name === option)

const checkKnown = (name: string, rawName: string): void => {
  if (optionRows.has(name)) return
  const known = [...optionRows.keys()].map((option) => `--${option}`)
  throw unknown('option', rawName, known)
}

const checkUse = (name: string, value: string | undefined, command: Command): void => {
  const option = optionRows.get(name)
  if (option === undefined) return
  if (!option.commands.includes(command))
    throw new PlantMockError(
      `--${name} does not go with "plant-mock ${command}"; it goes with ${option.commands.join(', ')}.`,
    )
  if (option.argument !== undefined && !option.optional && value === undefined)
    throw new PlantMockError(`--${name} needs a value: --${name} ${option.argument}.`)
  if (option.argument === undefined && value !== undefined)
    throw new PlantMockError(`--${name} takes no value.`)
}

/** An empty variable counts as none: that is how shells unset one for a single command. */
const fromEnvironment = (name: string, environment: Environment, command: Command): string[] | undefined => {
  const option = optionRows.get(name)
  const text = environment[variableOf(name)]
  if (option === undefined || text === undefined || text === '' || !option.commands.includes(command))
    return undefined
  if (name === 'help' || name === 'version') return undefined
  return option.repeatable ? text.split(',').filter((part) => part !== '') : [text]
}

const unknown = (what: string, word: string, known: readonly string[]): PlantMockError => {
  const nearest = closestMatch(word, known, { maxDistance: 4 })
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  return new PlantMockError(`There is no ${what} ${word}.${hint} "plant-mock --help" shows what there is.`)
}
