import { describe, expect, it } from 'vitest'
import { renderReport } from '../../src/cli/vary-report.ts'
import type { VaryReport } from '../../src/cli/vary-session.ts'
import { defaultAssumptions, findAssumption } from '../../src/core/assumptions/registry.ts'
import { idIn } from '../../src/vary/search/observation.ts'
import type { TestRun } from '../../src/vary/suite/test-run.ts'

const status = 'create.status=200'
const order = 'list.order=newest'

const failure = (message: string): TestRun => ({
  id: 'a',
  name: 'creates a plant',
  file: 'a.test.js',
  outcome: 'failed',
  message,
  start: 0,
  end: 1,
})

const report = (more: Partial<VaryReport>): string =>
  renderReport(
    {
      broken: [],
      flaky: [],
      isCommandFlaky: false,
      passed: [],
      notMet: [],
      fixed: [],
      ineffective: [],
      notJudged: [],
      metBy: new Map(),
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
      repeatOf: (set) => `npx plant-mock vary --only ${set.join(' ')}`,
      failedRunOf: () => undefined,
      rowOf: (key) => findAssumption(idIn(key)),
      ...more,
    },
    'text',
    false,
  )

describe('the verdict of vary', () => {
  it.each<readonly [string, Partial<VaryReport>]>([
    ['No alternative was tried.', {}],
    ['The one alternative that the client can notice does not break it.', { passed: [status] }],
    ['None of the 2 alternatives that the client can notice breaks it.', { passed: [status, order] }],
    [
      'None of the 2 alternatives that the client can notice breaks it, apart from flaky tests.',
      { passed: [status, order], flaky: [failure('')] },
    ],
    [
      'The command is flaky, which leaves no result for 1 alternative that the client can notice.',
      { passed: [status], isCommandFlaky: true },
    ],
    [
      '1 alternative of 2 tried breaks the client: create.status.',
      { passed: [order], broken: [{ set: [status], tests: [failure('')] }] },
    ],
    [
      'create.status breaks the client together with list.order; alone neither does.',
      { passed: [status, order], broken: [{ set: [status, order], tests: [failure('')] }] },
    ],
    [
      '1 alternative of 2 tried breaks the client: list.order. create.status breaks the client together with list.order.',
      {
        passed: [status],
        broken: [
          { set: [order], tests: [failure('')] },
          { set: [status, order], tests: [failure('')] },
        ],
      },
    ],
  ])('is: %s', (verdict, more) => {
    expect(report(more)).toContain(`3 runs, 4 exchanges. ${verdict}\n`)
  })
})

describe('a report of vary', () => {
  it('shows all lines of a message, up to ten', () => {
    const lines = Array.from({ length: 12 }, (_, number) => `line ${number}: of the message`)
    const text = report({ broken: [{ set: [status], tests: [failure(lines.join('\n\n'))] }] })
    expect(text.split('\n').filter((line) => /^ {6}(?:line|…)/.test(line))).toEqual([
      ...lines.slice(0, 10).map((line) => `      ${line}`),
      '      …',
    ])
  })

  it('names the programs in which it recognised no test runner', () => {
    const broken = [{ set: [status], tests: [] }]
    const known = { areTestsKnown: false, broken }
    expect(report({ ...known, programs: ['tap 21.0.0', 'c8 10.1.2'] })).toContain(
      'The tests are not known, because no test runner was recognised in tap 21.0.0, c8 10.1.2. Use --results FILE',
    )
    expect(report(known)).toContain('because no test runner was recognised. Use --results FILE')
  })
})
