import { access } from 'node:fs/promises'
import type { FixturePlant } from '../contract/schemas.ts'
import { isSafeId } from '../contract/schemas.ts'
import { fixtureText } from '../fixtures/fixture-text.ts'
import { loadFixtures } from '../fixtures/load.ts'
import { writeFileAtomically } from '../fixtures/write.ts'
import { PlantMockError } from '../util/errors.ts'
import { afterSighting, type Sighting } from './merge-recording.ts'
import type { Observed } from './responder.ts'

/** Remembers what the upstream answers, as a fixture file. */
export interface Recorder {
  observe(observed: Observed): void
  /** Fulfilled when everything is written. */
  close(): Promise<void>
}

export type RecorderOptions = {
  readonly file: string
  /** The name under which a token is recorded; the token itself never is. */
  readonly nameOf: (token: string) => string
  /** Told when the file cannot be written; the next change tries again. */
  readonly onNotice: (text: string) => void
}

/**
 * Opens a recording: what the file holds is kept, and what is seen is merged with it. The file is written whole after
 * each change, and is a fixture at any time.
 * @throws PlantMockError when the file cannot be used.
 */
export const openRecorder = async ({ file, nameOf, onNotice }: RecorderOptions): Promise<Recorder> => {
  if (!file.endsWith('.json')) throw new PlantMockError(`--record writes a .json file, not ${file}.`)
  let plants: readonly FixturePlant[] = (await exists(file)) ? await loadFixtures(file) : []
  const callers = new Set(plants.flatMap(({ access = [] }) => access))
  // At once, so that a file that cannot be written is said before anything is recorded.
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
  const soon = (): void => {
    writing ??= write().finally(() => {
      writing = undefined
    })
  }

  return {
    observe(observed) {
      const caller = nameOf(observed.caller)
      const sighting = sightingIn(observed, caller)
      if (sighting === undefined) return
      callers.add(caller)
      plants = afterSighting(plants, sighting, callers)
      soon()
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

/** What an answer shows; `undefined` when it is not what the contract says an answer is. */
const sightingIn = ({ operation, query, sent, answered }: Observed, caller: string): Sighting | undefined => {
  const answer = parse(answered)
  if (operation === 'listPlants') {
    if (!Array.isArray(answer) || !answer.every(isPlant)) return undefined
    const limits = new URLSearchParams(query).getAll('limit')
    const limit =
      limits.length === 1 && /^\d+$/.test(limits[0] ?? '') ? Number(limits[0]) : Number.POSITIVE_INFINITY
    return {
      caller,
      list: answer.map(({ name, tag }) => ({ name, tag })),
      isWhole: answer.length < limit && isPlain(query),
    }
  }
  if (!isPlant(answer)) return undefined
  const { id } = (parse(sent ?? '') ?? {}) as { id?: unknown }
  const { name, tag } = answer
  return { caller, created: isSafeId(id) ? { id, name, tag } : { name, tag } }
}

/** A list that was asked for in ways that the contract does not show may be any part of the whole. */
const isPlain = (query: string): boolean =>
  [...new URLSearchParams(query).keys()].every((name) => name === 'limit')

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const isPlant = (value: unknown): value is { readonly name: string; readonly tag: string } =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  'tag' in value &&
  typeof value.name === 'string' &&
  typeof value.tag === 'string'
