import { environmentAssume, parseAssume } from '../core/assumptions/parse.ts'
import { resolveAssumptions } from '../core/assumptions/resolve.ts'
import type { StartOptions } from '../server/start/options.ts'
import type { UpstreamOptions } from '../server/upstream/upstream.ts'
import { PlantMockError } from '../util/errors.ts'
import { isJsonObject, parseJson } from '../util/json.ts'
import type { CommandLine, Terminal } from './command.ts'
import type { Values } from './options.ts'

export const startOptions = async (values: Values): Promise<StartOptions> => {
  const { port = 4010, host, token, seed, latency, 'fail-rate': failRate, 'control-key': controlKey, persist } = values
  const upstream = upstreamOptions(values)
  const { cert, key } = values
  const tls =
    cert === undefined || key === undefined
      ? undefined
      : { cert: await read(cert, '--cert'), key: await read(key, '--key') }
  const callers = await readTokensMap(values)
  const ofMock = { tokens: token, seed, latency, failRate, callers, persist }
  const allowOrigins = values['allow-origin']
  const basePath = values['base-path']
  return defined({ port, host, controlKey, basePath, allowOrigins, upstream, tls, ...ofMock })
}

/** Removes undefined options, which `exactOptionalPropertyTypes` forbids. */
const defined = <T extends object>(options: T) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>
  }

const upstreamOptions = (values: Values): UpstreamOptions | undefined => {
  const { upstream: url, 'upstream-for': forwarded, timeout: seconds, check, record } = values
  if (url === undefined) return undefined
  const timeout = seconds === undefined ? undefined : seconds * 1_000
  return { url, ...defined({ for: forwarded, timeout, check, record }) }
}

/** Error messages never quote the file of --tokens-map, because the file contains tokens. */
const readTokensMap = async ({ 'tokens-map': file }: Values): Promise<Readonly<Record<string, string>> | undefined> => {
  if (file === undefined) return undefined
  const parsed = parseJson((await read(file, '--tokens-map')).replace(/^\uFEFF/, ''))
  if ('error' in parsed) throw new PlantMockError(`The file ${file} of --tokens-map is not JSON: ${parsed.error}.`)
  if (isJsonObject(parsed.value)) return parsed.value as Readonly<Record<string, string>>
  throw new PlantMockError(`The file ${file} of --tokens-map must be a JSON object of names and tokens.`)
}

const read = async (file: string, option: string): Promise<string> => {
  // perf: imports on demand, because few servers read files (`npm run bench`, start of `serve`).
  const { readFile } = await import('node:fs/promises')
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`
    throw new PlantMockError(`The file ${file} of ${option} ${reason}.`)
  })
}

export const assumptionsOf = async (
  { command, values, flags }: CommandLine,
  { environment }: Pick<Terminal, 'environment'>,
) => {
  const { assumptions: file, token } = values
  return resolveAssumptions(
    {
      file: file === undefined ? undefined : await (await import('../verify/sources/load.ts')).loadAssumptions(file),
      // With `verify`, --token goes to a service. With other commands, --token lists the tokens that the mock accepts.
      hasTokens: command !== 'verify' && token !== undefined,
      environment: environmentAssume(environment),
      // Reads `flags`, because `values.assume` also contains the assumptions of `PLANT_MOCK_ASSUME`.
      explicit: parseAssume(flags.get('assume') ?? []),
    },
    'flag',
  )
}
