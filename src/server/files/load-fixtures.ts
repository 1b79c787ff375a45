import { open, readFile, stat } from 'node:fs/promises'
import { extname, join } from 'node:path'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import { ndjsonParser, parseJsonFixtures } from '../../core/fixtures/parse.ts'
import type { OnNotice } from '../../core/fixtures/rows.ts'
import { namesIn, shippedNames } from '../../core/mock/shipped.ts'
import { Plants } from '../../core/model/plants.ts'
import { PlantMockError, unreadable } from '../../util/errors.ts'
import { pauses } from '../../util/pauses.ts'
import { suggestion } from '../../util/words.ts'
import { LineBuffer, lineDecoder } from './lines.ts'
import { packageFile } from './package-folder.ts'

/** Returns the names of the shipped fixtures, such as `garden`, in alphabetical order. */
export const shippedFixtures = async (): Promise<string[]> => [...shippedNames]

export const findFixtureFile = async (nameOrPath: string): Promise<string> => {
  if (typeof nameOrPath !== 'string')
    throw new PlantMockError('Fixtures are names or paths of files, such as "garden" or "plants.json".')
  if (/^[\w-]+$/.test(nameOrPath)) {
    if (shippedNames.includes(nameOrPath)) return join(packageFile('fixtures') ?? '.', `${nameOrPath}.json`)
    throw new PlantMockError(
      `Unknown fixture "${nameOrPath}".${suggestion(nameOrPath, shippedNames)} ` +
        `Shipped fixtures: ${shippedNames.join(', ')}. The path of a file must end in ${listedExtensions}.`,
    )
  }
  if (formatOf(nameOrPath) !== '.ndjson' && !Object.hasOwn(parsers, formatOf(nameOrPath)))
    throw new PlantMockError(
      `The fixture file ${nameOrPath || 'with the empty name'} must end in ${listedExtensions}, because no other format is read. ` +
        'Convert it to JSON such as [{"name":"Mint","tag":"herb"}].',
    )
  await stat(nameOrPath).catch((error: unknown) => {
    throw unreadable('fixture', nameOrPath, error)
  })
  return nameOrPath
}

const formatOf = (file: string): string => extname(file.replace(/(?:\.har\.gz|\.zip)$/, '.har'))

type Parse = (text: string, source: string, onNotice: OnNotice, isNewestFirst: boolean) => Iterable<FixturePlant>

const parsers: Readonly<Record<string, () => Promise<Parse>>> = {
  '.json': async () => parseJsonFixtures,
  '.yaml': async () => (await import('../../core/fixtures/yaml.ts')).parseYamlFixtures,
  '.yml': async () => (await import('../../core/fixtures/yaml.ts')).parseYamlFixtures,
  '.har': async () => {
    const [{ parseHarFixtures }, { recordedBodies }] = await Promise.all([
      import('../../core/fixtures/har.ts'),
      import('./har-text.ts'),
    ])
    return (text, source, onNotice, isNewestFirst) =>
      parseHarFixtures(text, source, onNotice, recordedBodies(source), isNewestFirst)
  },
}
const listedExtensions = '.json, .ndjson, .yaml, .yml or .har'

/**
 * Loads fixtures in the given order. Writes a notice to `console.info` if a file contains unknown members.
 * @param namesOrPaths Names of shipped fixtures, or paths of fixture files.
 * @throws PlantMockError that names the file, the position and the reason.
 */
export const loadFixtures = async (...namesOrPaths: readonly string[]): Promise<FixturePlant[]> => [
  ...(await loadPlants(namesOrPaths)).toJSON(),
]

export const loadPlants = async (
  namesOrPaths: readonly string[],
  onNotice: OnNotice = inform,
  isNewestFirst = false,
): Promise<Plants> => {
  const plants = Plants.builder()
  const notices: string[] = []
  for (const nameOrPath of namesOrPaths) {
    const file = await findFixtureFile(nameOrPath)
    try {
      await readPlants(file, plants.push, (text) => notices.push(text), isNewestFirst)
    } catch (error) {
      throw error instanceof PlantMockError ? error : unreadable('fixture', file, error)
    }
  }
  for (const text of notices) onNotice(text)
  return plants.build()
}

const inform = (text: string): void => console.info(`plant-mock: ${text}`)

/** Plants, or names of shipped fixtures, or paths of fixture files. */
export type Fixtures = Iterable<FixturePlant> | string | readonly string[]

export const plantsIn = async (fixtures: Fixtures, onNotice?: OnNotice): Promise<Iterable<FixturePlant>> => {
  const names = namesIn(fixtures)
  return names === undefined ? (fixtures as Iterable<FixturePlant>) : loadPlants(names, onNotice)
}

const readPlants = async (
  file: string,
  add: (plant: FixturePlant) => void,
  onNotice: OnNotice,
  isNewestFirst: boolean,
): Promise<void> => {
  if (file.endsWith('.ndjson')) {
    const parse = ndjsonParser(add, file)
    const [decode, lines] = [lineDecoder(), new LineBuffer()]
    const handle = await open(file)
    try {
      for (;;) {
        const { bytesRead } = await handle.read(lines.chunk)
        if (bytesRead === 0) break
        parse(decode(lines.fill(bytesRead)))
      }
      parse(decode(lines.rest))
    } finally {
      await handle.close()
    }
    return
  }
  const bytes = await readFile(file)
  const text = lineDecoder()(formatOf(file) === '.har' ? (await import('./har-text.ts')).unpacked(bytes, file) : bytes)
  const parse = await parsers[formatOf(file)]?.()
  const pause = pauses()
  let count = 0
  for (const plant of parse?.(text, file, onNotice, isNewestFirst) ?? []) {
    add(plant)
    if (++count % 100 === 0) await pause()
  }
}
