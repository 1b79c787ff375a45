import { describe, expect, it } from 'vitest'
import type { Judgement } from '../../../src/vary/search/judge-test.ts'
import { summarise } from '../../../src/vary/search/summary.ts'
import { type Observation, wholeCommand } from '../../../src/vary/suite/observe.ts'
import type { TestResult } from '../../../src/vary/suite/test-result.ts'

const planned = ['create.status=200', 'list.order=newest', 'list.order=name', 'auth.status=403']

const judgement = (visible: readonly string[], more: Partial<Judgement> = {}): Judgement => ({
  isFlaky: false,
  visible: new Set(visible),
  cleared: new Set(visible),
  suspects: new Set(),
  ineffective: new Set(),
  causes: [],
  demand: undefined,
  ...more,
})
const failure = (name: string, message: string): TestResult => ({
  id: name,
  name,
  file: 'a.test.js',
  outcome: 'failed',
  message,
  start: 0,
  end: 1,
})
const tried: Observation = {
  set: planned,
  files: undefined,
  failed: new Set(),
  passed: new Set(),
  visible: new Map(),
}
const sum = (
  judgements: Readonly<Record<string, Judgement>>,
  {
    failures = [],
    fixed = [],
    observations = [tried],
  }: {
    readonly failures?: Parameters<typeof summarise>[3]
    readonly fixed?: readonly 'auth.status'[]
    readonly observations?: readonly Observation[]
  } = {},
) => summarise({ observations, judgements: new Map(Object.entries(judgements)) }, planned, new Set(fixed), failures)

describe('an alternative', () => {
  it('passed when every test that sees it passed with it', () => {
    expect(sum({ one: judgement(['create.status=200']) }).passed).toEqual(['create.status=200'])
  })

  it('is not exercised when no test sees it, or fixed when a test sets its assumption', () => {
    expect(sum({ one: judgement(planned.slice(0, 3)) })).toMatchObject({ notMet: ['auth.status=403'], fixed: [] })
    expect(sum({ one: judgement(planned.slice(0, 3)) }, { fixed: ['auth.status'] })).toMatchObject({
      notMet: [],
      fixed: ['auth.status=403'],
    })
  })

  it('is not judged when a test that sees it gave no answer, or when it was not tried', () => {
    const undecided = judgement(['list.order=name'], { cleared: new Set() })
    expect(sum({ one: undecided }).notJudged).toEqual(['list.order=name'])
    expect(sum({ one: judgement(['list.order=name']) }, { observations: [] }).notJudged).toEqual(['list.order=name'])
  })

  it('breaks tests, with the message of the run that has the fewest others in force', () => {
    const causes = [['list.order=newest']]
    const failures = [
      { set: ['create.status=200', 'list.order=newest'], tests: [failure('one', 'with both')] },
      { set: ['list.order=newest'], tests: [failure('one', 'alone')] },
    ]
    const { broken, passed } = sum(
      { one: judgement(planned, { causes }), two: judgement(planned, { causes }) },
      { failures },
    )
    expect(broken).toMatchObject([{ set: ['list.order=newest'], tests: [{ name: 'one', message: 'alone' }] }])
    expect(passed).not.toContain('list.order=newest')
  })

  it('breaks the command alone where no test is known', () => {
    const { broken } = sum({ [wholeCommand]: judgement(planned, { causes: [['create.status=200']] }) })
    expect(broken).toEqual([{ set: ['create.status=200'], tests: [] }])
  })

  it('comes before those that break only together', () => {
    const causes = [['create.status=200', 'list.order=name'], ['auth.status=403']]
    const { broken, passed } = sum({ one: judgement(planned, { causes }) })
    expect(broken.map(({ set }) => set)).toEqual([['auth.status=403'], ['create.status=200', 'list.order=name']])
    expect(passed).toContain('create.status=200')
  })
})

it('names flaky tests, and a flaky command', () => {
  const failures = [{ set: [], tests: [failure('one', 'sometimes')] }]
  const flaky = judgement([], { isFlaky: true })
  expect(sum({ one: flaky, [wholeCommand]: flaky }, { failures })).toMatchObject({
    flaky: [{ name: 'one' }],
    isCommandFlaky: true,
  })
})
