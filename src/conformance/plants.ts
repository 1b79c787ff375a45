import type { NewPlant } from '../contract/schemas.ts'
import { type Ask, type Client, createAsk, listAsk, type Seen, succeeded } from './client.ts'

/** The ids that the suite uses: within 32 bits, far from where people count. */
export const firstId = 1_900_000_000
export const lastId = 2_147_483_647
/** The most plants that one check creates: enough for a list of 101, and those of the other probes. */
export const mostCreated = 125
/** How the name of each plant that the suite creates begins. */
export const namePrefix = 'plant-mock check'

/** The plants that the suite makes: recognisable by name and id, and none twice. */
export interface Workbench {
  /** A plant that nobody has sent yet. */
  fresh(): NewPlant
  /** Sends a create of a fresh plant, and remembers it when it succeeds. */
  create(more?: Partial<Ask>): Promise<{ readonly plant: NewPlant; readonly seen: Seen }>
  /** The one plant that everything looks at which does not need one of its own. */
  first(): Promise<{ readonly plant: NewPlant; readonly seen: Seen }>
  /** Names of the plants created for `caller`, in the order of their creation. */
  readonly created: readonly string[]
  /** The longest list that can be had, as names; once more when a name that must be there is not. */
  names(mustHave?: string): Promise<{ readonly names: readonly string[]; readonly seen: Seen }>
}

export const createWorkbench = (client: Client, random: () => number): Workbench => {
  const run = Math.floor(random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0')
  const base = firstId + Math.floor(random() * (lastId - firstId - 100_000))
  const created: string[] = []
  let count = 0
  let kept: Promise<{ readonly plant: NewPlant; readonly seen: Seen }> | undefined

  const fresh = (): NewPlant => {
    const number = count++
    // Letters in front, so that the order by name is not that of creation.
    const letters = Math.floor(random() * 26 ** 3)
      .toString(26)
      .padStart(3, '0')
    return { id: base + number, name: `${namePrefix} ${run} ${letters}-${number}`, tag: namePrefix }
  }

  const create: Workbench['create'] = async (more) => {
    const plant = fresh()
    const seen = await client.send(createAsk(plant, more))
    if (succeeded(seen) && (more?.as ?? 'caller') === 'caller') created.push(plant.name)
    return { plant, seen }
  }

  return {
    fresh,
    create,
    created,
    first() {
      kept ??= create()
      return kept
    },
    async names(mustHave) {
      for (let attempt = 1; ; attempt++) {
        const seen = await client.send(listAsk('?limit=100'))
        const names = namesIn(seen)
        if (mustHave === undefined || names.includes(mustHave) || attempt === 3) return { names, seen }
      }
    },
  }
}

/** The names in a list; what is no list has none. */
export const namesIn = ({ json }: Seen): readonly string[] =>
  Array.isArray(json)
    ? json.flatMap((plant: unknown) => {
        const name = isObject(plant) ? plant.name : undefined
        return typeof name === 'string' ? [name] : []
      })
    : []

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
