import { seededRandom } from '../../util/random.ts'
import { createRequest, listRequest, namePrefix, type TestRequest, takenId } from '../read/test-request.ts'
import type { Client } from './client.ts'
import type { Samples } from './sample-plants.ts'
import { InconclusiveError, NoResponseError } from './send-request.ts'

const maxHeldOut = 40

type Plants = Pick<Samples, 'newPlant' | 'labelOf' | 'created'>

/** Compares service and mock with random requests, from which no assumption is inferred. */
export const sendHeldOut = async (client: Client, plants: Plants, seed: number, onDraw: () => void): Promise<void> => {
  const draw = drawer(seed)
  for (let sent = 0; sent < maxHeldOut; sent++) {
    const request = draw.request(plants)
    onDraw()
    await client.send(request).catch(async (error) => {
      if (error instanceof InconclusiveError && client.stopReason === undefined) await client.send(draw.list())
      else if (!(error instanceof NoResponseError)) throw error
    })
  }
}

export const drawSample = (): readonly TestRequest[] => {
  const draw = drawer(1)
  const plant = { id: 1, name: namePrefix, tag: namePrefix }
  const plants = { newPlant: () => plant, labelOf: () => namePrefix, created: [{ ...plant, id: takenId }] }
  return Array.from({ length: maxSample }, () => draw.request(plants))
}

const maxSample = 2_000

const otherTypes = ['text/plain', 'application/xml', 'application/x-www-form-urlencoded']

const drawer = (seed: number) => {
  const random = seededRandom(seed)
  const below = (end: number): number => Math.floor(random() * end)
  const one = <T>(values: readonly T[]): T => values[below(values.length)] as T
  const word = (): string => Array.from({ length: 1 + below(12) }, () => one([...'abcdefgh äéñ-ß🌿'])).join('')

  const limit = (): string =>
    one([
      () => String(1 + below(20)),
      () => String(1 + below(200)),
      () => String(1 + below(5_000)),
      () => String(-1 - below(50)),
      () => `${below(9)}.${below(10)}`,
      () => `${1 + below(9)}${one(['px', '%20', 'e1', 'n', '_0'])}`,
      () => one(['', '%20', 'all', 'ten', 'null', '0', '00', '1e2', '0b1', '%2B3', '9'.repeat(5 + below(20))]),
      () => `${1 + below(5)}&limit=${1 + below(5)}`,
    ])()

  const list = (as?: 'other'): TestRequest => listRequest(below(4) === 0 ? '' : `?limit=${limit()}`, as)

  const valid = ({ newPlant }: Plants): TestRequest => {
    const plant = newPlant()
    return createRequest({ ...plant, name: `${plant.name} ${word()}`.trim(), tag: plant.tag })
  }

  const invalid = ({ newPlant, labelOf, created }: Plants): TestRequest => {
    const plant = newPlant()
    const label = labelOf(plant)
    const named = { ...plant, name: label }
    const tagged = { ...plant, tag: label }
    const missing = one(['name', 'id', 'tag'])
    return one([
      () => createRequest({ ...(missing === 'tag' ? named : tagged), [missing]: undefined }),
      () => createRequest({ ...tagged, name: one([below(99), true, null, [word()], {}, '']) }),
      () => createRequest({ ...named, tag: one([below(99), false, null, [], { a: word() }, '']) }),
      () => createRequest({ ...plant, id: one([word(), below(99) + 0.5, null, true, [1]]) }),
      () => createRequest({ ...plant, [`x${below(99)}`]: word() }),
      () => createRequest({ ...plant, id: created[below(created.length)]?.id ?? plant.id }),
      () => createRequest(JSON.stringify(plant).slice(0, 2 + below(40))),
      () => createRequest(plant, { headers: one([{}, ...otherTypes.map((type) => ({ 'content-type': type }))]) }),
    ])()
  }

  const badToken = (plants: Plants): TestRequest => {
    const authorization = one([
      'Basic eDp5',
      'Bearer',
      'Bearer ',
      `Bearer ${below(99)}!`,
      'Token abc',
      'Digest a="b"',
      'x',
    ])
    const headers = one([{}, { authorization }])
    const body = { ...plants.newPlant(), name: below(99) }
    return one([
      () => listRequest(`?limit=${limit()}`, 'anonymous', headers),
      () => listRequest('', 'unknown'),
      () => createRequest(body, { as: 'anonymous', headers: { 'content-type': 'application/json', ...headers } }),
    ])()
  }

  return {
    list,
    request: (plants: Plants): TestRequest =>
      one([
        () => list(),
        () => list(),
        () => list(one(['other', undefined])),
        () => valid(plants),
        () => invalid(plants),
        () => invalid(plants),
        () => badToken(plants),
      ])(),
  }
}
