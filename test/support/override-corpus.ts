import { type Assume, bearer, createPlantMock, variations } from 'plant-mock'
import { type Mistake, mistakes, wrongService } from './wrong-service.ts'

/** Something that responds for `/plants` instead of the mock. */
export type Responder = (request: Request) => Promise<Response>

/** Rules that one response breaks, apart from what other requests have shown. */
const shapeRules: readonly string[] = [
  'list.array',
  'list.elements',
  'list.json',
  'list.limit',
  'create.shape',
  'create.json',
]

const plants = [
  { name: 'Aloe vera', tag: 'succulent' },
  { name: 'Boston fern', tag: 'fern' },
]

const ofService =
  (service: ReturnType<typeof wrongService>): Responder =>
  async (request) => {
    const body = await request.text()
    const { method, url, headers } = request
    return service(url, { method, headers: [...headers], ...(body !== '' && { body }) })
  }

/** A service for each mistake that shapes a response. */
export const lies: readonly { readonly mistake: Mistake; readonly responder: () => Responder }[] = (
  Object.keys(mistakes) as Mistake[]
)
  .filter((mistake) => mistakes[mistake].some((rule) => shapeRules.includes(rule)))
  .map((mistake) => ({ mistake, responder: () => ofService(wrongService([mistake], plants)) }))

/** A mock for each alternative of each assumption. */
export const permitted: readonly { readonly name: string; readonly responder: () => Responder }[] = [
  { name: 'no alternative', assume: {} as Assume },
  ...variations({ thorough: true }),
].map(({ name, assume }) => ({
  name,
  responder: () => {
    const mock = createPlantMock({ assume, tokens: ['alice'] })
    return (request: Request) => mock.fetch(request)
  },
}))

const parts: readonly Mistake[] = [
  'a list is not JSON',
  'lists have no Content-Type',
  'lists show ids',
  'a create returns nothing',
]

/** A lie in each part of a response that an adapter translates. `test/integrations/overrides` checks all lies. */
export const carriedLies = lies.filter(({ mistake }) => parts.includes(mistake))

/** Permitted responses that differ in status, headers or form of the body. */
export const carriedForms = permitted.filter(({ name }) =>
  /^(?:no alternative|error\.body|json\.|auth\.status|create\.status)/.test(name),
)

const post = (body: string): RequestInit => ({
  method: 'POST',
  headers: { ...bearer('alice'), 'content-type': 'application/json' },
  body,
})
const plant = (id: number, name: string) => JSON.stringify({ id, name, tag: 'fern' })
const ofAlice = { headers: bearer('alice') }

/** Requests whose responses show each lie, and each alternative: path and options of `fetch`. */
export const requests: readonly (readonly [path: string, init: RequestInit])[] = [
  ['/plants', post(plant(1, 'Maidenhair'))],
  ['/plants', post(plant(1, 'Staghorn'))],
  ['/plants', post('{"id":2}')],
  ['/plants', post('{"id":3,"name":"","tag":"","size":1}')],
  ['/plants', post('{"id":"4","name":"a","tag":"b"}')],
  ['/plants', post('{"id":5,')],
  ['/plants', { ...post(plant(6, 'Bracken')), headers: bearer('alice') }],
  ['/plants', post(plant(7, 'x'.repeat(20_000)))],
  ['/plants', post(plant(8, 'Hart’s tongue'))],
  ['/plants', ofAlice],
  ['/plants?limit=1', ofAlice],
  ['/plants?limit=0', ofAlice],
  ['/plants?limit=2&limit=3', ofAlice],
  ['/plants?limit=-1', ofAlice],
  ['/plants?limit=1e1', ofAlice],
  ['/plants?limit=200', ofAlice],
  ['/plants', { headers: bearer('stranger') }],
  ['/plants', { headers: { authorization: 'bearer alice' } }],
  ['/plants', {}],
  ['/plants', { method: 'PUT', ...ofAlice }],
]
