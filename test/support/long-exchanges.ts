import fc from 'fast-check'
import { as, post } from './targets.ts'

/** Text that is longer as JSON than it is: escapes, characters of several code units, numbers with an exponent. */
const awkward = fc.constantFrom('"', '\\', '\u0001', '\n', '\u{1F33F}', 'é', '%00', '1e20,', '&x=', 'x')
const longText = fc
  .tuple(awkward, fc.integer({ min: 1, max: 200_000 }))
  .map(([text, length]) => text.repeat(Math.ceil(length / text.length)))
/** Without the characters that a URL or header cannot have. */
const longToken = fc
  .tuple(fc.constantFrom('x', '&a=', '%00', '"', ';'), fc.integer({ min: 1, max: 20_000 }))
  .map(([text, length]) => text.repeat(length))

export const longName = longText.map((text) => text.slice(0, 2_000))

const manyFields = fc
  .integer({ min: 1, max: 5_000 })
  .map((count) => `{${Array.from({ length: count }, (_, i) => `"f\\u0001${i}":0`).join(',')}}`)

/** A request to a mock: the arguments of its `fetch`. */
type Sent = readonly [path: string, init: RequestInit]
/** Requests that are long in one of their parts. */
export const longExchange: fc.Arbitrary<Sent> = fc.oneof(
  fc.constant<Sent>(['/plants', as('alice')]),
  longToken.map((text): Sent => [`/plants?${text}`, as('alice')]),
  longToken.map((text): Sent => [`/elsewhere/${text}`, as('alice')]),
  longToken.map((text): Sent => ['/plants?limit=1', { headers: { ...as('alice').headers, 'x-trace': text } }]),
  longText.map((text): Sent => ['/plants', post(text)]),
  longText.map((name): Sent => ['/plants', post({ name, tag: 't' })]),
  longText.map((text): Sent => ['/plants', post(`[${text}1]`)]),
  longToken.map((text): Sent => ['/plants', post('{}', { 'content-type': `text/plain;${text}` })]),
  manyFields.map((body): Sent => ['/plants', post(body)]),
)
