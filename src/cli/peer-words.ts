import type { CliCommand } from './commands.ts'
import { flagText, optionRows, type Values } from './options.ts'

/** Mock servers whose options and commands somebody may type here. */
type Peer = 'Prism' | 'json-server' | 'Mockoon' | 'WireMock' | 'MSW'

type PeerRow = {
  readonly peers: readonly Peer[]
  /** The options that do the same here, by name. */
  readonly options?: readonly (keyof Values)[]
  /** The equivalent where it is no option, and anything else to know. */
  readonly advice?: string
}

const cors = 'Pages of every origin may use /plants; nothing turns that on or off.'
const requests = 'Each request is logged, and the dashboard at /__plant-mock/ shows it whole.'

/** Options of other mock servers, by name without dashes, with their equivalents. */
const peerOptions: Readonly<Record<string, PeerRow>> = {
  delay: { peers: ['json-server'], options: ['latency'] },
  'enable-random-latency': { peers: ['Mockoon'], options: ['latency'] },
  data: { peers: ['Mockoon'], options: ['fixtures'] },
  'root-dir': { peers: ['WireMock'], options: ['fixtures'] },
  dynamic: { peers: ['Prism'], options: ['plants', 'seed'] },
  'faker-seed': { peers: ['Mockoon'], options: ['seed'] },
  hostname: { peers: ['Mockoon'], options: ['host'] },
  'bind-address': { peers: ['WireMock'], options: ['host'] },
  routes: { peers: ['json-server'], options: ['handlers'] },
  middlewares: { peers: ['json-server'], options: ['handlers'] },
  extensions: { peers: ['WireMock'], options: ['handlers'] },
  snapshots: { peers: ['json-server'], options: ['persist'] },
  'proxy-all': { peers: ['WireMock'], options: ['upstream', 'upstream-for'] },
  proxy: { peers: ['Mockoon'], options: ['upstream', 'upstream-for'] },
  'proxy-timeout': { peers: ['WireMock'], options: ['upstream-timeout'] },
  'record-mappings': {
    peers: ['WireMock'],
    options: ['record'],
    advice: 'It needs --upstream URL --upstream-for all.',
  },
  'validate-request': { peers: ['Prism'], options: ['check'], advice: 'It needs --upstream URL --upstream-for all.' },
  errors: { peers: ['Prism'], options: ['check'], advice: '--check=strict responds with 502 to violations.' },
  'https-port': { peers: ['WireMock'], options: ['port', 'cert', 'key'] },
  'https-keystore': { peers: ['WireMock'], options: ['cert', 'key'] },
  'admin-api-basic-auth': { peers: ['WireMock'], options: ['control-key'] },
  'disable-request-logging': { peers: ['WireMock'], options: ['quiet'] },
  'disable-banner': { peers: ['WireMock'], options: ['quiet'] },
  cors: { peers: ['Prism'], advice: cors },
  'no-cors': { peers: ['json-server'], advice: cors },
  'enable-stub-cors': { peers: ['WireMock'], advice: cors },
  verbose: { peers: ['WireMock'], advice: requests },
  'verbose-level': { peers: ['Prism'], advice: requests },
  'log-transaction': { peers: ['Mockoon'], advice: requests },
  'print-all-network-traffic': { peers: ['WireMock'], advice: requests },
  config: {
    peers: ['json-server'],
    advice:
      'Environment variables set options, such as PLANT_MOCK_PORT for --port; --assumptions FILE sets assumptions.',
  },
}

/** Commands of other mock servers, with what to type instead. */
const peerCommands: Readonly<Record<string, { readonly peers: readonly Peer[]; readonly command: string }>> = {
  mock: { peers: ['Prism'], command: 'plant-mock' },
  start: { peers: ['Mockoon'], command: 'plant-mock' },
  proxy: { peers: ['Prism'], command: 'plant-mock --upstream URL --upstream-for all --check' },
  init: { peers: ['MSW'], command: 'npx msw init public' },
}

/** `verboseLevel` as `verbose-level`. */
const inDashes = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/**
 * A hint at the equivalent of an option of another mock server; empty for any other word, and for a command that takes no
 * equivalent.
 * @param command `undefined` when options come before the command.
 */
export const peerOptionHint = (name: string, command: CliCommand = 'serve'): string => {
  const key = inDashes(name)
  if (!Object.hasOwn(peerOptions, key)) return ''
  const { options = [], advice = '' } = peerOptions[key] as PeerRow
  const taken = options.filter((option) => optionRows.get(option)?.commands.includes(command))
  if (taken.length === 0 && (options.length > 0 || !servers.includes(command))) return ''
  const use = taken.length === 0 ? '' : ` Use ${listed(taken.flatMap(flagsOf))}.`
  return advice === '' ? use : `${use} ${advice}`
}

/** The commands that advice without an option is for. */
const servers: readonly CliCommand[] = ['serve', 'run']

/** A hint at the equivalent of a command of another mock server, or of a file; empty for any other word. */
export const peerCommandHint = (word: string): string => {
  if (Object.hasOwn(peerCommands, word)) return ` Use "${peerCommands[word]?.command}".`
  if (/^\d+$/.test(word)) return ` To listen on this port: plant-mock --port ${word}`
  return /\.(?:json|ndjson)$/.test(word) ? ` To serve the plants of a file: plant-mock --fixtures ${word}` : ''
}

const flagsOf = (name: keyof Values): readonly string[] => {
  const row = optionRows.get(name)
  return row === undefined ? [] : [flagText(name, row)]
}

const listed = (parts: readonly string[]): string =>
  parts.length < 2 ? parts.join() : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
