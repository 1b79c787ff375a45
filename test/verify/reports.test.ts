import { renderConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { paintFor } from '../../src/server/start/paint.ts'
import { check } from '../support/conformance.ts'
import { assuming, beyond, quirky, reportOn, requestsTo, type Service, wrong } from '../support/reports.ts'
import type { Behaviour } from '../support/wrong-service.ts'

// The approved reports are in `__snapshots__/reports.test.ts.snap`. After a change of a verdict or of words, read what
// `npx vitest run --config .config/vitest.config.ts --project source test/verify/reports.test.ts -u` changes there.

/** Services that show most of what a report can say, by their name in `test/support/quirks.ts`. */
const quirkNames = [
  'a missing token is 403',
  'all of the given ids are taken',
  'another caller sees everything, and lists are objects',
  'bodies end in the middle from request 12 on',
  'bursts of 5 in a second are 429, with a date',
  'creates are 422 from plant 10 on',
  'creates do not accept the token',
  'empty lists are 404',
  'every 7th request with a valid token is 403',
  'every third request of a caller is 429',
  'failures are 200',
  'failures have a media type of their own',
  'failures have request ids of 12 hexadecimal digits, dates and durations',
  'from request 15 on, every response is 503',
  'from request 60 on, every response is a page of HTML',
  'from the fiftieth request on, every response is 429',
  'half of the given ids are taken, which is 422',
  'limit is ignored',
  'lists have 250 plants by default, of 1,000',
  'lists have 50 plants at most, of 1,000, and ids may repeat',
  'lists take any token or none',
  'names are from a list',
  'names are from a list, and the check knows one',
  'plants appear after 300 ms at one of two replicas',
  'plants never appear',
  'the scheme is case-sensitive',
  'the store holds 50 plants, and lists are the newest first',
  'the tenth request asks for a pause of an hour',
  'tokens expire after 13 requests with 401',
]

/** Those whose reports differ where the check creates no plant. */
const readOnlyNames = [
  'empty lists are 404',
  'failures are 200',
  'failures have request ids of 12 hexadecimal digits, dates and durations',
  'from request 60 on, every response is a page of HTML',
  'from the fiftieth request on, every response is 429',
  'limit is ignored',
  'limits over 7 are refused',
  'lists have 250 plants by default, of 1,000',
  'lists take any token or none',
  'names are from a list, and the check knows one',
  'requests without a token get no response',
  'the tenth request asks for a pause of an hour',
]

const behaviours: readonly Behaviour[] = [
  'a list is an object',
  'creates fail with 500',
  'deep nesting causes 500',
  'every third request gets 429',
  'limit is ignored',
  'lists are declared as HTML',
  'lists need no token',
  'lists show null for a tag',
  'nothing is stored',
  'plants are stored for the other caller',
  'wrong types cause 500',
]

const assumptions = [
  ['create.required', 'name+id'],
  ['error.authBody', 'json'],
  ['list.defaultLimit', 10],
  ['list.limitFormat', 'prefix'],
  ['list.maxLimit', 'clamp'],
  ['rate.limit', 'every-tenth'],
] as const

/** Compares a report with the approved one, and shows what it has beyond the report on a usual service. */
const itIsApproved = (
  title: string,
  names: readonly string[],
  usual: () => Service,
  serve: (name: string) => Service,
) =>
  describe(title, () => {
    let usualReport: Promise<string> | undefined

    it('is the approved one for a usual service', async () => {
      expect(await reportOn(usual())).toMatchSnapshot()
    })

    it.each(names)('is the approved one where %s', async (name) => {
      usualReport ??= reportOn(usual())
      expect(beyond(await reportOn(serve(name)), await usualReport)).toMatchSnapshot()
    })
  })

itIsApproved(
  'a report',
  quirkNames,
  () => quirky('no quirk'),
  (name) => quirky(name),
)
itIsApproved(
  'a read-only report',
  readOnlyNames,
  () => quirky('no quirk', { readOnly: true }),
  (name) => quirky(name, { readOnly: true }),
)
itIsApproved('an intrusive report', behaviours, wrong, (name) => wrong(name as Behaviour))
itIsApproved(
  'a report on a mock',
  assumptions.map((assumption) => assumption.join('=')),
  () => assuming({}),
  (name) => assuming(Object.fromEntries(assumptions.filter((assumption) => assumption.join('=') === name))),
)

describe('a report that shows everything', () => {
  it.each(['text', 'junit'] as const)('is the approved one as %s', async (format) => {
    const { fetch, options } = wrong('limit is ignored', 'plants come by id', 'a limit is required')
    const expected = new Map([['create.status', { value: 200 as const }]] as const)
    const report = await check(fetch, { ...options, expect: expected, skip: ['create.json'] })
    expect(renderConformance(report, format, paintFor(format === 'text', {}))).toMatchSnapshot()
  })
})

describe('the requests of a check', () => {
  it.each<readonly [string, () => Service]>([
    ['a whole check', () => quirky('no quirk')],
    ['a read-only check', () => quirky('no quirk', { readOnly: true })],
  ])('are the approved ones in %s', async (_, service) => {
    expect(await requestsTo(service())).toMatchSnapshot()
  })
})
