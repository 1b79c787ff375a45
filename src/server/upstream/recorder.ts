import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Pseudonym } from '../../core/contract/caller.ts'
import type { OperationId } from '../../core/contract/operation-ids.ts'
import { type FixturePlant, isPlantId, type ShownPlant, shownPlantViolations } from '../../core/contract/schemas.ts'
import { fixtureText } from '../../core/fixtures/parse.ts'
import type { Exchange } from '../../core/http/exchange.ts'
import type { Redact } from '../../core/http/redact.ts'
import type { CallerRegistry } from '../../core/journal/callers.ts'
import { redactorOf } from '../../core/journal/redact.ts'
import { PlantMockError } from '../../util/errors.ts'
import { exactJsonOrUndefined } from '../../util/exact-json.ts'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'
import { loadFixtures } from '../files/load-fixtures.ts'
import { writeFileAtomically } from '../files/write-fixtures.ts'
import type { ObservedResponse } from './handler.ts'

export type FixtureRecorder = Awaited<ReturnType<typeof openRecorder>>

/**
 * Opens a recording. It keeps the plants of the file, and merges those that callers receive. After each change the file
 * is written as a whole, so that it is a valid fixture at any time.
 * @param registry Names the callers that are recorded, never by their tokens.
 * @param onNotice Receives a notice when the file cannot be written; the next change tries again.
 * @throws PlantMockError for a file that is no fixture or cannot be written.
 */
export const openRecorder = async (file: string, registry: CallerRegistry, onNotice: (text: string) => void) => {
  if (!file.endsWith('.json')) throw new PlantMockError(`--record writes a .json file, not ${file}.`)
  let plants: readonly FixturePlant[] = existsSync(file) ? await loadFixtures(file) : []
  const earlier = existsSync(file) ? jsonOrUndefined(await readFile(file, 'utf8')) : undefined
  const text = (content: readonly FixturePlant[]) => fixtureText(content, earlier)
  const callers = new Set(plants.flatMap(({ access = [] }) => access))
  // Fails early for a file that cannot be written.
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
      const { exchange, credentials } = call
      if (credentials.token === undefined) return
      const caller = registry.pseudonymOf(credentials.token)
      const redact = redactorOf({ headers: exchange.headers(), responseHeaders }, registry)
      const sighting = sightings[operation](exchange, responseBody, caller, redact)
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

/** Derives a sighting from a response; `undefined` when it violates the contract. `redact` applies to each text. */
type FindSighting = (
  request: Exchange,
  responseBody: string,
  caller: Pseudonym,
  redact: Redact,
) => RecordedSighting | undefined

const sightings: Readonly<Record<OperationId, FindSighting>> = {
  createPlant({ body }, responseBody, caller, redact) {
    const plant = jsonOrUndefined(responseBody)
    if (!isPlant(plant)) return undefined
    const sent = typeof body === 'string' ? exactJsonOrUndefined(body) : undefined
    const id = isJsonObject(sent) ? sent.id : undefined
    const seen = redacted(plant, redact)
    return { caller, created: isPlantId(id) ? { id, ...seen } : seen }
  },
  listPlants({ query }, responseBody, caller, redact) {
    const plants = jsonOrUndefined(responseBody)
    if (!Array.isArray(plants) || !plants.every(isPlant)) return undefined
    return {
      caller,
      list: plants.map((plant) => redacted(plant, redact)),
      isWhole: isStatedQuery(query) && plants.length < limitIn(query),
    }
  },
}

const redacted = ({ name, tag }: ShownPlant, redact: Redact): SeenPlant => ({
  name: redact(name),
  ...(typeof tag === 'string' && { tag: redact(tag) }),
})

/** With parameters that the contract does not state, a list may be any part of the whole. */
const isStatedQuery = (query: string): boolean =>
  [...new URLSearchParams(query).keys()].every((name) => name === 'limit')

const limitIn = (query: string): number => {
  const [limit = '', another] = new URLSearchParams(query).getAll('limit')
  return another === undefined && /^\d+$/.test(limit) ? Number(limit) : Number.POSITIVE_INFINITY
}

/** Further members, which a service should not send, are left out. */
const isPlant = (value: unknown): value is ShownPlant =>
  isJsonObject(value) && shownPlantViolations({ name: value.name, tag: value.tag }, true).length === 0

/** Evidence of a caller's plants: a created plant, or a list, which more plants may follow unless it `isWhole`. */
export type RecordedSighting = { readonly caller: Pseudonym } & (
  | { readonly list: readonly SeenPlant[]; readonly isWhole: boolean }
  | { readonly created: SeenPlant }
)

/** Lists show no id. */
type SeenPlant = Pick<FixturePlant, 'name' | 'tag' | 'id'>

/**
 * Merges a sighting into a recording. Afterwards, the list of every caller is the one seen last, in its order; equal
 * plants of several callers are one plant where the orders of their lists permit.
 * @param callers All callers of the recording, for plants that every caller may access.
 */
export const mergeSighting = (
  plants: readonly FixturePlant[],
  sighting: RecordedSighting,
  callers: ReadonlySet<string>,
): readonly FixturePlant[] => {
  const { caller } = sighting
  if ('created' in sighting) return [...plants, { ...sighting.created, access: [caller] }]
  const isVisible = ({ access }: FixturePlant): boolean => access === undefined || access.includes(caller)
  const visible = plants.filter(isVisible)
  const { list, isWhole } = sighting
  const seen = positionsIn(list)
  const isUnseen = (plant: FixturePlant): boolean => seen.get(keyOf(plant))?.pop() === undefined
  const wanted = isWhole ? list : [...list, ...visible.filter(isUnseen)]
  if (visible.map(keyOf).join() === wanted.map(keyOf).join()) return plants

  const others = plants.flatMap((plant): FixturePlant | [] => {
    if (!isVisible(plant)) return plant
    const access = (plant.access ?? [...callers]).filter((other) => other !== caller)
    return access.length === 0 ? [] : { ...plant, access }
  })
  const indexes = positionsIn(others)
  const own = visible.filter(({ id, access }) => id !== undefined && access?.length === 1)
  const ownPositions = positionsIn(own)
  const result: FixturePlant[] = []
  let copied = 0
  for (const { id, ...shown } of wanted) {
    const key = keyOf(shown)
    const places = indexes.get(key) ?? []
    while ((places.at(-1) ?? copied) < copied) places.pop()
    const place = places.pop()
    if (place === undefined) {
      const kept = id ?? own[ownPositions.get(key)?.pop() ?? -1]?.id
      result.push({
        ...(kept !== undefined && { id: kept }),
        name: shown.name,
        ...(shown.tag !== undefined && { tag: shown.tag }),
        access: [caller],
      })
    } else {
      for (; copied < place; copied++) result.push(others[copied] as FixturePlant)
      const shared = others[place] as FixturePlant
      result.push({ ...shared, access: [...(shared.access ?? []), caller].sort() })
      copied = place + 1
    }
  }
  return [...result, ...others.slice(copied)]
}

const keyOf = ({ name, tag }: SeenPlant): string => JSON.stringify([name, tag])

/** The positions of plants by name and tag; `pop` returns that of the first plant. */
const positionsIn = (plants: readonly SeenPlant[]): ReadonlyMap<string, number[]> => {
  const positions = new Map<string, number[]>()
  for (const [index, plant] of [...plants.entries()].reverse()) {
    const key = keyOf(plant)
    const known = positions.get(key)
    if (known === undefined) positions.set(key, [index])
    else known.push(index)
  }
  return positions
}
