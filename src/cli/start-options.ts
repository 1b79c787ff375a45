import { garden } from '../core/fixtures/garden.ts'
import { PlantTable, plantTable } from '../core/store/plant-table.ts'
import type { StartOptions, Tls } from '../server/start/options.ts'
import type { UpstreamOptions } from '../server/upstream/upstream.ts'
import { PlantMockError } from '../util/errors.ts'
import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import { pauses } from '../util/pauses.ts'
import type { Values } from './options.ts'

/**
 * Maps command line options to the options of `startPlantMock`.
 * @throws PlantMockError for files that cannot be used.
 */
export const startOptions = async (values: Values): Promise<StartOptions> => {
  const { port = 4010, host, token, seed, latency, 'fail-rate': failRate, 'control-key': controlKey, persist } = values
  const upstream = upstreamOptions(values)
  const tls = await readTls(values)
  const callers = await readTokensMap(values)
  const ofMock = { tokens: token, seed, latency, failRate, callers, persist }
  return defined({ port, host, controlKey, upstream, tls, ...ofMock })
}

/** Leaves out properties without a value, because options may be absent but not `undefined`. */
const defined = <T extends object>(options: T) =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>
  }

const upstreamOptions = (values: Values): UpstreamOptions | undefined => {
  const { upstream: url, 'upstream-for': forwarded, timeout: seconds, check, record } = values
  const allowOrigins = values['allow-origin']
  if (url === undefined) return undefined
  const timeout = seconds === undefined ? undefined : seconds * 1_000
  return { url, ...defined({ for: forwarded, timeout, check, record, allowOrigins }) }
}

const readTls = async ({ cert, key }: Values): Promise<Tls | undefined> => {
  if (cert === undefined || key === undefined) return undefined
  return { cert: await read(cert, '--cert'), key: await read(key, '--key') }
}

/** The message repeats neither the file nor the parser's message, which quotes it: the file holds tokens. */
const readTokensMap = async ({ 'tokens-map': file }: Values): Promise<Readonly<Record<string, string>> | undefined> => {
  if (file === undefined) return undefined
  const map = jsonOrUndefined(await read(file, '--tokens-map'))
  if (isJsonObject(map)) return map as Readonly<Record<string, string>>
  throw new PlantMockError(`The file ${file} of --tokens-map must be a JSON object of names and tokens.`)
}

const read = async (file: string, option: string): Promise<string> => {
  // perf: imported on demand, because few servers read files; `npm run bench` measures the start of `serve`.
  const { readFile } = await import('node:fs/promises')
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'does not exist' : `cannot be read: ${error.message}`
    throw new PlantMockError(`The file ${file} of ${option} ${reason}.`)
  })
}

/** The plants that a server starts with. */
export type PlantSource = {
  /** The fixture files; without `--watch`, none for garden. */
  readonly files: readonly string[]
  /** The source in words, such as `garden and 5 generated with seed 1`. */
  readonly description: string
  readonly load: () => Promise<PlantTable>
}

/**
 * Determines the plants from `--fixtures`, `--plants`, `--seed` and `--token`.
 * @throws PlantMockError for an unknown fixture.
 */
export const plantSource = async (values: Values): Promise<PlantSource> => {
  const { fixtures, plants, seed = 1, token = [], watch = false } = values
  const names = fixtures ?? (plants === undefined ? ['garden'] : [])
  // perf: loading a file and the modules that read it takes longer; `npm run bench` measures the start of `serve`.
  const isBuiltIn = !watch && names.every((name) => name === 'garden')
  const { files, load } = isBuiltIn ? builtIn(names) : await inFiles(names)
  return {
    files,
    description: [...names, ...(plants === undefined ? [] : [`${plants} generated with seed ${seed}`])].join(' and '),
    load: async () => {
      const loaded = await load()
      if (plants === undefined) return loaded
      // perf: imported on demand, because few commands need it; `npm run bench` measures the start of `serve`.
      const { plantFactory } = await import('../core/fixtures/factory.ts')
      let highestId = 0
      for (const { id = 0 } of loaded) highestId = Math.max(highestId, id)
      const table = new PlantTable()
      for (const plant of loaded) table.push(plant)
      const generate = plantFactory({ seed, tokens: token, firstId: highestId + 1 })
      const pause = pauses()
      for (let count = 0; count < plants; count++) {
        table.push(generate())
        await pause()
      }
      return table
    },
  }
}

type Fixtures = Pick<PlantSource, 'files' | 'load'>

const builtIn = (names: readonly string[]): Fixtures => ({
  files: [],
  load: async () => plantTable(names.flatMap(() => garden)),
})

const inFiles = async (names: readonly string[]): Promise<Fixtures> => {
  const { findFixtureFile, loadFixtureTable } = await import('../server/files/load-fixtures.ts')
  return { files: await Promise.all(names.map(findFixtureFile)), load: () => loadFixtureTable(names) }
}
