import { PlantMockError } from '../util/errors.ts'
import type { CommandLine } from './command.ts'

export const optionsOfSuites = ['fixtures', 'jobs', 'results'] as const

export const checkOptions = (line: CommandLine): void => {
  const message = suiteMistake(line) ?? serverMistake(line)
  if (message !== undefined) throw new PlantMockError(message)
}

const excludes = (a: string, b: string, reason: string): string =>
  `${a} and ${b} exclude each other: ${reason}. Remove one of them.`

const suiteMistake = ({ command, values, flags, rest }: CommandLine): string | undefined => {
  const { port = 0, jobs = 1, results, update, accept } = values
  if (rest.length === 0) {
    if (command === 'run') return 'The command is missing. Put it after --: plant-mock run -- npm test'
    if (command === 'vary' || command === 'mutate')
      return `The test command is missing. Put it after --: plant-mock ${command} -- npm test`
    const unused = command === 'diff' ? optionsOfSuites.find((name) => flags.has(name)) : undefined
    if (unused !== undefined) return `--${unused} needs a test command. Put the command after --: -- npm test`
  }
  if (jobs > 1 && port !== 0) return excludes('--port', '--jobs', 'each parallel run needs its own port')
  if (jobs > 1 && results !== undefined) return excludes('--results', '--jobs', 'each parallel run needs its own file')
  return update && accept === undefined ? '--update needs --accept FILE, the file that it writes.' : undefined
}

const serverMistake = ({ command, values, flags }: CommandLine): string | undefined => {
  const { cert, key, store, persist, watch, upstream, 'upstream-for': forwarded } = values
  if ((cert === undefined) !== (key === undefined)) return 'HTTPS needs both --cert FILE and --key FILE.'
  const ofStore = (['store-name', 'store-reset'] as const).find((name) => values[name])
  if (store === undefined && ofStore !== undefined) return `--${ofStore} needs --store URL or PLANT_MOCK_STORE.`
  if (store !== undefined && persist !== undefined) return excludes('--persist', '--store', 'both keep the plants')
  if (store !== undefined && watch)
    return excludes('--watch', '--store', 'all processes of a shared mock need the same fixtures, also after a reload')
  const isGenerated = values.plants !== undefined && (values.fixtures ?? []).length === 0
  if (watch && isGenerated && (values.handlers ?? values.assumptions ?? persist) === undefined)
    return '--watch needs --fixtures, --handlers, --assumptions or --persist, because generated plants have no file to watch.'
  const ofUpstream = (['upstream-for', 'check', 'record'] as const).find((name) => values[name] !== undefined)
  if (upstream === undefined && ofUpstream !== undefined) return `--${ofUpstream} needs --upstream URL.`
  // Ignores `PLANT_MOCK_TIMEOUT`, because servers in a suite inherit the variable from `vary`.
  const isServer = command === 'serve' || command === 'run'
  if (upstream === undefined && isServer && flags.has('timeout')) return '--timeout needs --upstream URL.'
  return persist !== undefined && forwarded === 'all'
    ? excludes('--persist', '--upstream-for all', 'the upstream then stores the plants')
    : undefined
}
