import { PlantMockError } from '../util/errors.ts'
import { suggestion } from '../util/words.ts'
import { allCommands, type CliCommand, commands } from './commands.ts'
import { flagText, optionRows, optionsOf, type Values } from './options.ts'

/** @throws PlantMockError that leads to a known command. */
export const commandNamed = (word: string): CliCommand => {
  if (Object.hasOwn(commands, word)) return word as CliCommand
  throw unknown(`command "${word}"`, peerCommandHint(word) || suggestion(word, allCommands), 'plant-mock help')
}

/**
 * The error for an option that no command has. It leads to the equivalent of an option of another mock server, or to the
 * closest one that the command takes.
 * @param rawName As written, with dashes.
 * @param command `undefined` when options come before the command.
 */
export const unknownOption = (rawName: string, command: CliCommand | undefined): PlantMockError => {
  const name = rawName.replace(/^-+/, '')
  const known = command === undefined ? [...optionRows.keys()] : optionsOf(command).map(([option]) => option)
  const help = command === undefined ? 'plant-mock help' : `plant-mock help ${command}`
  return unknown(`option ${rawName}`, peerOptionHint(name, command) || suggestion(name, known, '--'), help)
}

const unknown = (name: string, hint: string, help: string): PlantMockError =>
  new PlantMockError(`Unknown ${name}.${hint || ` "${help}" lists the known ones.`}`)

type PeerOption = {
  /** The options that do the same here, by name. */
  readonly options?: readonly (keyof Values)[]
  /** The equivalent where it is no option, and anything else to know. */
  readonly advice?: string
}

const cors = 'Pages of every origin may use /plants; nothing turns that on or off.'
const requests = 'Each request is logged, and the dashboard at /__plant-mock/ shows it whole.'

/** Options of other mock servers, by name without dashes, with their equivalents. */
export const peerOptions: Readonly<Record<string, PeerOption>> = {
  // Prism
  dynamic: { options: ['plants', 'seed'] },
  'validate-request': { options: ['check'], advice: 'It needs --upstream URL --upstream-for all.' },
  errors: { options: ['check'], advice: '--check=strict responds with 502 to violations.' },
  cors: { advice: cors },
  'verbose-level': { advice: requests },
  // json-server
  delay: { options: ['latency'] },
  routes: { options: ['handlers'] },
  middlewares: { options: ['handlers'] },
  snapshots: { options: ['persist'] },
  'no-cors': { advice: cors },
  config: {
    advice:
      'Environment variables set options, such as PLANT_MOCK_PORT for --port; --assumptions FILE sets assumptions.',
  },
  // Mockoon
  'enable-random-latency': { options: ['latency'] },
  data: { options: ['fixtures'] },
  'faker-seed': { options: ['seed'] },
  hostname: { options: ['host'] },
  proxy: { options: ['upstream', 'upstream-for'] },
  'log-transaction': { advice: requests },
  // WireMock
  'root-dir': { options: ['fixtures'] },
  'bind-address': { options: ['host'] },
  extensions: { options: ['handlers'] },
  'proxy-all': { options: ['upstream', 'upstream-for'] },
  'proxy-timeout': { options: ['upstream-timeout'] },
  'record-mappings': { options: ['record'], advice: 'It needs --upstream URL --upstream-for all.' },
  'https-port': { options: ['port', 'cert', 'key'] },
  'https-keystore': { options: ['cert', 'key'] },
  'admin-api-basic-auth': { options: ['control-key'] },
  'disable-request-logging': { options: ['quiet'] },
  'disable-banner': { options: ['quiet'] },
  'enable-stub-cors': { advice: cors },
  'print-all-network-traffic': { advice: requests },
}

/** Commands of other mock servers, with what to type instead. */
const peerCommands: Readonly<Record<string, string>> = {
  // Prism
  mock: 'plant-mock',
  proxy: 'plant-mock --upstream URL --upstream-for all --check',
  // Mockoon
  start: 'plant-mock',
  // MSW
  init: 'npx msw init public',
}

/** `verboseLevel` as `verbose-level`. */
const inDashes = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * A hint at the equivalent of an option of another mock server; empty for any other word, and for a command that takes no
 * equivalent.
 * @param command `undefined` when options come before the command.
 */
const peerOptionHint = (name: string, command: CliCommand = 'serve'): string => {
  const key = inDashes(name)
  if (!Object.hasOwn(peerOptions, key)) return ''
  const { options = [], advice = '' } = peerOptions[key] as PeerOption
  const taken = options.filter((option) => optionRows.get(option)?.commands.includes(command))
  if (taken.length === 0 && (options.length > 0 || !servers.includes(command))) return ''
  const use = taken.length === 0 ? '' : ` Use ${listed(taken.flatMap(flagsOf))}.`
  return advice === '' ? use : `${use} ${advice}`
}

/** The commands that advice without an option is for. */
const servers: readonly CliCommand[] = ['serve', 'run']

/** A hint at the equivalent of a command of another mock server, or of a file; empty for any other word. */
const peerCommandHint = (word: string): string => {
  if (Object.hasOwn(peerCommands, word)) return ` Use "${peerCommands[word]}".`
  if (/^\d+$/.test(word)) return ` To listen on this port: plant-mock --port ${word}`
  return /\.(?:json|ndjson)$/.test(word) ? ` To serve the plants of a file: plant-mock --fixtures ${word}` : ''
}

const flagsOf = (name: keyof Values): readonly string[] => {
  const row = optionRows.get(name)
  return row === undefined ? [] : [flagText(name, row)]
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
