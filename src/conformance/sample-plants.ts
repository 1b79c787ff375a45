import type { NewPlant } from '../contract/schemas.ts'
import {
  type Ask,
  type Asker,
  type Client,
  createAsk,
  listAsk,
  refused,
  type Seen,
  succeeded,
} from './client.ts'

/** The ids that the suite uses: within 32 bits, far from where people count. */
export const firstId = 1_900_000_000
export const lastId = 2_147_483_647
/** The most creates that succeed in one check: enough for a list of 101, and for the other probes. */
export const mostCreated = 125
/** How the name of each plant begins that the suite creates; where a name is left out or empty, it is the tag. */
export const namePrefix = 'plant-mock check'

/** The plants that the suite makes: recognisable by name and id, and none twice. */
export interface Workbench {
  /** A plant that nobody has sent yet. */
  fresh(): NewPlant
  /** A body whose fields have the wrong types. It is not the same twice, so that no service takes it for a duplicate. */
  wrong(): { readonly name: 1; readonly id: string; readonly tag: readonly never[] }
  /** Sends a create of a fresh plant, and remembers it when it succeeds. */
  create(more?: Partial<Ask>): Promise<{ readonly plant: NewPlant; readonly seen: Seen }>
  /** The one plant that everything looks at which does not need one of its own. */
  first(): Promise<{ readonly plant: NewPlant; readonly seen: Seen }>
  /** The plants created for `caller` by `create`, in the order of their creation. */
  readonly created: readonly NewPlant[]
  /** The longest list that can be had. */
  list(as?: Asker): Promise<LongList>
  /** The same, up to three times, until a name is there that must be. */
  listWith(name: string): Promise<LongList>
  /**
   * Whether there may be plants that such a list leaves out. Where that is in doubt, one more plant shows whether
   * lists still grow.
   */
  mayBeCut(list: LongList): Promise<boolean>
  /** The plants that the caller has, made as many as tell the values of the limits apart, where they may be created. */
  crowd(): Promise<Crowd>
}

export type LongList = {
  readonly seen: Seen
  /** The names in it, of those elements that have one. */
  readonly names: readonly string[]
  /** How many elements it has; 0 for what is no list. */
  readonly length: number
}

/** What came of asking for a long list. */
export type Crowd = {
  /** The answer to `limit=101`, when all plants were there that could be. */
  readonly over: Seen
  /** How many plants the caller has at the least. */
  readonly plants: number
  /** The length that no list passes, however many plants are there. */
  readonly cutAt: number | undefined
}

/** Limits to ask for, largest first: a service may refuse large ones. */
const limits = [1000, 100, 50, 20, 10, 5, 1] as const
/** Lists of such a length may be cut there, though more was asked for. */
const pageSizes: readonly number[] = [10, 20, 25, 30, 40, 50, 100, 200, 250, 500]
/** How many plants must be there before the largest limit of the register shows. */
const crowded = 101

export const createWorkbench = (client: Client, random: () => number, mayCreate: boolean): Workbench => {
  const run = Math.floor(random() * 36 ** 4)
    .toString(36)
    .padStart(4, '0')
  const base = firstId + Math.floor(random() * (lastId - firstId - 100_000))
  const created: NewPlant[] = []
  let count = 0
  /** The longest list so far: what is shorter was not cut. */
  let longest = 0

  const fresh = (): NewPlant => {
    const number = count++
    // Letters in front, so that the order by name is not that of creation.
    const letters = Math.floor(random() * 26 ** 3)
      .toString(26)
      .padStart(3, '0')
    // Neighbours change places, so that the order by id is not that of creation either.
    return { id: base + (number ^ 1), name: `${namePrefix} ${run} ${letters}-${number}`, tag: namePrefix }
  }

  const create: Workbench['create'] = async (more) => {
    const plant = fresh()
    const seen = await client.send(createAsk(plant, more))
    if (succeeded(seen) && (more?.as ?? 'caller') === 'caller') created.push(plant)
    return { plant, seen }
  }

  const largest = kept(async () => {
    for (const limit of limits) if (succeeded(await client.send(listAsk(`?limit=${limit}`)))) return limit
    return 1
  })

  const list: Workbench['list'] = async (as = 'caller') => {
    const limit = await largest()
    const seen = await client.send(listAsk(`?limit=${limit}`, as))
    const length = lengthOf(seen)
    longest = Math.max(longest, length)
    return { seen, names: namesIn(seen), length }
  }

  const mayBeCut: Workbench['mayBeCut'] = async ({ length }) => {
    if (length >= (await largest())) return true
    if (length < longest || !pageSizes.includes(length)) return false
    if (mayCreate && succeeded((await create()).seen)) {
      await list()
      await list()
    }
    return length === longest
  }

  /** Twice, because a service may show a plant only from the second list on. */
  const settled = async (limit: number): Promise<Seen> => {
    await client.send(listAsk(`?limit=${limit}`))
    return client.send(listAsk(`?limit=${limit}`))
  }

  /** Creates plants until a list with `limit` has as many, or grows no more. */
  const fill = async (limit: number): Promise<{ length: number; stuck: boolean }> => {
    let length = lengthOf(await settled(limit))
    // One at first: where lists do not grow, no more are made in vain.
    for (let batch = 1; mayCreate && length < limit; batch = 25) {
      const goal = Math.min(limit, length + batch)
      for (let i = length; i < goal; i++)
        if (!succeeded((await create()).seen)) return { length: lengthOf(await settled(limit)), stuck: false }
      length = lengthOf(await settled(limit))
      if (length < goal) return { length, stuck: true }
    }
    return { length, stuck: false }
  }

  const gather = async (): Promise<Crowd> => {
    const over = await settled(crowded)
    if (succeeded(over) && Array.isArray(over.json)) {
      const { length, stuck } = await fill(crowded)
      return {
        over: await client.send(listAsk(`?limit=${crowded}`)),
        plants: stuck ? length + 1 : length,
        cutAt: stuck ? length : undefined,
      }
    }
    // Where so large a limit is refused, the largest that is not must be passed.
    const limit = await largest()
    if (!refused(over) || lengthOf(await settled(limit)) === 0) return { over, plants: 0, cutAt: undefined }
    const { length } = await fill(limit)
    const more = mayCreate && length === limit && succeeded((await create()).seen)
    await client.send(listAsk(`?limit=${limit}`))
    return { over, plants: length + (more ? 1 : 0), cutAt: undefined }
  }

  return {
    fresh,
    wrong: () => ({ name: 1, id: `${namePrefix} ${run} ${count++}`, tag: [] }),
    create,
    created,
    first: kept(() => create()),
    list,
    mayBeCut,
    async listWith(name) {
      for (let attempt = 1; ; attempt++) {
        const found = await list()
        if (found.names.includes(name) || attempt === 3) return found
      }
    },
    crowd: kept(gather),
  }
}

export const lengthOf = ({ json }: Seen): number => (Array.isArray(json) ? json.length : 0)

/** Makes something once, and again only when that failed. */
const kept = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined
      throw error
    })
    return made
  }
}

/** The names in a list; what is no list has none. */
const namesIn = ({ json }: Seen): readonly string[] =>
  Array.isArray(json)
    ? json.flatMap((plant: unknown) => {
        const name = isObject(plant) ? plant.name : undefined
        return typeof name === 'string' ? [name] : []
      })
    : []

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
