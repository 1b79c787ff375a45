import type { NewPlant } from '../core/contract/schemas.ts'
import { isJsonObject } from '../util/json.ts'
import { memoized } from '../util/lazy.ts'
import type { Client } from './client.ts'
import type { PlantSource } from './plant-source.ts'
import {
  InconclusiveError,
  isPage,
  isPassing,
  isTokenRefused,
  NoResponseError,
  refused,
  succeeded,
  type TestResponse,
} from './send-request.ts'
import { type CallerRole, createRequest, namePrefix, type TestRequest } from './test-request.ts'

/** Ids that are tried when a service refuses them as taken (409). */
const maxIds = 10
/** Plants that are tried when a service refuses them with another status, which may be about the id too. */
const maxPlants = 3
/** Text that careless services change: capitals, two spaces in a row, a decomposed letter, a space at the end. */
const delicateTexts = ['Aloe', 'aloe  vera', 'cafe\u0301 \u00e9', 'aloe '] as const

export type Creation = TestResponse & { readonly plant: NewPlant }

/** @throws InconclusiveError when the create failed. */
export const requireCreated = (creation: Creation): Creation => {
  if (succeeded(creation)) return creation
  throw new InconclusiveError('no create succeeds')
}

/** Whether a create was refused for its values, which the contract leaves open (2.4). */
export const isAboutPlant = ({ status }: TestResponse): boolean => status === 400 || status === 422

class IdsTakenError extends InconclusiveError {}

type CreateOptions = Pick<Partial<TestRequest>, 'as' | 'headers'>

export const createSampleCreates = (client: Client, source: PlantSource) => {
  const created: NewPlant[] = []
  let refusal: number | undefined
  /** Whether the service refused a plant and accepted another one: other statuses than 409 may be about ids. */
  let mayRefuseIds = false

  /** Sends creates of plants with changes until the id is not taken (409), which says nothing about the rest. */
  const sendChanged = async (
    bodyOf: (plant: NewPlant) => object,
    options: CreateOptions = {},
    next: () => NewPlant = () => source.newPlant(),
  ): Promise<Creation> => {
    for (let ids = 1; ids <= maxIds; ids++) {
      const plant = next()
      const response = await client.send(createRequest(bodyOf(plant), options))
      if (response.status !== 409) return { ...response, plant }
    }
    throw new IdsTakenError(`${maxIds} ids in a row are taken (409); give a plant with another first id with --plant`)
  }

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

  /** The same plant at each call, for checks that need any created plant. */
  const first = memoized(async () => {
    let creation = await create()
    if (refused(creation) && source.canLabelTags) {
      source.labelTags()
      creation = await create()
    }
    refusal = isAboutPlant(creation) ? creation.status : undefined
    return creation
  })

  /**
   * Creates a plant with text that careless services change; where that is refused, plants with parts of the text. A
   * create that gets no response ends the series: the `crash`.
   */
  const delicate = memoized(async () => {
    await first()
    const creations: Creation[] = []
    const sendWith = async (text: string, where: Parameters<typeof source.plantWith>[1]): Promise<boolean> => {
      const newPlant = () => source.plantWith(text, where)
      const creation = await sendChanged((plant) => plant, {}, newPlant)
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
    create,
    sendChanged,
    /** A create of a plant with changes. A refusal is confirmed with another id, because it may be about the id. */
    async tryChanged(bodyOf: (plant: NewPlant) => object, options?: CreateOptions): Promise<Creation> {
      const { creation } = await sendUntilAccepted(mayRefuseIds ? maxIds : 2, bodyOf, options)
      return creation
    },
    delicate,
    first,
    /** The plants whose `create` succeeded, in order of creation. */
    created: created as readonly NewPlant[],
    /** The status with which the service refuses every plant of the check. */
    refusal: () => refusal,
  }
}

/** A plant that the check created, as it was sent. */
export type CreatedPlant = {
  readonly id?: unknown
  readonly name?: unknown
  readonly tag?: unknown
  /** Who created it. */
  readonly as: CallerRole
  /** False when the response does not tell whether the plant was created: a redirect, a server error, or none. */
  readonly certain: boolean
}

/**
 * The plant that a request created, or may have created; empty when it created none.
 * @param response `undefined` when there was none.
 */
export const createdPlants = (
  { method, as, json: plant }: TestRequest,
  response: TestResponse | undefined,
): readonly CreatedPlant[] => {
  if (method !== 'POST') return []
  const certain = response !== undefined && succeeded(response) && !isPage(response)
  const status = response?.status ?? 500
  // A refusal creates nothing; a body that is not JSON may make a plant all the same.
  if (!certain && (plant === undefined || (status >= 400 && status < 500))) return []
  const { id, name, tag } = isJsonObject(plant) ? plant : {}
  return [{ id, name, tag, as, certain }]
}

/** A body that a service could store has the prefix, so that everybody can tell where it comes from. */
export const isRecognisable = (value: unknown): boolean => {
  if (value === undefined) return true
  return (
    isJsonObject(value) &&
    [value.name, value.tag].some((text) => typeof text === 'string' && text.startsWith(namePrefix))
  )
}
