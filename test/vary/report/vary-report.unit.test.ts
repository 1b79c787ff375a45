import { describe, expect, it } from 'vitest'
import { type Assumption, defaultAssumptions, findAssumption } from '../../../src/core/assumptions/registry.ts'
import { plain } from '../../../src/util/terminal.ts'
import { renderVaryReport } from '../../../src/vary/report/vary-report.ts'
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

const report = (more: Partial<VaryReport>, options: Partial<Parameters<typeof renderVaryReport>[1]> = {}): string =>
  renderVaryReport(
    {
      broken: [],
      flaky: [],
      isCommandFlaky: false,
      passed: [],
      notExercised: [],
      fixed: [],
      notJudged: new Map(),
      isObserved: true,
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
      programs: [],
      ignored: undefined,
      assumeOf: () => ({}),
      failedRunOf: () => undefined,
      rowOf: (key) => findAssumption(key.split('=')[0] ?? '') as Assumption,
      ...more,
    },
    {
      reporter: 'text',
      repeatOf: (key) => `npx plant-mock vary --only ${key}`,
      screen: { paint: plain },
      next: 'Next: …',
      ...options,
    },
  )

describe('the verdict of vary', () => {
  it.each<readonly [string, Partial<VaryReport>]>([
    ['No alternative would change a response to your tests.', {}],
    ['Your tests pass under the one alternative that the client can notice.', { passed: [status] }],
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
    expect(report(more).split('\n')[0]).toBe(verdict)
    expect(JSON.parse(report(more, { reporter: 'json' }))).toMatchObject({ verdict })
  })
})

describe('a report of vary', () => {
  it('says of a guess what it is, the alternative, the test, and what to do', () => {
    const broken = [{ key: status, tests: [{ ...failure('Expected: 201\nReceived: 200'), line: 7 }] }]
    const assumeOf = () => ({ 'create.status': 200 }) as const
    const text = report({ broken, assumeOf }, { sourceLine: () => 'expect(response.status).toBe(201)' })
    expect(text).toMatchInlineSnapshot(`
      "Your tests pass, but rely on 1 guess about the service.
      3 runs, 4 exchanges.

      Relied on
        create.status: a create returning exactly 201 (contract 4.1)
          With create.status=200 (OK), 1 test fails:
            a.test.js:7  creates a plant
              Expected: 201
              Received: 200
            Repeat  npx plant-mock vary --only create.status=200
          Perhaps only the test relies on it: its assertion compares the response itself.
          Accept this in the client, or pin the guess in the test: await mock.assume({ 'create.status': 201 })

      Read: npx plant-mock contract 4.1
      Next: …
      "
    `)
    expect(report({ broken, assumeOf }, { sourceLine: () => 'expect(screen).toBe(1)' })).not.toContain('Perhaps')
  })

  it('shows an exchange of the failed tests that the alternative changed', () => {
    const exchangeOf: VaryReport['exchangeOf'] = (key, tests) => ({
      request: `POST /${key}/${tests.join()}`,
      diff: ['- 201', '+ 200'],
    })
    const failedRunOf = () => ({ output: 'run.log', outcome: 'exit code 1' })
    const text = report({ broken: [{ key: status, tests: [failure('')] }], failedRunOf, exchangeOf })
    expect(text).toContain('      POST /create.status=200/a\n        - 201\n        + 200\n      Output  run.log\n')
  })

  it('counts hooks apart from tests', () => {
    const hook = { ...failure(''), id: 'hook', name: 'beforeAll' }
    const text = report({ broken: [{ key: status, tests: [hook, failure('')] }], isHook: ({ id }) => id === 'hook' })
    expect(text).toMatch(/With create\.status=200 \(.*\), 1 hook and 1 test fail:\n/)
  })

  it('advises no JavaScript where no runner of it was observed', () => {
    const text = report({ broken: [{ key: status, tests: [] }], isObserved: false })
    expect(text).toContain(
      'or pin the guess: --assume create.status=201, or in one test PATCH /__plant-mock/assumptions with {"create.status":201}\n',
    )
  })

  it('names what breaks nothing only if it is verbose', () => {
    const lists = { passed: [order], notExercised: [status] } as const
    expect(report(lists)).toContain('\n\nBreak nothing alone: 1. Not exercised: 1. --verbose names them.\n')
    expect(report(lists, { verbose: true })).toContain(
      '\n\nNot exercised: no response would change\n  create.status=200\n',
    )
  })

  it('names what is not judged, by reason', () => {
    const notJudged = new Map([[status, 'skipped'] as const, [order, 'unseen'] as const])
    const text = report({ notJudged })
    expect(text).toContain(
      '\n\nNot judged\n  create.status=200: a test that exercises it was skipped, or a test did not end\n',
    )
    expect(text).toContain('\n  list.order=newest: no response showed it: a cache replied, or ')
  })

  it('shows all lines of a message, up to forty', () => {
    const lines = Array.from({ length: 42 }, (_, number) => `line ${number}: of the message`)
    const text = report({ broken: [{ key: status, tests: [failure(lines.join('\n\n'))] }] })
    expect(text.split('\n').filter((line) => /^ {8}(?:line|…)/.test(line))).toEqual([
      ...lines.slice(0, 40).map((line) => `        ${line}`),
      '        …',
    ])
  })

  it('names the programs in which it recognised no test runner', () => {
    const broken = [{ key: status, tests: [] }]
    const known = { areTestsKnown: false, broken }
    expect(report({ ...known, programs: ['tap 21.0.0', 'c8 10.1.2'] })).toContain(
      'The tests are not known, because no test runner was recognised in tap 21.0.0, c8 10.1.2. Use --results FILE',
    )
    expect(report(known)).toContain('because no test runner was recognised. Use --results FILE')
  })
})
