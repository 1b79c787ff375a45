import type { AssumptionId } from '../assumptions/registry.ts'
import type { NewPlant } from '../contract/schemas.ts'
import { memoized } from '../util/memoized.ts'
import { type Client, InconclusiveError } from './client.ts'
import { fillStore } from './fill-store.ts'
import type { Finding } from './finding.ts'
import type { ConformanceOptions } from './options.ts'
import { createPlantSource } from './plant-source.ts'
import {
  elementsOf,
  isPassing,
  isTokenRefused,
  lengthOf,
  NoResponseError,
  refused,
  succeeded,
  type TestResponse,
} from './send-request.ts'
import { type CallerRole, createRequest, listRequest, type TestRequest } from './test-request.ts'

/** Largest first, because a service may refuse large limits. */
const limits = [1000, 100, 50, 20, 10, 5, 1] as const
/** A list of one of these lengths may be truncated, even if a larger limit was requested. */
const pageSizes: readonly number[] = [10, 20, 25, 30, 40, 50, 100, 200, 250, 500]
/** Lists before the first pause: a service may leave a new plant out of the next list. */
const listsAtOnce = 3
/** After how many milliseconds, in all, a list is repeated: 100, 200, 300, 500, 1000, 2000, ... */
const waits = (number: number): number => 100 * ([1, 2, 3, 5][number % 4] ?? 1) * 10 ** Math.floor(number / 4)
/** Lists in a row that show a plant before it is there for good: the replicas of a store may lag behind each other. */
const minLists = 3
/** Ids that are tried when a service refuses them as taken (409). */
const maxIds = 10
/** Plants that are tried when a service refuses them with another status, which may be about the id too. */
const maxPlants = 3
/** Text that careless services change: capitals, two spaces in a row, a decomposed letter, a space at the end. */
const delicateTexts = ['Aloe', 'aloe  vera', 'cafe\u0301 \u00e9', 'aloe '] as const

/** The response to a create, with the plant that was sent. */
export type Creation = TestResponse & { readonly plant: NewPlant }

/** Creates of plants with text that careless services change. */
type Delicate = {
  readonly creations: readonly Creation[]
  /** A create that got no response, which ended the series. */
  readonly crash?: NoResponseError
}

/** @throws InconclusiveError when the create failed. */
export const requireCreated = (creation: Creation): Creation => {
  if (succeeded(creation)) return creation
  throw new InconclusiveError('no create succeeds')
}

/** Whether a create was refused for its values, which the contract leaves open (2.4). */
export const isAboutPlant = ({ status }: TestResponse): boolean => status === 400 || status === 422

/** The elements of a list. @throws InconclusiveError when it failed or is not an array. */
export const requireArray = (list: TestResponse): readonly unknown[] => {
  if (succeeded(list) && Array.isArray(list.json)) return list.json
  throw new InconclusiveError('no list is an array')
}

class IdsTakenError extends InconclusiveError {}

type CreateOptions = Pick<Partial<TestRequest>, 'as' | 'headers'>

/** Passed to every rule and probe. */
export type CheckContext = {
  readonly client: Client
  readonly samples: Samples
  /** The findings of the probes before. */
  readonly findings: ReadonlyMap<AssumptionId, Finding>
  /** The response to the first list; `undefined` when the check was stopped before. */
  readonly first: TestResponse | undefined
}

export type Samples = ReturnType<typeof createSamplePlants>

type Options = Pick<ConformanceOptions, 'plant' | 'ids' | 'random' | 'now'>

