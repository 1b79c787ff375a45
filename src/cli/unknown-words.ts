import { PlantMockError } from '../util/errors.ts'
import { shellWord } from '../util/shell.ts'
import { suggestion } from '../util/words.ts'
import { allCommands, type CliCommand, commands } from './commands.ts'
import { optionRows, optionsOf } from './options.ts'

/** Maps words of other mock servers to a command or option of plant-mock. */
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

/** @throws PlantMockError for an unknown word, with a suggestion. */
export const commandNamed = (word: string, nextWord = ''): CliCommand => {
  if (Object.hasOwn(commands, word)) return word as CliCommand
  const hint = operandHint(word) || operandHint(nextWord) || meant(word, allCommands)
  throw unknown(`command "${word}"`, hint, 'plant-mock help')
}

/** @param command `undefined` when options come before the command. */
export const unknownOption = (rawName: string, command: CliCommand | undefined): PlantMockError => {
  const name = rawName.replace(/^-+/, '')
  const known = command === undefined ? [...optionRows.keys()] : optionsOf(command).map(([option]) => option)
  const help = command === undefined ? 'plant-mock help' : `plant-mock help ${command}`
  return unknown(`option ${rawName}`, meant(name, known, '--'), help)
}

const unknown = (name: string, hint: string, help: string): PlantMockError =>
  new PlantMockError(`Unknown ${name}.${hint || ` "${help}" lists the known ones.`}`)

export const operandHint = (word: string, command: CliCommand = 'serve'): string => {
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
