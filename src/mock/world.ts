import { seededRandom } from '../behaviour/random.ts'
import { variedBySeed } from '../behaviour/variations.ts'
import { checkAssume, writeAssume } from '../contract/assume.ts'
import { type Assume, type Assumptions, defaultAssumptions } from '../contract/assumptions.ts'
import { PlantMockError } from '../contract/errors.ts'
import type { ProblemType } from '../contract/problems.ts'
import { type Caller, type FixturePlant, validateFixturePlant } from '../contract/schemas.ts'
import type { Exchange, Reply } from '../service/exchange.ts'
import { createService } from '../service/service.ts'
import { memoryStore } from '../store/memory-store.ts'
import { after, type MaybePromise, type PlantStore, type StoredPlant } from '../store/plant-store.ts'
import { environmentAssume } from './environment.ts'
import { pseudonyms } from './pseudonyms.ts'

export type PlantMockOptions = {
  /** The plants to start with, and to come back to on `reset()`. Default: none. */
  readonly fixtures?: readonly FixturePlant[]
  /**
   * What to assume where the contract leaves a point open. Default: the defaults of the register.
   * On Node, the environment variable `PLANT_MOCK_ASSUME` (`id=value,id=value`) changes points that are not set here.
   */
  readonly assume?: Assume
  /**
   * A seed that chooses a value for every assumption but the rare ones; those set otherwise stay. What it chose
   * is printed once, and the same seed chooses the same again.
   */
  readonly vary?: number
  /** When given, only these tokens and those that plants name in `access` are callers (`auth.tokens=listed`). */
  readonly tokens?: readonly Caller[]
  /** Where the plants are. Default: in memory. A store that holds plants already keeps them. */
  readonly store?: PlantStore
  /** The seed for what is random (`list.order=shuffled`). Default: 1. */
  readonly seed?: number
}

/** The plants of a mock, as its test sees them: with ids and access, whoever asks. */
export interface Plants {
  /** Every plant, as added. */
  all(): Promise<readonly FixturePlant[]>
  /** The plants that one caller may access, as added. */
  visibleTo(caller: Caller): Promise<readonly FixturePlant[]>
  /** The first plant for which `matches` holds. */
  find(matches: (plant: FixturePlant) => boolean): Promise<FixturePlant | undefined>
}

/** One mock service with plants and assumptions of its own. */
export interface World {
  /** Answers an exchange of plain data; at once when the store does. It never throws. */
  handle(exchange: Exchange): MaybePromise<Reply>
  readonly plants: Plants
  /** What is assumed now. */
  readonly assumptions: Assumptions
  /**
   * Changes what is assumed, from the next request on.
   * @throws PlantMockError for an unknown assumption or value.
   */
  assume(values: Assume): Promise<void>
  /**
   * Adds plants behind those that are there.
   * @throws PlantMockError when one of them is not a plant; then none is added.
   */
  seed(plants: readonly FixturePlant[]): Promise<void>
  /** Remembers plants and assumptions as they are. Calling the result brings them back, as often as wanted. */
  snapshot(): Promise<() => Promise<void>>
  /** Goes back to the fixtures and assumptions that the mock started with. */
  reset(): Promise<void>
  /**
   * Takes other fixtures in place of those it started with; plants created since are gone, as after a reset.
   * @throws PlantMockError when one of them is not a plant; then everything stays as it was.
   */
  load(fixtures: readonly FixturePlant[]): Promise<void>
  /** The answer to a request that never became an exchange, in the form that the assumptions ask for. */
  problem(type: ProblemType, detail: string): Reply
  /** A stable name for a caller, `caller-1` and so on: what logs show in the place of a token. */
  pseudonym(caller: Caller): string
}

/**
 * Makes a world: a store, what it starts with, and the service over it.
 * With a store in memory every effect happens at once; with another, requests wait until the fixtures are in.
 * @throws PlantMockError for a fixture, token or assumption that cannot be used.
 */
