import type { AssumptionId } from '../../core/assumptions/registry.ts'
import { isJsonObject } from '../../util/json.ts'
import type { EvidenceLine } from '../shadows/evidence.ts'
import { type Ignored, readLines } from '../suite/read-lines.ts'

/** The evidence that the mocks of one run wrote to its folder. */
export type Evidence = {
  /** How many exchanges reached a mock. */
  readonly exchanges: number
  readonly sightings: readonly Sighting[]
  readonly differences: readonly DifferenceSighting[]
  /** The assumptions that code of the suite sets itself, at least sometimes. */
  readonly fixed: ReadonlySet<AssumptionId>
  /** Lines that are none of a mock. */
  readonly ignored?: Ignored | undefined
}

/** Alternatives that would change a response, and when it was sent. */
export type Sighting = Extract<EvidenceLine, { type: 'visible' }>

/** How a response differs, and when it was sent. */
export type DifferenceSighting = Extract<EvidenceLine, { type: 'difference' }>

/** Reads the evidence in a folder. */
export const readEvidence = async (folder: string): Promise<Evidence> => {
  const { logs, ignored } = await readLines(folder, /^mock-.*\.ndjson$/, evidenceLine)
  const lines = logs.flat()
  return {
    exchanges: lines.filter(({ type }) => type === 'exchange').length,
    sightings: lines.filter((line) => line.type === 'visible'),
    differences: lines.filter((line) => line.type === 'difference'),
    fixed: new Set(lines.flatMap((line) => (line.type === 'fixed' ? line.ids : []))),
    ignored,
  }
}

/** The members of each type of line. */
const contents: Readonly<Record<EvidenceLine['type'], (line: Readonly<Record<string, unknown>>) => boolean>> = {
  exchange: () => true,
  visible: ({ alternatives, lifetime = 0 }) =>
    Number.isInteger(lifetime) &&
    (alternatives === 'all' || (Array.isArray(alternatives) && alternatives.every(Number.isInteger))),
  fixed: ({ ids }) => isTexts(ids),
  difference: ({ id, request, diff, exchange = 0, name = '' }) =>
    isTexts([id, request, name]) && isTexts(diff) && Number.isInteger(exchange),
}

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every((one) => typeof one === 'string')

const evidenceLine = (value: unknown): EvidenceLine | undefined => {
  if (!isJsonObject(value) || typeof value.type !== 'string' || !Object.hasOwn(contents, value.type)) return undefined
  const { type, pid, since, at, file } = value
  const isOfVersion = [pid, since, at].every(Number.isFinite) && (file === undefined || typeof file === 'string')
  return isOfVersion && contents[type as EvidenceLine['type']](value) ? (value as EvidenceLine) : undefined
}
