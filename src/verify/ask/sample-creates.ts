import type { NewPlant } from '../../core/contract/schemas.ts'
import { memoized } from '../../util/lazy.ts'
import { isTokenRefused, isTransient, refused, succeeded, type TestResponse } from '../read/response.ts'
import { createRequest, type TestRequest } from '../read/test-request.ts'
import type { Client } from './client.ts'
import type { SamplePlantSource } from './plant-source.ts'
import { InconclusiveError, NoResponseError } from './send-request.ts'

const maxIds = 10
const maxPlants = 3
const delicateTexts = [
  ' aloe',
  'Aloe',
  'aloe  vera',
  'cafe\u0301 \u00e9',
  '\u{1f33f}',
  '<b>&lt; & </b>',
  `O'Brien "x"`,
  'a\\b\\n %s%20+ $x {{x}}',
  'aloe ',
]
const oddTexts: readonly [string, ...string[]] = ['aloe\nvera\r\n\tlily', '12', 'true', 'TRUE']
const oddTags = [
  undefined,
  '12',
  'true',
  undefined,
  'null',
  '1.50',
  '1e3',
  '2026-01-01',
  'false',
  '[]',
  '-1',
  '{}',
  '""',
]
const longTexts = [1_100, 200]
const combined = (id: number, length = 0): string => {
  const [start = '', ...rest] = delicateTexts
  const text = `${start} ${rest.join(` ${id} `)}`
  return text.replace(String(id), (digits) =>
    digits.repeat(Math.max(1, Math.ceil((length - text.length) / digits.length))),
  )
}

export type Creation = TestResponse & { readonly plant: NewPlant }

export const requireCreated = (creation: Creation): Creation => {
  if (succeeded(creation)) return creation
  throw new InconclusiveError('no create succeeds')
}

export const isAboutPlant = ({ status }: TestResponse): boolean => status === 400 || status === 422

class IdsTakenError extends InconclusiveError {}

type CreateOptions = Pick<Partial<TestRequest>, 'as' | 'headers'>

export const createSampleCreates = (client: Client, source: SamplePlantSource) => {
  const created: NewPlant[] = []
  let refusal: number | undefined
  let mayRefuseIds = false

  /**
   * Repeats a create with a new id after 409, because a taken id does not show whether the tested field is accepted.
   * @param maxTries The number of ids to try before the tested field counts as refused.
   */
  const sendChanged = async (
    bodyOf: (plant: NewPlant) => object,
    options: CreateOptions = {},
    maxTries = 1,
    next: () => NewPlant = () => source.newPlant(),
  ): Promise<Creation> => {
    let tries = 0
    for (let ids = 1; ids <= maxIds; ids++) {
      const plant = next()
      const response = await client.send(createRequest(bodyOf(plant), options))
      if (response.status === 409) continue
      tries++
      mayRefuseIds ||= succeeded(response) && tries > 1
      if (!refused(response) || tries === maxTries) return { ...response, plant }
    }
    throw new IdsTakenError(`${maxIds} ids in a row are taken (409); give a plant with another first id with --plant`)
  }

  let takesAnyTag = false
  const nextPlant = (): NewPlant => {
    const tag = takesAnyTag ? oddTags[created.length % oddTags.length] : undefined
    return tag === undefined ? source.newPlant() : source.plantWith(() => tag, 'rest')
  }

  const create = async (): Promise<Creation> => {
    const creation = await sendChanged((plant) => plant, {}, maxPlants, nextPlant).catch((error) => {
      if (error instanceof IdsTakenError) client.createStopReason ??= error.message
      throw error
    })
    if (succeeded(creation)) created.push(creation.plant)
    if (isTransient(creation)) client.createStopReason ??= `creates return ${creation.status}, also after retries`
    if (isTokenRefused(creation)) client.createStopReason ??= `creates do not accept the token (${creation.status})`
    return creation
  }

  const first = memoized(async () => {
    let creation = await create()
    if (refused(creation) && source.canLabelTags) {
      source.labelTags()
      creation = await create()
    }
    refusal = isAboutPlant(creation) ? creation.status : undefined
    return creation
  })

  const delicate = memoized(async () => {
    await first()
    const creations: Creation[] = []
    type Where = Parameters<typeof source.plantWith>[1]
    const isAccepted = async (where: Where, textFor: (id: number) => string): Promise<boolean> => {
      // Does not try other ids after a 409, because the conflict may be about a name that an earlier check used.
      const plant = source.plantWith(textFor, where)
      const creation = { ...(await client.send(createRequest(plant))), plant }
      if (succeeded(creation)) created.push(plant)
      creations.push(creation)
      return succeeded(creation)
    }
    const tryAll = async (where: Where): Promise<boolean> => {
      let accepted = await isAccepted(where, (id) => `0${id}`)
      for (const length of [...longTexts, 0])
        if (await isAccepted(where, (id) => combined(id, length))) {
          takesAnyTag ||= where === 'rest'
          return true
        }
      for (const text of [...delicateTexts, ...longTexts.map((length) => 'x'.repeat(length))])
        accepted = (await isAccepted(where, () => text)) || accepted
      return accepted
    }
    try {
      await tryAll('rest')
      await isAccepted('rest', () => oddTexts[0])
      if (!(await tryAll('moved'))) await tryAll('label')
      else for (const text of oddTexts) await isAccepted('moved', () => text)
      return { creations }
    } catch (error) {
      if (error instanceof NoResponseError) return { creations, crash: error }
      throw error
    }
  })

  return {
    create,
    sendChanged,
    tryChanged: (bodyOf: (plant: NewPlant) => object, options?: CreateOptions): Promise<Creation> =>
      sendChanged(bodyOf, options, mayRefuseIds ? maxIds : 2),
    delicate,
    first,
    created: created as readonly NewPlant[],
    refusal: () => refusal,
  }
}
