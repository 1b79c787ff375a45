import { access } from 'node:fs/promises'
import type { Pseudonym } from '../../core/contract/caller.ts'
import type { OperationId } from '../../core/contract/operation-ids.ts'
import { type FixturePlant, isSafeId, type Plant } from '../../core/contract/schemas.ts'
import { fixtureText } from '../../core/fixtures/fixture-text.ts'
import type { Redact } from '../../core/http/redact.ts'
import type { CallerRegistry } from '../../core/journal/callers.ts'
import { redactorOf } from '../../core/journal/redact.ts'
import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { loadFixtures } from '../files/load-fixtures.ts'
import { writeFileAtomically } from '../files/write-fixtures.ts'
import type { ObservedResponse } from './handler.ts'
import { mergeSighting, type RecordedSighting } from './merge-recording.ts'

/** Records the responses of the upstream as a fixture file. */
export interface FixtureRecorder {
  observe(observed: ObservedResponse): void
  /** Resolves when everything is written. */
  close(): Promise<void>
}

export type RecorderOptions = {
  readonly file: string
  /** Name the callers that are recorded, never by their tokens. */
  readonly callers: CallerRegistry
  /** Receives a notice when the file cannot be written; the next change tries again. */
  readonly onNotice: (text: string) => void
}

/**
 * Opens a recording. It keeps the plants of the file, and merges those that callers receive. After each change the file
 * is written as a whole, so that it is a valid fixture at any time.
 * @throws PlantMockError for a file that is no fixture or cannot be written.
 */
export const openRecorder = async ({
  file,
  callers: registry,
  onNotice,
}: RecorderOptions): Promise<FixtureRecorder> => {
  if (!file.endsWith('.json')) throw new PlantMockError(`--record writes a .json file, not ${file}.`)
  let plants: readonly FixturePlant[] = (await exists(file)) ? await loadFixtures(file) : []
  const callers = new Set(plants.flatMap(({ access = [] }) => access))
  // Fails early for a file that cannot be written.
  await writeFileAtomically(file, fixtureText(plants)).catch((error: Error) => {
    throw new PlantMockError(`--record cannot write ${file}: ${error.message}.`)
  })

  let written = plants
  let writing: Promise<void> | undefined
  const write = async (): Promise<void> => {
    while (written !== plants) {
      const next = plants
      try {
        await writeFileAtomically(file, fixtureText(next))
        written = next
      } catch (error) {
        onNotice(`the recording ${file} could not be written: ${(error as Error).message}`)
        return
      }
    }
  }

  return {
    observe(observed) {
      const caller = registry.pseudonymOf(observed.caller)
      const sighting = sightings[observed.operation](observed, caller, redactorOf(observed, registry))
      if (sighting === undefined) return
      callers.add(caller)
      plants = mergeSighting(plants, sighting, callers)
      writing ??= write().finally(() => {
        writing = undefined
      })
    },
    async close() {
      await writing
      await write()
    },
  }
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

/** Derives a sighting from a response; `undefined` when it violates the contract. `redact` applies to each text. */
type FindSighting = (observed: ObservedResponse, caller: Pseudonym, redact: Redact) => RecordedSighting | undefined

const sightings: Readonly<Record<OperationId, FindSighting>> = {
  createPlant({ requestBody, responseBody }, caller, redact) {
    const plant = jsonOrUndefined(responseBody)
    if (!isPlant(plant)) return undefined
    const sent = jsonOrUndefined(requestBody ?? '')
    const id = isJsonObject(sent) ? sent.id : undefined
    const seen = redacted(plant, redact)
    return { caller, created: isSafeId(id) ? { id, ...seen } : seen }
  },
  listPlants({ query, responseBody }, caller, redact) {
    const plants = jsonOrUndefined(responseBody)
    if (!Array.isArray(plants) || !plants.every(isPlant)) return undefined
    return {
      caller,
      list: plants.map((plant) => redacted(plant, redact)),
      isWhole: isStatedQuery(query) && plants.length < limitIn(query),
    }
  },
}

const redacted = ({ name, tag }: Plant, redact: Redact): Plant => ({ name: redact(name), tag: redact(tag) })

/** With parameters that the contract does not state, a list may be any part of the whole. */
const isStatedQuery = (query: string): boolean =>
  [...new URLSearchParams(query).keys()].every((name) => name === 'limit')

const limitIn = (query: string): number => {
  const [limit = '', another] = new URLSearchParams(query).getAll('limit')
  return another === undefined && /^\d+$/.test(limit) ? Number(limit) : Number.POSITIVE_INFINITY
}

const isPlant = (value: unknown): value is Plant =>
  isJsonObject(value) && typeof value.name === 'string' && typeof value.tag === 'string'
