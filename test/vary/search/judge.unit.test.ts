import { describe, expect, it } from 'vitest'
import { type Behaviour, judgeSuite, type SimulatedSuite, type Simulation } from './simulated-suite.ts'

const keys = ['k=1', 'l=1', 'm=1', 'n=1', 'o=1']
const every = (behaviour: Behaviour) => Object.fromEntries(keys.map((key) => [key, behaviour]))
const allPass = keys.map(() => 'passes')

describe('a search', () => {
  it('tries each exercised change in a run of its own', async () => {
    const tests: SimulatedSuite = { 1: { 'k=1': 'passes', 'l=1': 'passes' }, 2: { 'n=1': 'passes' } }
    const { served, statuses } = await judgeSuite({ keys, tests })
    expect(served).toEqual(['k=1', 'l=1', 'n=1'])
    expect(statuses).toEqual(['passes', 'passes', 'notExercised', 'passes', 'notExercised'])
  })

  it('counts a pass only if a response of each test showed the change, which a cache may hide', async () => {
    const { statuses } = await judgeSuite({
      keys,
      tests: { 1: { 'k=1': 'hides', 'l=1': 'passes' }, 2: { 'k=1': 'passes' } },
    })
    expect(statuses).toEqual(['unseen', 'passes', 'notExercised', 'notExercised', 'notExercised'])
  })

  it('judges what ran before it was stopped', async () => {
    const { statuses } = await judgeSuite({ keys, tests: { 1: every('passes') }, stopsAfter: 2 })
    expect(statuses).toEqual(['passes', 'passes', 'stopped', 'stopped', 'stopped'])
  })

  it.each([1, 2])(
    'says that a test which skips itself under a change leaves it without a verdict, with %i jobs',
    async (jobs) => {
      const tests: SimulatedSuite = { 1: { 'k=1': 'skips', 'l=1': 'passes' }, 2: { 'k=1': 'passes' } }
      const { statuses, served } = await judgeSuite({ keys, tests }, { jobs })
      expect([statuses.slice(0, 2), served]).toEqual([
        ['skipped', 'passes'],
        ['k=1', 'l=1'],
      ])
    },
  )
})

describe('a repeated test', () => {
  const tests: SimulatedSuite = { 1: { 'k=1': 'passes', 'l=1': 'fails', 'm=1': 'passes' }, 2: { 'k=1': 'passes' } }
  const passed = {
    'k=1': new Map([
      ['1', 'passed'],
      ['2', 'passed'],
    ] as const),
  }

  it('that passes judges a change without a run, if each test that exercises it was repeated', async () => {
    const repeated = new Map(Object.entries({ ...passed, 'm=1': new Map([['2', 'passed']] as const) }))
    const { statuses, served } = await judgeSuite({ keys, tests }, { repeated })
    expect(statuses.slice(0, 3)).toEqual(['passes', 'fails', 'passes'])
    expect(served).toEqual(['l=1', 'l=1', 'm=1', ''])
  })

  it('that fails needs one whole run', async () => {
    const repeated = new Map([['l=1', new Map([['1', 'failed']] as const)]])
    const { failing, served } = await judgeSuite({ keys: ['l=1'], tests }, { repeated })
    expect([failing, served]).toEqual([[['1']], ['l=1', '']])
  })

  it('that fails alone blames nothing: the repetitions before it may be the cause', async () => {
    const repeated = new Map([['m=1', new Map([['1', 'failed']] as const)]])
    const { statuses, flaky, served } = await judgeSuite({ keys: ['m=1'], tests }, { repeated })
    expect([statuses, flaky, served]).toEqual([['passes'], [], ['m=1']])
  })
})

describe('a failure', () => {
  it('is repeated once, and at the end without a change', async () => {
    const tests: SimulatedSuite = { 1: { 'k=1': 'fails' }, 2: { 'k=1': 'fails', 'm=1': 'passes' } }
    const { served, failing } = await judgeSuite({ keys, tests })
    expect(served).toEqual(['k=1', 'k=1', 'm=1', ''])
    expect(failing).toEqual([['1', '2'], [], [], [], []])
  })

  it('needs no repeat once its test has failed again under four changes', async () => {
    const many = Array.from({ length: 10 }, (_, index) => `k=${index}`)
    const tests = { 1: Object.fromEntries(many.map((key) => [key, 'fails' as const])) }
    expect((await judgeSuite({ keys: many, tests })).served).toHaveLength(10 + 4 + 1)
  })

  it.each([2, 3, 5])('by chance, in every run whose number divides by %i, blames nothing', async (period) => {
    const { statuses, flaky } = await judgeSuite({
      keys,
      tests: { 1: every('passes'), 2: every('passes') },
      flakes: (test, run) => test === '2' && run % period === 0,
    })
    expect([statuses, flaky]).toEqual([allPass, ['2']])
  })

  it('from some run on, whatever is served, blames nothing', async () => {
    const { statuses, flaky } = await judgeSuite({ keys, tests: { 1: every('passes') }, flakes: (_, run) => run > 2 })
    expect([statuses, flaky]).toEqual([keys.map(() => 'flaky'), ['1']])
  })

  it('that keeps later tests from running does not keep them from a verdict', async () => {
    const tests: SimulatedSuite = { 1: { 'k=1': 'fails' }, 2: { 'l=1': 'fails' }, 3: { 'm=1': 'passes' } }
    const { failing, statuses } = await judgeSuite({ keys, tests, bails: true })
    expect(failing.slice(0, 2)).toEqual([['1'], ['2']])
    expect(statuses[2]).toBe('passes')
  })

  it('of a test known as flaky that keeps others from running makes the run repeat', async () => {
    const { statuses, served } = await judgeSuite({
      keys: ['k=1', 'l=1'],
      tests: { 1: {}, 2: { 'k=1': 'passes', 'l=1': 'passes' } },
      bails: true,
      flakes: (test, run) => test === '1' && [1, 3].includes(run),
    })
    expect([statuses, served]).toEqual([
      ['passes', 'passes'],
      ['k=1', 'k=1', 'l=1', 'l=1'],
    ])
  })

  it('of a flaky test that keeps a test from running in each run leaves the change without a verdict', async () => {
    const { statuses, served } = await judgeSuite({
      keys: ['k=1', 'l=1'],
      tests: { 1: {}, 2: { 'l=1': 'fails' } },
      bails: true,
      flakes: (test, run) => test === '1' && run !== 2,
    })
    expect([statuses, served]).toEqual([['notExercised', 'skipped'], Array(4).fill('l=1')])
  })
})

