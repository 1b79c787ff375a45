import { describe, expect, it } from 'vitest'
import { type Assumption, defaultAssumptions, findAssumption } from '../../../src/core/assumptions/registry.ts'
import { renderText } from '../../../src/util/render-report.ts'
import { failuresIn, type Report } from '../../../src/util/report.ts'
import { plain } from '../../../src/util/terminal.ts'
import { varyReport } from '../../../src/vary/report/vary-report.ts'
import type { VaryReport } from '../../../src/vary/search/search-alternatives.ts'
import type { TestResult } from '../../../src/vary/suite/test-result.ts'

const status = 'create.status=200'
const order = 'list.order=newest'

const failure = (message: string): TestResult => ({
  id: 'a',
  name: 'creates a plant',
  file: 'a.test.js',
  outcome: 'failed',
  message,
  start: 0,
  end: 1,
})

const report = (more: Partial<VaryReport>, options: Partial<Parameters<typeof varyReport>[1]> = {}): Report =>
  varyReport(
    {
      broken: [],
      flaky: [],
      isCommandFlaky: false,
      passed: [],
      notExercised: [],
      fixed: [],
      notJudged: new Map(),
      mocks: { inTests: true, served: false },
      isHook: () => false,
      countExercising: () => 0,
      exchangeOf: () => undefined,
      command: ['npm', 'test'],
      base: defaultAssumptions,
      exchanges: 4,
      runs: 3,
      milliseconds: 1,
      isStopped: false,
      areTestsKnown: true,
      assumeOf: () => ({}),
      failedRunOf: () => undefined,
      rowOf: (key) => findAssumption(key.split('=')[0] ?? '') as Assumption,
      ...more,
    },
    { repeatOf: (key) => `npx plant-mock vary --only ${key}`, next: 'Next: …', ...options },
  )
const text = (...given: Parameters<typeof report>): string =>
  renderText(report(...given), { paint: plain, width: 1000 })

describe('the verdict of vary', () => {
  it.each<readonly [string, Partial<VaryReport>]>([
    ['No alternative would change a response to your tests.', {}],
    ['Your tests pass under the only alternative that the client can notice.', { passed: [status] }],
    ['Your tests pass under all 2 alternatives that the client can notice.', { passed: [status, order] }],
    [
      'Your tests pass under all 2 alternatives that the client can notice, apart from flaky tests.',
      { passed: [status, order], flaky: [failure('')] },
    ],
    ['No alternative was judged.', { notJudged: new Map([[status, 'flaky']]), isCommandFlaky: true }],
    [
      'Your tests pass under 1 of 2 alternatives that the client can notice.',
      { passed: [order], notJudged: new Map([[status, 'skipped']]) },
    ],
    [
      'Your tests pass, but rely on 1 guess about the service.',
      { passed: [order], broken: [{ key: status, tests: [failure('')] }] },
    ],
    [
      'Your tests pass, but rely on 2 guesses about the service.',
      {
        broken: [
          { key: order, tests: [failure('')] },
          { key: 'list.order=name', tests: [failure('')] },
          { key: status, tests: [failure('')] },
        ],
      },
    ],
  ])('is in the first line: %s', (verdict, more) => {
    expect(report(more)).toMatchObject({ verdict, data: { verdict } })
  })
})

describe('a report of vary', () => {
  it('says of a guess what it is, the alternative, the test, and what to do', () => {
    const broken = [{ key: status, tests: [{ ...failure('Expected: 201\nReceived: 200'), line: 7 }] }]
    const assumeOf = () => ({ 'create.status': 200 }) as const
    const shown = text({ broken, assumeOf }, {})
    expect(shown).toMatchInlineSnapshot(`
      "Your tests pass, but rely on 1 guess about the service.
      3 runs, 4 exchanges.

      Relied on: a create returning exactly 201
        create.status=200: OK (contract 4.1) — 1 test fails
          a.test.js:7  creates a plant
            Expected: 201
            Received: 200
          Repeat  npx plant-mock vary --only create.status=200

      Read: npx plant-mock contract 4.1
      Pin in the test: await plants.assume({ 'create.status': 201 })
      Next: change the client or the test, then run npx plant-mock vary --only create.status=200
      "
    `)
  })

  it('shows an exchange of the failed tests that the alternative changed', () => {
    const exchangeOf: VaryReport['exchangeOf'] = (key, tests) => ({
      request: `POST /${key}/${tests.join()}`,
      diff: ['- 201', '+ 200'],
    })
    const failedRunOf = () => ({ output: 'run.log', outcome: 'exit code 1' })
    const shown = text({ broken: [{ key: status, tests: [failure('')] }], failedRunOf, exchangeOf })
    expect(shown).toContain('    POST /create.status=200/a\n      - 201\n      + 200\n    Output  run.log\n')
  })

  it('says that hooks are among the failures', () => {
    const hook = { ...failure(''), id: 'hook', name: 'beforeAll' }
    const shown = text({ broken: [{ key: status, tests: [hook, failure('')] }], isHook: ({ id }) => id === 'hook' })
    expect(shown).toMatch(/create\.status=200: .* — 2 tests, hooks or files fail\n/)
  })

  it.each([
    [
      'in tests',
      { inTests: true, served: false },
      /^(?!.*--assume).*await plants\.assume\(\{ 'create\.status': 201 \}\)/s,
    ],
    [
      'served',
      { inTests: false, served: true },
      /^(?!.*plants\.assume).*--assume create\.status=201, or in a test PATCH/s,
    ],
  ])('says how to pin a guess of a mock %s', (_, mocks, pin) => {
    expect(text({ broken: [{ key: status, tests: [] }], mocks })).toMatch(pin)
  })

  it('has an accepted guess in one line, with its reason, and calls it no failure', () => {
    const acceptance = { accepted: new Map([[status, 'we read both']]), gone: [], notAccepted: [] }
    const broken = [{ key: status, tests: [failure('lost')] }]
    const found = report({ broken }, { acceptance: { ...acceptance, file: 'a.txt', isUpdated: false } })
    expect(renderText(found, { paint: plain })).toMatch(/\n\nAccepted\n {2}create\.status=200: we read both \(.*\)\n\n/)
    expect([found.verdict.split('. ')[1], failuresIn(found)]).toEqual(['Accepted: 1 of 1 alternative.', []])
  })

  it('names what breaks nothing only if it is verbose', () => {
    const lists = { passed: [order], notExercised: [status] } as const
    expect(text(lists)).toContain('\n\nOther alternatives: 1 harmless, 1 not exercised. --verbose names them.\n')
    expect(text(lists, { verbose: true })).toContain(
      '\n\nNot exercised: no response would change\n  create.status=200\n',
    )
  })

  it('names what is not judged, by reason', () => {
    const notJudged = new Map([[status, 'skipped'] as const, [order, 'unseen'] as const])
    const shown = text({ notJudged })
    expect(shown).toMatch(
      /\n\nNot judged\n {2}create.status=200: a test that exercises the change did not run, or a test did not end\n/,
    )
    expect(shown).toContain('\n  list.order=newest: no response showed the change: a cache replied, or ')
  })

  it('says that it recognised no test runner', () => {
    const shown = text({ areTestsKnown: false, broken: [{ key: status, tests: [] }] })
    expect(shown).toMatch(/because no test runner was\s+recognised\. Use --results FILE/)
  })
})
