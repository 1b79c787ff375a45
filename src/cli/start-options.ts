import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Respond } from '../server/handlers-first.ts'
import type { StartOptions } from '../server/options.ts'
import type { Tls } from '../server/tls.ts'
import type { UpstreamOptions } from '../upstream/options.ts'
import { PlantMockError } from '../util/errors.ts'
import type { Values } from './options.ts'

/**
 * What a server is told by options of one and the same meaning.
 * @throws PlantMockError for options that do not go together, and for files that cannot be used.
 */
export const startOptions = async (values: Values): Promise<StartOptions> => {
  const { port = 4010, host, token, seed, latency, persist } = values
  const upstream = upstreamOptions(values)
  if (persist !== undefined && upstream?.for !== undefined && upstream.for !== 'rest')
    throw new PlantMockError(
      `With --upstream-for ${upstream.for} plants are at the upstream, and not in a file: leave that out, or --persist.`,
    )
  const tls = await tlsFrom(values)
  const callers = values['tokens-map'] === undefined ? undefined : await readTokensMap(values['tokens-map'])
  return {
    port,
    ...(host !== undefined && { host }),
    ...(token !== undefined && { tokens: token }),
    ...(seed !== undefined && { seed }),
    ...(latency !== undefined && { latency }),
    ...(values['fail-rate'] !== undefined && { failRate: values['fail-rate'] }),
    ...(values['control-key'] !== undefined && { controlKey: values['control-key'] }),
    ...(upstream !== undefined && { upstream }),
    ...(tls !== undefined && { tls }),
    ...(callers !== undefined && { callers }),
    ...(persist !== undefined && { persist }),
  }
}

const upstreamOptions = (values: Values): UpstreamOptions | undefined => {
  const { upstream: url, 'upstream-for': what, 'upstream-timeout': seconds, check, record, fallback } = values
  if (url === undefined) {
    const [needless] = (['upstream-for', 'upstream-timeout', 'check', 'record', 'fallback'] as const).filter(
      (name) => values[name] !== undefined && values[name] !== false,
    )
    if (needless !== undefined) throw new PlantMockError(`--${needless} needs --upstream URL.`)
    return undefined
  }
  return {
    url,
    ...(what !== undefined && { for: what }),
    ...(seconds !== undefined && { timeout: seconds * 1_000 }),
    ...(check !== undefined && { check }),
    ...(record !== undefined && { record }),
    ...(fallback !== undefined && { fallback }),
  }
}

const tlsFrom = async ({ cert, key }: Values): Promise<Tls | undefined> => {
  if (cert === undefined && key === undefined) return undefined
  if (cert === undefined || key === undefined)
    throw new PlantMockError('HTTPS needs both --cert FILE and --key FILE.')
  return { cert: await read(cert, '--cert'), key: await read(key, '--key') }
}

const read = (file: string, option: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`
    throw new PlantMockError(`The file ${file} of ${option} ${reason}.`)
  })

/** What is wrong is said without a word of the file's text: it holds tokens. */
const readTokensMap = async (file: string): Promise<Readonly<Record<string, string>>> => {
  const text = await read(file, '--tokens-map')
  const map = parse(text)
  if (typeof map === 'object' && map !== null && !Array.isArray(map)) return map as Record<string, string>
  throw new PlantMockError(`The file ${file} of --tokens-map must be a JSON object of names and tokens.`)
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** Handlers of a module that can be loaded anew; until that succeeds, the old ones answer. */
export type Handlers = {
  readonly file: string
  readonly respond: Respond
  readonly load: () => Promise<void>
}

/** @throws PlantMockError when the module cannot be used. */
export const openHandlers = async (given: string): Promise<Handlers> => {
  const file = resolve(given)
  const { loadHandlers } = await import('../server/load-handlers.ts')
  let respond = await loadHandlers(given)
  return {
    file,
    respond: (request) => respond(request),
    load: async () => {
      respond = await loadHandlers(given)
    },
  }
}
