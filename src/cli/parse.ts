import { parseArgs } from 'node:util'
import { PlantMockError } from '../util/errors.ts'
import { shellWord } from '../util/shell.ts'
import { suggestion } from '../util/words.ts'
import type { CommandLine, Terminal } from './command.ts'
import { allCommands, type CliCommand, commands } from './commands.ts'
import { anyText, isOn } from './option-values.ts'
import { flagText, needsValue, type OptionValue, optionRows, optionsOf, type Values, variableOf } from './options.ts'

type Environment = Terminal['environment']
type Flags = CommandLine['flags']
type ArgumentToken = ReturnType<typeof tokenize>[number]
type OptionToken = Extract<ArgumentToken, { readonly kind: 'option' }>

export const parseCommandLine = (all: readonly string[], environment: Environment): CommandLine => {
  const end = all.indexOf('--')
  const [args, rest] = end === -1 ? [all, []] : [all.slice(0, end), all.slice(end + 1)]
  const tokens = tokenize(args)
  const { command, isNamed, operands } = readWords(tokens, args)
  const flags = readFlags(tokens, command)
  const { requiredOperands = [], usage } = commands[command]
  const missing = requiredOperands.slice(operands.length)
  if (missing.length > 0 && !flags.has('help'))
    throw new PlantMockError(`${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing. Usage: ${usage}`)
  if (end !== -1 && !commands[command].runsCommand) {
    const runners = allCommands.filter((name) => commands[name].runsCommand).join(', ')
    throw new PlantMockError(`Unexpected argument "--". Only these commands run another command: ${runners}.`)
  }
  return { command, isNamed, values: readValues(flags, environment, command), flags, operands, rest }
}

/** As in POSIX, an option that needs a value takes the next argument, even if the argument starts with `-`. */
const tokenize = (args: readonly string[]) => {
  const options = Object.fromEntries(
    [...optionRows].map(([name, option]) => [
      name,
      { ...option, type: needsValue(option) ? ('string' as const) : ('boolean' as const) },
    ]),
  )
  return parseArgs({ args: [...args], options, strict: false, allowPositionals: true, tokens: true }).tokens
}

const readWords = (
  tokens: readonly ArgumentToken[],
  args: readonly string[],
): Pick<CommandLine, 'command' | 'isNamed' | 'operands'> => {
  let command: CliCommand | undefined
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'option' && !optionRows.has(token.name)) throw unknownOption(token.rawName, command)
    if (token.kind !== 'positional') continue
    if (command === undefined) {
      const next = tokens.find(({ kind, index }) => kind === 'positional' && index > token.index)
      command = commandNamed(token.value, next && args[next.index])
    } else if (operands.length < maxOperands(command)) operands.push(token.value)
    else throw unexpectedArgument(command, args, token.index)
  }
  return { command: command ?? 'serve', isNamed: command !== undefined, operands }
}

const maxOperands = (command: CliCommand): number =>
  commands[command].maxOperands ?? commands[command].requiredOperands?.length ?? 0

const unexpectedArgument = (command: CliCommand, args: readonly string[], index: number): PlantMockError => {
  const words = (from: number, to?: number) => args.slice(from, to).map(shellWord)
  const { runsCommand } = commands[command]
  const advice =
    runsCommand && maxOperands(command) === 0
      ? `Put -- in front of the command: ${['plant-mock', ...words(0, index), '--', ...words(index)].join(' ')}`
      : operandHint(args[index] ?? '', command).trim() || `Usage: ${commands[command].usage}`
  return new PlantMockError(`Unexpected argument "${args[index]}". ${advice}`)
}

const readFlags = (tokens: readonly ArgumentToken[], command: CliCommand): Flags => {
  const flags = new Map<string, string[]>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    checkUse(token, command)
    flags.set(token.name, [...(flags.get(token.name) ?? []), token.value ?? 'true'])
  }
  return flags
}

