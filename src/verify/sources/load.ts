import { readFile, stat } from 'node:fs/promises'
import { layerOf, readLearned, settingsOf } from '../../core/assumptions/file.ts'
import type { AssumptionLayer } from '../../core/assumptions/resolve.ts'
import { withoutUserInfos } from '../../core/http/address.ts'
import { maxRecording, unpacked } from '../../server/files/har-text.ts'
import { fetchFailure, PlantMockError, unreadable } from '../../util/errors.ts'
import { isJsonObject, parseJson } from '../../util/json.ts'
import { shellWord } from '../../util/shell.ts'
import { shorten } from '../../util/text.ts'
import type { Source } from './source.ts'

const readTraffic = async (value: unknown, file: string): Promise<Source> =>
  (await import('./recording.ts')).readRecording(value, file)

const kinds: Readonly<Record<string, (value: unknown, file: string, isFile: boolean) => Source | Promise<Source>>> = {
  assumptions: (value, file) => ({ file, kind: 'learned', notes: [], ...readLearned(value, file) }),
  log: readTraffic,
  requests: readTraffic,
  openapi: async (value, file, isFile) => {
    const { readDocument } = await import('./document.ts')
    return readDocument(value, file, isFile ? (await import('./beside.ts')).filesBeside(file) : undefined)
  },
  swagger: (_, file) => {
    throw new PlantMockError(
      `${file} is a Swagger 2.0 document. Convert it to OpenAPI 3 first: npx swagger2openapi ${shorten(file)}`,
    )
  },
}

/** Maximum characters of a file, because parsed YAML needs about 80 times its size in memory. */
const maxYamlLength = 8 * 1024 * 1024

export const loadSource = async (from: string, purpose = 'source'): Promise<Source> => {
  const isFile = from !== '-' && !/^https?:\/\//i.test(from)
  const file = isFile ? from : from === '-' ? 'standard input' : withoutUserInfos(from)
  const value = await parse(await read(from, file, isFile, purpose), file)
  const kind = isJsonObject(value) ? Object.keys(kinds).find((member) => Object.hasOwn(value, member)) : undefined
  const readKind = kind === undefined ? undefined : kinds[kind]
  if (readKind === undefined)
    throw new PlantMockError(
      `${file} has no object "assumptions", and is neither an OpenAPI document, a HAR file nor a request log. Write {"assumptions": {"create.status": 200}}.`,
    )
  return readKind(value, file, isFile)
}

/**
 * Loads the assumptions that a file sets: an assumptions file, an OpenAPI document or a recording.
 * @throws PlantMockError that names the file, the place and the reason.
 */
export const loadAssumptions = async (file: string): Promise<AssumptionLayer> => {
  const { entries, kind, file: name } = await loadSource(file, 'assumptions')
  if (kind !== 'learned' && Object.keys(settingsOf(entries)).length === 0)
    throw new PlantMockError(`${name} sets no assumption. "plant-mock learn ${shellWord(name)}" says why.`)
  return layerOf(entries, name)
}

const read = async (from: string, name: string, isFile: boolean, purpose: string): Promise<string> => {
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  try {
    if (!isFile) return utf8.decode(await readElsewhere(from, name))
    const { size } = await stat(from)
    if (size > maxRecording) throw new PlantMockError(`${from} has ${size} bytes; at most ${maxRecording} can be read.`)
    return utf8.decode(unpacked(await readFile(from), from))
  } catch (error) {
    if (error instanceof TypeError) throw new PlantMockError(`${name} is not UTF-8. Save it as UTF-8.`)
    throw error instanceof PlantMockError ? error : unreadable(purpose, from, error)
  }
}

const readElsewhere = async (source: string, name: string): Promise<Uint8Array> => {
  const chunks: Uint8Array[] = []
  let size = 0
  try {
    for await (const chunk of source === '-' ? process.stdin : await download(source)) {
      size += chunk.length
      if (size > maxRecording) throw new Error(`it has more than ${maxRecording} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    throw new PlantMockError(`${name} cannot be read: ${fetchFailure(error)}.`)
  }
  return Buffer.concat(chunks)
}

const fetchTimeout = 30_000

const download = async (source: string): Promise<AsyncIterable<Uint8Array>> => {
  const url = new URL(source)
  url.username = ''
  url.password = ''
  const { routedFetch } = await import('../ask/routed-fetch.ts')
  const fetchRouted = routedFetch(url.href, fetchTimeout) ?? fetch
  const response = await fetchRouted(url.href, { signal: AbortSignal.timeout(fetchTimeout) })
  if (!response.ok || response.body === null) throw new Error(`it responds with ${response.status}`)
  return response.body
}

const parse = async (text: string, file: string): Promise<unknown> => {
  const json = parseJson(text)
  if ('value' in json) return json.value
  // Checks the extension of the file, because a YAML file may also begin with a brace.
  if (/^\s*[{[]/.test(text) && !/\.ya?ml$/i.test(file)) throw new PlantMockError(`${file} is not JSON: ${json.error}.`)
  if (text.length > maxYamlLength)
    throw new PlantMockError(`${file} has more than ${maxYamlLength} characters of YAML. Convert it to JSON.`)
  const yaml = (await import('../../util/yaml.ts')).parseYaml(text)
  if ('value' in yaml) return yaml.value
  const place = yaml.line === undefined ? '' : ` (line ${yaml.line})`
  throw new PlantMockError(`${file} is not YAML: ${shorten(yaml.error, 200)}${place}.`)
}