/** The plants that a check creates, recognisable by name and id, and the lists in which it looks for them. */
export const createSamplePlants = (client: Client, options: Options) => {
  const source = createPlantSource(options.random ?? Math.random, options.now ?? Date.now, options)
  const created: NewPlant[] = []
  /** A list shorter than the longest so far was not truncated. */
  let longest = 0
  /** The length of lists that did not show a new plant, however long the check waited. */
  let stuckAt: number | undefined
  /** The query of lists that show the most plants. */
  let query: string | undefined
  /** How long the slowest plant took to be listed, in milliseconds. */
  let slowest = 0
  let refusal: number | undefined
  /** Whether a list was shorter than one before, and whether lists stay shorter however long the check waits. */
  let isLagging = false
  let isShrinking = false
  /** Whether the service refused a plant and accepted another one: other statuses than 409 may be about ids. */
  let mayRefuseIds = false

  /** Sends creates until the id is not taken (409), which says nothing about the rest of the plant. */
  const send = async (
    next: () => NewPlant,
    bodyOf: (plant: NewPlant) => object = (plant) => plant,
    options: CreateOptions = {},
  ): Promise<Creation> => {
    for (let ids = 1; ids <= maxIds; ids++) {
      const plant = next()
      const response = await client.send(createRequest(bodyOf(plant), options))
      if (response.status !== 409) return { ...response, plant }
    }
    throw new IdsTakenError(`${maxIds} ids in a row are taken (409); give others with --ids`)
  }

  /** A create of a plant with changes. */
  const sendChanged = (bodyOf: (plant: NewPlant) => object, options?: CreateOptions): Promise<Creation> =>
    send(() => source.newPlant(), bodyOf, options)

  /** A refusal counts only if it is repeated with another id. */
  const sendUntilAccepted = async (
    maxTries: number,
    ...request: Parameters<typeof sendChanged>
  ): Promise<{ readonly creation: Creation; readonly tries: number }> => {
    for (let tries = 1; ; tries++) {
      const creation = await sendChanged(...request)
      if (!refused(creation) || tries === maxTries) return { creation, tries }
    }
  }

  const create = async (): Promise<Creation> => {
    const { creation, tries } = await sendUntilAccepted(maxPlants, (plant) => plant).catch((error) => {
      if (error instanceof IdsTakenError) client.createsStopped ??= error.message
      throw error
    })
    if (succeeded(creation)) created.push(creation.plant)
    if (succeeded(creation) && tries > 1) mayRefuseIds = true
    if (isPassing(creation)) client.createsStopped ??= `creates return ${creation.status}, also after retries`
    if (isTokenRefused(creation)) client.createsStopped ??= `creates do not accept the token (${creation.status})`
    return creation
  }

  /** The same plant at each call. */
  const first = memoized(async () => {
    let creation = await create()
    if (refused(creation) && source.canLabelTags) {
      source.labelTags()
      creation = await create()
    }
    refusal = isAboutPlant(creation) ? creation.status : undefined
    return creation
  })

  /** The largest limit that the service accepts; `undefined` while it accepts none. */
  const findLargestLimit = async (): Promise<number | undefined> => {
    for (const limit of limits) if (succeeded(await client.send(listRequest(`?limit=${limit}`)))) return limit
    return undefined
  }
  let accepted: number | undefined
  const largestLimit = async (): Promise<number> => {
    accepted ??= await findLargestLimit()
    return accepted ?? 1
  }

  /** A list with the largest limit that the service accepts, or without a limit where that shows more plants. */
  const listOnce = async (as: CallerRole): Promise<TestResponse> => {
    const limit = await largestLimit()
    const response = await client.send(listRequest(query ?? `?limit=${limit}`, as))
    // The largest limit shows enough, and a list without a limit might be enormous.
    if (query === undefined && lengthOf(response) === limit && limit < limits[0]) {
      const unlimited = await client.send(listRequest('', as))
      if (lengthOf(unlimited) > limit) {
        query = ''
        return unlimited
      }
    }
    return response
  }

  const isShorter = (found: TestResponse): boolean =>
    succeeded(found) && Array.isArray(found.json) && found.json.length < longest

  const listNow = async (): Promise<TestResponse> => {
    const found = await listOnce('caller')
    if (isShorter(found)) isLagging = true
    longest = Math.max(longest, lengthOf(found))
    return found
  }

  /** For the caller, waits while the list shows fewer plants than one before. */
  const list = async (as: CallerRole = 'caller'): Promise<TestResponse> => {
    if (as !== 'caller') return listOnce(as)
    let found = await listNow()
    let waited = 0
    for (let lists = 0; !isShrinking && isShorter(found) && waited < client.patience; lists++) {
      const pause = Math.min(waits(lists), client.patience) - waited
      await client.wait(pause)
      waited += pause
      found = await listNow()
    }
    if (waited > 0 && isShorter(found)) isShrinking = true
    return found
  }

  /** In doubt, creates plants: whether lists grow, and whether the service knows a plant that no list shows. */
  const mayBeTruncated = async (found: TestResponse): Promise<boolean> => {
    const length = lengthOf(found)
    if (query === undefined && length >= (await largestLimit())) return true
    if (length === 0 || length < longest || (client.canCreate && (await grows()))) return false
    if (pageSizes.includes(length)) return true
    if (elementsOf(found).some((element) => source.keyOf(element) !== undefined)) return true
    return (await knowsIds()) || storesForOther()
  }

  /** Whether lists get longer by a created plant. */
  const grows = async (): Promise<boolean> => {
    const before = longest
    await listUntil(requireCreated(await create()).plant)
    return longest > before
  }

  /** Whether the service refuses a create that it has accepted before. */
  const knowsIds = memoized(async () => {
    if (!client.canCreate) return false
    const { plant } = requireCreated(await create())
    return refused(await client.send(createRequest(plant)))
  })

  /** Whether the list of another caller, which may be shorter, shows a plant that this caller creates. */
  const storesForOther = memoized(async () => {
    if (!client.canCreate || !client.hasToken('other')) return false
    const creation = await sendChanged((plant) => plant, { as: 'other' })
    return succeeded(creation) && shows(await list('other'), creation.plant)
  })

  const shows = (found: TestResponse, plant: NewPlant): boolean =>
    elementsOf(found).some((element) => source.keyOf(element) === source.keyOf(plant))

  /**
   * @param onList Called after each list that does not show the plant.
   * @param minShown How many lists in a row must show it. Default: one, unless lists lag.
   */
  const listUntil = async (plant: NewPlant, onList: () => void = () => undefined, minShown = 1) => {
    let waited = 0
    let shown = 0
    for (let lists = 1; ; lists++) {
      const found = await listNow()
      shown = shows(found, plant) ? shown + 1 : 0
      if (shown >= (isLagging ? minLists : minShown)) {
        slowest = Math.max(slowest, waited)
        return found
      }
      if (shown > 0) continue
      if (!canShow(found)) return found
      onList()
      if (lists < listsAtOnce) continue
      const length = lengthOf(found)
      if (length > 0 && length === stuckAt) return found
      if (waited >= client.patience) {
        stuckAt = length
        return found
      }
      const pause = Math.min(waits(lists - listsAtOnce), client.patience) - waited
      await client.wait(pause)
      waited += pause
    }
  }

  const listUntilSteady = (plant: NewPlant, onList?: () => void) => listUntil(plant, onList, minLists)

  /** Neither a failure nor a list without names will ever show a plant. */
  const canShow = (found: TestResponse): boolean =>
    succeeded(found) &&
    Array.isArray(found.json) &&
    (found.json.length === 0 || found.json.some((element) => source.labelOf(element) !== undefined))

  /** Creates a plant with text that careless services change; where that is refused, plants with parts of the text. */
  const delicate = memoized(async (): Promise<Delicate> => {
    await first()
    const creations: Creation[] = []
    const sendWith = async (text: string, where: Parameters<typeof source.plantWith>[1]): Promise<boolean> => {
      const creation = await send(() => source.plantWith(text, where))
      if (succeeded(creation)) created.push(creation.plant)
      creations.push(creation)
      return refused(creation)
    }
    const all = delicateTexts.join(' ')
    try {
      for (const where of (await sendWith(all, 'both')) ? (['label', 'rest'] as const) : [])
        for (const text of (await sendWith(all, where)) ? delicateTexts : []) await sendWith(text, where)
      return { creations }
    } catch (error) {
      if (error instanceof NoResponseError) return { creations, crash: error }
      throw error
    }
  })

  return {
    newPlant: () => source.newPlant(),
    invalidBody: () => source.invalidBody(),
    recognise: (element: unknown) => source.recognise(element),
    labelOf: (element: unknown) => source.labelOf(element),
    create,
    sendChanged,
    /** A create of a plant with changes. A refusal is confirmed with another id, because it may be about the id. */
    async tryChanged(bodyOf: (plant: NewPlant) => object, options?: CreateOptions): Promise<Creation> {
      const { creation } = await sendUntilAccepted(mayRefuseIds ? maxIds : 2, bodyOf, options)
      return creation
    },
    /** Creates of plants with text that careless services change, also those that were refused. */
    delicate,
    /** The part of a label that no other plant has. */
    keyOf: (plant: NewPlant) => source.keyOf(plant),
    /** The same plant at each call, for checks that need any created plant. */
    first,
    /** The plants whose `create` succeeded, in order of creation. */
    created: created as readonly NewPlant[],
    list,
    /** Whether a list has as many plants as its limit allows. */
    isAtLimit: async (found: TestResponse): Promise<boolean> =>
      query === undefined && lengthOf(found) >= (await largestLimit()),
    shows,
    /** Lists until the list shows the plant: three times at once, then with pauses as long as the patience lasts. */
    listUntil,
    /** Lists until several lists in a row show the plant. */
    listUntilSteady,
    /** @throws InconclusiveError when the list may leave plants out, or shows no names. */
    async requireComplete(found: TestResponse): Promise<void> {
      const plants = requireArray(found)
      if (plants.some((element) => source.labelOf(element) === undefined))
        throw new InconclusiveError('the listed plants show no names')
      if (await mayBeTruncated(found))
        throw new InconclusiveError(`the list may be truncated at ${plants.length} plants`)
    },
    grows,
    /** How long the slowest plant took to be listed, in milliseconds. */
    slowest: () => slowest,
    /** The status with which the service refuses every plant of the check. */
    refusal: () => refusal,
    /** Creates plants, if allowed, until lists show the limits of the service; once in a check. */
    fill: memoized(() => fillStore(client, create, listUntilSteady, largestLimit)),
  }
}