const checkUse = ({ name, value }: OptionToken, command: CliCommand): void => {
  const option = optionRows.get(name)
  if (option === undefined) return
  if (!option.commands.includes(command))
    throw new PlantMockError(`--${name} is not an option of ${command}, but of ${option.commands.join(', ')}.`)
  if (needsValue(option) && value === undefined)
    throw new PlantMockError(`--${name} needs a value: ${flagText(name, option)}.`)
  if (option.value === undefined && value !== undefined) throw new PlantMockError(`--${name} takes no value.`)
}

const readValues = (flags: Flags, environment: Environment, command: CliCommand): Values => {
  const values: Record<string, unknown> = {}
  for (const [name, { value }] of optionsOf(command)) {
    const texts = flags.get(name) ?? fromEnvironment(name, environment, value)
    if (texts === undefined) continue
    const label = flags.has(name) ? `--${name}` : variableOf(name)
    const parse = value === undefined ? isOn : (value.parse ?? anyText)
    if (value?.repeatable) values[name] = texts.map((text) => parse(text, label))
    else if (texts.length > 1) throw new PlantMockError(`${label} was given ${texts.length} times. Give it once.`)
    else values[name] = parse(texts[0] ?? '', label)
  }
  return values
}

/** Treats an empty variable as unset, because `NAME= command` clears a variable for one command. */
const fromEnvironment = (
  name: string,
  environment: Environment,
  value: OptionValue | undefined,
): readonly string[] | undefined => {
  const text = environment[variableOf(name)]
  if (text === '' && value?.isNeverEmpty)
    throw new PlantMockError(
      `The variable ${variableOf(name)} is empty. Give it a value, or remove it: env -u ${variableOf(name)}.`,
    )
  if (!text || name === 'help' || name === 'version') return undefined
  return value?.repeatable ? text.split(',').filter((part) => part !== '') : [text]
}

const otherWords: Readonly<Record<string, string>> = {
  mock: 'serve',
  start: 'serve',
  openapi: 'assumptions',
  delay: 'latency',
}

const meant = (word: string, known: readonly string[], prefix?: string): string => {
  const other = otherWords[word] ?? ''
  return suggestion(known.includes(other) ? other : word, known, prefix)
}

export const commandNamed = (word: string, nextWord = ''): CliCommand => {
  if (Object.hasOwn(commands, word)) return word as CliCommand
  const hint = operandHint(word) || operandHint(nextWord) || meant(word, allCommands)
  throw unknown(`command "${word}"`, hint, 'plant-mock help')
}

const unknownOption = (rawName: string, command: CliCommand | undefined): PlantMockError => {
  const name = rawName.replace(/^-+/, '')
  const known = command === undefined ? [...optionRows.keys()] : optionsOf(command).map(([option]) => option)
  const help = command === undefined ? 'plant-mock help' : `plant-mock help ${command}`
  return unknown(`option ${rawName}`, meant(name, known, '--'), help)
}

const unknown = (name: string, hint: string, help: string): PlantMockError =>
  new PlantMockError(`Unknown ${name}.${hint || ` "${help}" lists the known ones.`}`)

const operandHint = (word: string, command: CliCommand = 'serve'): string => {
  const isNumber = /^\d+$/.test(word)
  if (isNumber && command === 'generate') return ` To generate this many: plant-mock generate --plants ${word}`
  if (command !== 'serve') return ''
  if (isNumber) return ` To listen on this port: plant-mock --port ${word}`
  if (/\.(?:[cm]?[jt]s|json[5c]|[ct]sv)$/.test(word))
    return ` To serve the plants of a file, write them as JSON: plant-mock --fixtures plants.json`
  if (!/\.(?:json|ndjson|ya?ml|har)$/.test(word)) return ''
  const file = shellWord(word)
  const others = word.endsWith('.ndjson')
    ? ''
    : `. To follow an OpenAPI document or a HAR file: plant-mock --assumptions ${file}`
  return ` To serve the plants of a file: plant-mock --fixtures ${file}${others}`
}
