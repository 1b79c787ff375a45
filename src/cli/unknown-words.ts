import { PlantMockError } from '../util/errors.ts'
import { suggestion } from '../util/words.ts'
import { allCommands, type CliCommand, commands } from './commands.ts'
import { optionRows, optionsOf } from './options.ts'

/** @throws PlantMockError for an unknown word, with a suggestion. */
export const commandNamed = (word: string): CliCommand => {
  if (Object.hasOwn(commands, word)) return word as CliCommand
  throw unknown(`command "${word}"`, operandHint(word) || suggestion(word, allCommands), 'plant-mock help')
}

/**
 * The error for an option that no command has. Suggests the closest option of this command.
 * @param rawName As written, with dashes.
 * @param command `undefined` when options come before the command.
 */
export const unknownOption = (rawName: string, command: CliCommand | undefined): PlantMockError => {
  const name = rawName.replace(/^-+/, '')
  const known = command === undefined ? [...optionRows.keys()] : optionsOf(command).map(([option]) => option)
  const help = command === undefined ? 'plant-mock help' : `plant-mock help ${command}`
  return unknown(`option ${rawName}`, suggestion(name, known, '--'), help)
}

const unknown = (name: string, hint: string, help: string): PlantMockError =>
  new PlantMockError(`Unknown ${name}.${hint || ` "${help}" lists the known ones.`}`)

/** A hint for a port or a file, which other mock servers take as arguments; empty for any other word. */
const operandHint = (word: string): string => {
  if (/^\d+$/.test(word)) return ` To listen on this port: plant-mock --port ${word}`
  if (!/\.(?:json|ndjson|ya?ml|har)$/.test(word)) return ''
  const others = word.endsWith('.ndjson')
    ? ''
    : `. To follow an OpenAPI document or a HAR file: plant-mock --assumptions ${word}`
  return ` To serve the plants of a file: plant-mock --fixtures ${word}${others}`
}