it('a change does not pass while a flaky failure has kept a test from running that may depend on another', async () => {
  const { failing } = await judgeSuite({
    keys: ['l=1', 'k=1'],
    tests: { 1: { 'l=1': 'passes', 'k=1': 'passes' }, 2: {}, 3: { 'k=1': 'depends' } },
    bails: true,
    flakes: (test, run) => test === '2' && [1, 3].includes(run),
  })
  expect(failing).toEqual([[], ['3']])
})

describe('a suite that fails without changes at the end', () => {
  const tests = { 1: every('passes'), 2: { 'k=1': 'fails' } } as const
  const failsUnchanged = (last: number) => (test: string, run: number, key: string | undefined) =>
    test === '1' && key === undefined && run <= last

  it('twice, was left failing by the runs', async () => {
    const { leftFailing, served } = await judgeSuite({ keys: ['k=1'], tests, flakes: failsUnchanged(4) })
    expect([leftFailing, served]).toEqual([['1'], ['k=1', 'k=1', '', '']])
  })

  it('once, has a flaky test', async () => {
    const { leftFailing, flaky } = await judgeSuite({ keys: ['k=1'], tests, flakes: failsUnchanged(3) })
    expect([leftFailing, flaky]).toEqual([[], ['1']])
  })
})

describe('a change that breaks the command', () => {
  const tests = { 1: every('passes'), 2: every('passes') }

  it('without a failing test is blamed', async () => {
    const end: NonNullable<Simulation['end']> = (key) => (key === 'k=1' ? { '': 'failed' } : undefined)
    const { failing, statuses } = await judgeSuite({ keys, tests, end })
    expect([failing[0], statuses]).toEqual([[''], ['fails', 'passes', 'passes', 'passes', 'passes']])
  })

  it('by a test that does not end is blamed as a whole, and the test is not flaky', async () => {
    const end: NonNullable<Simulation['end']> = (key) => (key === 'k=1' ? { 1: 'unended', '': 'failed' } : undefined)
    const { failing, served, flaky } = await judgeSuite({ keys: ['k=1'], tests, end })
    expect([failing, served, flaky]).toEqual([[['']], ['k=1', 'k=1', ''], []])
  })

  it('although its tests pass is not judged', async () => {
    const end: NonNullable<Simulation['end']> = (key) =>
      key === 'k=1' ? { 1: 'passed', 2: 'passed', '': 'unexplained' } : undefined
    const { failing, statuses } = await judgeSuite({ keys, tests, end })
    expect([failing[0], statuses.slice(0, 2)]).toEqual([[], ['unexplained', 'passes']])
  })

  it('once is flaky', async () => {
    const end: NonNullable<Simulation['end']> = (_, run) => (run === 2 ? { '': 'failed' } : undefined)
    const { statuses, flaky } = await judgeSuite({ keys, tests, end })
    expect([statuses, flaky]).toEqual([allPass, ['']])
  })

  it('in a hook is named with the hook', async () => {
    const end: NonNullable<Simulation['end']> = (key) => (key === 'k=1' ? { 1: 'passed', hook: 'failed' } : undefined)
    const { failing, statuses } = await judgeSuite({ keys, tests, end })
    expect([failing[0], statuses[1]]).toEqual([['hook'], 'passes'])
  })

  it('in a hook that another failure kept from running once is named with the hook', async () => {
    const end: NonNullable<Simulation['end']> = (key, run) => {
      if (key !== 'k=1') return undefined
      return run === 2 ? { 1: 'unended', 2: 'failed' } : { 1: 'passed', 2: 'passed', hook: 'failed' }
    }
    expect((await judgeSuite({ keys, tests, end })).failing[0]).toEqual(['hook'])
  })
})

it('a test that failed once, and then never runs again, ends the search without a verdict about it', async () => {
  // From the second run on, the first test fails, and stops the runner before the second test.
  const { statuses, served } = await judgeSuite({
    keys,
    tests: { 1: { 'l=1': 'passes' }, 2: { 'k=1': 'passes' } },
    bails: true,
    flakes: (test, run, key) => key === 'k=1' && (run > 1 ? test === '1' : test === '2'),
  })
  expect(statuses[0]).toBe('skipped')
  expect(served).toHaveLength(4)
})