export const createWorld = (options: PlantMockOptions = {}): World => {
  const { store = memoryStore(), tokens, seed = 1 } = options
  const initial: Assumptions = {
    ...defaultAssumptions,
    ...varied(options.vary),
    ...(tokens !== undefined && { 'auth.tokens': 'listed' }),
    ...environmentAssume(),
    ...checkAssume(options.assume ?? {}),
  }
  let assumptions = initial
  let random = seededRandom(seed)
  const service = createService({ store, assumptions, random: () => random(), tokens: new Set(tokens) })

  let goBack: () => MaybePromise<void> = () => undefined
  const started = after(start(store, options.fixtures), (back) => {
    goBack = back
  })
  /** Pending until the fixtures are in; whatever comes before waits for it. Kept when it fails. */
  let starting = started instanceof Promise ? started : undefined
  const forgetStart = () => {
    starting = undefined
  }
  starting?.then(forgetStart, () => undefined)

  const useAssumptions = (values: Assumptions): void => {
    assumptions = values
    service.assume(values)
  }

  const all = async () => {
    if (starting !== undefined) await starting
    return (await store.all()).map(asFixture)
  }

  const fail = (error: unknown) =>
    service.problem(
      'internal-error',
      `The fixtures could not be stored: ${error instanceof Error ? error.message : error}`,
    )

  return {
    handle: (exchange) =>
      starting === undefined ? service.handle(exchange) : starting.then(() => service.handle(exchange), fail),
    plants: {
      all,
      visibleTo: async (caller) =>
        (await all()).filter(({ access }) => access === undefined || access.includes(caller)),
      find: async (matches) => (await all()).find(matches),
    },
    get assumptions() {
      return assumptions
    },
    async assume(values) {
      useAssumptions({ ...assumptions, ...checkAssume(values) })
    },
    async seed(plants) {
      const checked = checkFixtures(plants)
      if (starting !== undefined) await starting
      await store.seed(checked)
    },
    async snapshot() {
      if (starting !== undefined) await starting
      const kept = assumptions
      const bringBack = await store.snapshot()
      return async () => {
        useAssumptions(kept)
        service.forget()
        await bringBack()
      }
    },
    async reset() {
      if (starting !== undefined) await starting
      useAssumptions(initial)
      random = seededRandom(seed)
      service.forget()
      await goBack()
    },
    async load(fixtures) {
      const plants = checkFixtures(fixtures)
      if (starting !== undefined) await starting
      service.forget()
      await after(store.clear(), () => store.seed(plants))
      goBack = await store.snapshot()
    },
    problem: service.problem,
    pseudonym: pseudonyms(),
  }
}

const varied = (seed: number | undefined): Assume => {
  if (seed === undefined) return {}
  const assume = variedBySeed(seed)
  console.info(`plant-mock: varied with seed ${seed}: ${writeAssume(assume) || 'everything as by default'}`)
  return assume
}

/** Fills the store, and gives the way back to that state. */
const start = (
  store: PlantStore,
  fixtures: readonly FixturePlant[] | undefined,
): MaybePromise<() => MaybePromise<void>> => {
  const plants = fixtures && checkFixtures(fixtures)
  return after(store.all(), (held) => {
    if (plants === undefined) return store.snapshot()
    if (held.length === 0) return after(store.seed(plants), () => store.snapshot())
    return () => after(store.clear(), () => store.seed(plants))
  })
}

/** Checks all before any is used, so that a bad one leaves nothing half done. */
const checkFixtures = (plants: readonly FixturePlant[]): readonly FixturePlant[] => {
  for (const [index, plant] of plants.entries()) {
    const checked = validateFixturePlant(plant)
    if ('errors' in checked)
      throw new PlantMockError(
        `The plant at index ${index} of the fixtures cannot be used: ${checked.errors
          .map((error) =>
            'pointer' in error ? `${error.pointer.slice(2) || 'it'} ${error.detail}` : error.detail,
          )
          .join('; ')}.`,
      )
  }
  return plants
}

const asFixture = ({ id, name, tag, access }: StoredPlant): FixturePlant => ({
  ...(id !== undefined && { id }),
  name,
  tag,
  ...(access !== undefined && { access: [...access] }),
})
