import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Effect } from '../../core/assumptions/operation-ids.ts'
import type { Pseudonym } from '../../core/contract/caller.ts'
import {
  type FixturePlant,
  isPlantId,
  parsePlantId,
  type ShownPlant,
  shownPlantViolations,
} from '../../core/contract/schemas.ts'
import { fixtureText } from '../../core/fixtures/parse.ts'
import { isWholeList, mergeSighting, type RecordedSighting, type SeenPlant } from '../../core/fixtures/sightings.ts'
import type { ReceivedRequest } from '../../core/http/exchange.ts'
import type { Redact } from '../../core/http/redact.ts'
import type { CallerRegistry } from '../../core/journal/callers.ts'
import { redactorOf } from '../../core/journal/redact.ts'
import { operations } from '../../core/operations/operations.ts'
import { PlantMockError } from '../../util/errors.ts'
import { exactJsonOrUndefined } from '../../util/exact-json.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { readFixtures } from '../files/load-fixtures.ts'
import { writeFileAtomically } from '../files/write-fixtures.ts'
import type { ObservedResponse } from './handler.ts'

export type FixtureRecorder = Awaited<ReturnType<typeof openRecorder>>

/**
 * Opens a recording, which keeps the plants of the file and merges in the plants that callers receive. Each change
 * rewrites the whole file, so that it is a valid fixture at any time.
 * @param registry Names the recorded callers, never by their tokens.
 * @param onNotice Receives a notice if the file cannot be written; the next change tries again.
 * @throws PlantMockError for a file that is not a fixture or cannot be written.
 */
export const openRecorder = async (file: string, registry: CallerRegistry, onNotice: (text: string) => void) => {
  if (!file.endsWith('.json')) throw new PlantMockError(`--record writes a .json file, not ${file}.`)
  // The recording replaces the file, so dropped members would be lost.
  const refuse = (text: string): never => {
    throw new PlantMockError(`--record would lose a part of ${file}. Name another file. ${text}`)
  }
  const recorded: FixturePlant[] = []
  if (existsSync(file)) await readFixtures([file], (plant) => recorded.push(plant), refuse)
  let plants: readonly FixturePlant[] = recorded
  const earlier = existsSync(file) ? jsonOrUndefined(await readFile(file, 'utf8')) : undefined
  const text = (content: readonly FixturePlant[]) => fixtureText(content, earlier)
  const callers = new Set(plants.flatMap(({ access = [] }) => access))
  // Fails early if the file cannot be written.
  await writeFileAtomically(file, text(plants)).catch((error: Error) => {
    throw new PlantMockError(`--record cannot write ${file}: ${error.message}.`)
  })

  let written = plants
  let writing: Promise<void> | undefined
  const write = async (): Promise<void> => {
    while (written !== plants) {
      const next = plants
      try {
        await writeFileAtomically(file, text(next))
        written = next
      } catch (error) {
        onNotice(`the recording ${file} could not be written: ${(error as Error).message}`)
        return
      }
    }
  }

  return {
    observe({ call, operation, responseHeaders, responseBody }: ObservedResponse): void {
      const { received, credentials } = call
      if (credentials.token === undefined) return
      const caller = registry.pseudonymOf(credentials.token)
      const redact = redactorOf({ headers: received.headers(), responseHeaders }, registry)
      const sighting = sightings[operations[operation].effect]?.(received, responseBody, caller, redact)
      if (sighting === undefined) return
      callers.add(caller)
      plants = mergeSighting(plants, sighting, callers)
      writing ??= write().finally(() => {
        writing = undefined
      })
    },
    async close(): Promise<void> {
      await writing
      await write()
    },
  }
}

/** Derives a sighting from a response; `undefined` if it violates the contract. `redact` is applied to each text. */
type FindSighting = (
  request: ReceivedRequest,
  responseBody: string,
  caller: Pseudonym,
  redact: Redact,
) => RecordedSighting | undefined

/** Default: none, because the response shows no whole plants. */
const sightings: Readonly<Partial<Record<Effect, FindSighting>>> = {
  adds({ body }, responseBody, caller, redact) {
    const plant = jsonOrUndefined(responseBody)
    if (!isPlant(plant)) return undefined
    const sent = typeof body === 'string' ? exactJsonOrUndefined(body) : undefined
    const id = isJsonObject(sent) ? sent.id : undefined
    const seen = redacted(plant, redact)
    return { caller, created: isPlantId(id) ? { id, ...seen } : seen }
  },
  lists({ query }, responseBody, caller, redact) {
    const plants = jsonOrUndefined(responseBody)
    if (!Array.isArray(plants) || !plants.every(isPlant)) return undefined
    return {
      caller,
      list: plants.map((plant) => redacted(plant, redact)),
      isWhole: isWholeList(query, plants.length),
    }
  },
  removes: ({ path }, _, caller) => ({ caller, removed: parsePlantId(path.split('/').at(-1)) }),
}

const redacted = ({ name, tag }: ShownPlant, redact: Redact): SeenPlant => ({
  name: redact(name),
  ...(typeof tag === 'string' && { tag: redact(tag) }),
})

/** Ignores additional members, which a service should not send. */
const isPlant = (value: unknown): value is ShownPlant =>
  isJsonObject(value) && shownPlantViolations({ name: value.name, tag: value.tag }, true).length === 0
