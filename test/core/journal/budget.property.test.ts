import fc from 'fast-check'
import { createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { runs } from '../../support/runs.ts'
import { as, post } from '../../support/targets.ts'

const budget = 32 * 1024 * 1024
const maxEvictedEntry = 16_000
const sessions = ['a', 'b', 'c']

const longerInJson = fc.constantFrom('"', '\\', '\u0001', '\n', '\u{1F33F}', 'é', '%00', '1e20,', '&x=', 'x')
const longText = fc
  .tuple(longerInJson, fc.integer({ min: 1, max: 200_000 }))
  .map(([text, length]) => text.repeat(Math.ceil(length / text.length)))
const longToken = fc
  .tuple(fc.constantFrom('x', '&a=', '%00', '"', ';'), fc.integer({ min: 1, max: 20_000 }))
  .map(([text, length]) => text.repeat(length))

const longName = longText.map((text) => text.slice(0, 2_000))

const manyFields = fc
  .integer({ min: 1, max: 5_000 })
  .map((count) => `{${Array.from({ length: count }, (_, i) => `"f\\u0001${i}":0`).join(',')}}`)

type Sent = readonly [path: string, init: RequestInit]
const longExchange: fc.Arbitrary<Sent> = fc.oneof(
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

describe('the journals of all sessions', () => {
  it('give a reader at most 32 Mi characters in total, whatever was sent', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.record({ name: longName, tag: fc.constant('"fern"') }), { minLength: 50, maxLength: 500 }),
      fc.array(fc.tuple(fc.constantFrom(...sessions), longExchange), { minLength: 5, maxLength: 20 }),
      async (fixtures, exchanges) => {
        const mock = createPlantMock({ fixtures })
        await mock
          .session('a')
          .fail({ operation: 'createPlant', status: 500, body: '\u0001'.repeat(100_000), times: 9 })
        for (let round = 0; round < 10; round++)
          for (const [session, [path, init]] of exchanges) await (await mock.session(session).fetch(path, init)).text()
        const journals = await Promise.all(sessions.map((session) => mock.session(session).requests.all()))
        const entries = journals.flat()
        expect(entries).toHaveLength(10 * exchanges.length)
        const violations = await Promise.all(sessions.map((session) => mock.session(session).violations()))
        for (const list of [journals, violations])
          expect(JSON.stringify(list).length).toBeLessThanOrEqual(budget + maxEvictedEntry * entries.length)
      },
    )
    await fc.assert(property, { numRuns: runs(3) })
  })
})
