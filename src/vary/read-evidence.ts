import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { AssumptionId } from '../assumptions/registry.ts'
import type { EvidenceLine } from '../mock/evidence.ts'
import { isJsonObject, jsonOrUndefined } from '../util/json.ts'

/** The evidence that the mocks of one run wrote to its folder. */
export type Evidence = {
  /** How many exchanges reached a mock. */
  readonly exchanges: number
  readonly sightings: readonly Sighting[]
  /** The assumptions that code of the suite sets itself, at least sometimes. */
  readonly fixed: ReadonlySet<AssumptionId>
}

/** Alternatives that an answer would have shown. */
export type Sighting = Extract<EvidenceLine, { type: 'visible' }>

/** Reads the evidence in a folder. A last line may be cut, because its process was killed. */
export const readEvidence = async (folder: string): Promise<Evidence> => {
  const names = (await readdir(folder)).filter((name) => /^mock-.*\.ndjson$/.test(name))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .flatMap((line): readonly EvidenceLine[] => {
      const parsed = jsonOrUndefined(line)
      return isJsonObject(parsed) ? [parsed as EvidenceLine] : []
    })
  return {
    exchanges: lines.filter(({ type }) => type === 'exchange').length,
    sightings: lines.filter((line) => line.type === 'visible'),
    fixed: new Set(lines.flatMap((line) => (line.type === 'fixed' ? line.ids : []))),
  }
}
