import { parseArgs } from 'node:util'
import { PlantMockError } from '../util/errors.ts'
import { shellWord } from '../util/shell.ts'
import { suggestion } from '../util/words.ts'
import { usage } from './help.ts'
import { type Command, commands, flagText, operands, optionRows, type Values, variableOf } from './options.ts'

/** The parsed command line. */
export type CommandLine = {
  readonly command: Command
  readonly values: Values
  /** The texts of each flag by its name; a switch has the text `true`. */
  readonly flags: ReadonlyMap<string, readonly string[]>
  /** The arguments besides options, such as the URL of `verify`; their number is valid for the command. */
  readonly operands: readonly string[]
  /** The words after `--`: the test command of `vary`. */
  readonly rest: readonly string[]
}

type Environment = Readonly<Record<string, string | undefined>>
type Token = ReturnType<typeof tokenize>[number]
type OptionToken = Extract<Token, { readonly kind: 'option' }>

/**
 * Parses command, flags and environment variables. Flags take precedence over variables.
 * @param all The arguments without node and the program.
 * @throws PlantMockError for an unknown command, option or value; the message suggests the closest known one.
 */
export const parseCommandLine = (all: readonly string[], environment: Environment): CommandLine => {
  const end = all.indexOf('--')
  const [args, rest] = end === -1 ? [all, []] : [all.slice(0, end), all.slice(end + 1)]
  const tokens = tokenize(args)
  const { command, given } = readWords(tokens, args)
  const flags = readFlags(tokens, command)
  if (given.length < operands[command].min && !flags.has('help'))
    throw new PlantMockError(`${operands[command].name} is missing. Usage: ${usage(command)}`)
  if (end !== -1 && command !== 'vary')
    throw new PlantMockError('Unexpected argument "--". Only "plant-mock vary" runs a command.')
  return { command, values: readValues(flags, environment, command), flags, operands: given, rest }
}

const tokenize = (args: readonly string[]) =>
  parseArgs({
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
  }).tokens

/** Reads command and operands from left to right, so that a message is about the first unknown word. */
const readWords = (
  tokens: readonly Token[],
  args: readonly string[],
): { readonly command: Command; readonly given: readonly string[] } => {
  let command: Command | undefined
  const given: string[] = []
  for (const token of tokens) {
    if (token.kind === 'option') checkKnown(token, command)
    else if (token.kind === 'positional') {
      if (command === undefined) command = commandOf(token.value)
      else if (given.length < operands[command].max) given.push(token.value)
      else throw unexpectedArgument(command, args.slice(token.index))
    }
  }
  return { command: command ?? 'serve', given }
}

const commandOf = (word: string): Command => {
  const known = Object.keys(commands)
  if (known.includes(word)) return word as Command
  throw unknown(`command "${word}"`, suggestion(word, known), 'plant-mock --help')
}

const checkKnown = ({ name, rawName }: OptionToken, command: Command | undefined): void => {
  if (optionRows.has(name)) return
  const known = [...optionRows.keys()].map((option) => `--${option}`)
  const help = ['plant-mock', ...(command === undefined ? [] : [command]), '--help'].join(' ')
  throw unknown(`option ${rawName}`, suggestion(rawName, known), help)
}

const unknown = (name: string, hint: string, help: string): PlantMockError =>
  new PlantMockError(`Unknown ${name}.${hint || ` "${help}" lists the known ones.`}`)

const unexpectedArgument = (command: Command, words: readonly string[]): PlantMockError => {
  const advice =
    command === 'vary'
      ? `Put the command after --: plant-mock vary -- ${words.map(shellWord).join(' ')}`
      : `Usage: ${usage(command)}`
  return new PlantMockError(`Unexpected argument "${words[0]}". ${advice}`)
}

const readFlags = (tokens: readonly Token[], command: Command): ReadonlyMap<string, readonly string[]> => {
  const flags = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    checkUse(token, command)
    flags.set(token.name, [...(flags.get(token.name) ?? []), token.value ?? 'true'])
  }
  return flags
}

const checkUse = ({ name, value }: OptionToken, command: Command): void => {
  const option = optionRows.get(name)
  if (option === undefined) return
  if (!option.commands.includes(command))
    throw new PlantMockError(`--${name} is not an option of ${command}, but of ${option.commands.join(', ')}.`)
  if (option.argument !== undefined && !option.optional && value === undefined)
    throw new PlantMockError(`--${name} needs a value: ${flagText(name, option)}.`)
  if (option.argument === undefined && value !== undefined) throw new PlantMockError(`--${name} takes no value.`)
}

const readValues = (
  flags: ReadonlyMap<string, readonly string[]>,
  environment: Environment,
  command: Command,
): Values => {
  const values: Record<string, unknown> = {}
  for (const [name, { repeatable, parse }] of optionRows) {
    const texts = flags.get(name) ?? fromEnvironment(name, environment, command)
    if (texts === undefined) continue
    const label = flags.has(name) ? `--${name}` : variableOf(name)
    if (repeatable) values[name] = texts.map((text) => parse(text, label))
    else if (texts.length > 1) throw new PlantMockError(`${label} was given ${texts.length} times; it takes one value.`)
    else values[name] = parse(texts[0] ?? '', label)
  }
  return values as Values
}

/** An empty variable counts as unset, because shells can clear a variable for one command only that way. */
const fromEnvironment = (name: string, environment: Environment, command: Command): readonly string[] | undefined => {
  const option = optionRows.get(name)
  const text = environment[variableOf(name)]
  if (option === undefined || text === undefined || text === '' || !option.commands.includes(command)) return undefined
  if (name === 'help' || name === 'version') return undefined
  return option.repeatable ? text.split(',').filter((part) => part !== '') : [text]
}
