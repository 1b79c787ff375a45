import { describe, expect, it } from 'vitest'
import { judge, type SimulatedTest, type Simulation } from './simulated-suite.ts'

const keys = ['k=1', 'l=1', 'm=1', 'n=1', 'o=1']

/** Tests of files, named `file test`: the changes that alter a reply, and whether each makes it fail. */
const suite = (tests: Readonly<Record<string, SimulatedTest['meets']>>): readonly SimulatedTest[] =>
  Object.entries(tests).map(([id, meets]) => {
    const [file = '', name = ''] = id.split(' ')
    return { name, file, meets }
  })
const every = (fails: boolean) => Object.fromEntries(keys.map((key) => [key, fails]))
const servedIn = (serve: Readonly<Record<string, readonly string[]>>) => Object.values(serve).flat()

describe('a search', () => {
  it('gives all files the same change if that takes no more runs', async () => {
    const tests = suite({ 'a 1': every(false), 'a 2': { 'k=1': false }, 'b 1': every(false), 'c 1': { 'o=1': false } })
    const { planned, statuses } = await judge({ keys, tests })
    expect(planned.map(({ serve }) => new Set(servedIn(serve)).size)).toEqual(keys.map(() => 1))
    expect(new Set(Object.values(statuses))).toEqual(new Set(['passes']))
  })

  it('gives each file another change in one run, as many as the busiest file meets', async () => {
    const tests = suite({ 'a 1': { 'k=1': false, 'l=1': false }, 'b 1': { 'm=1': false, 'n=1': false } })
    const { planned } = await judge({ keys, tests })
    expect(planned.map(({ serve }) => servedIn(serve))).toEqual([
      ['k=1', 'm=1'],
      ['l=1', 'n=1'],
    ])
  })

  it.each([
    ['file', 'a 2'],
    ['process', 'b 1'],
  ])('gives all tests of a %s the same change', async (place, second) => {
    const tests = suite({ 'a 1': { 'k=1': false }, [second]: { 'l=1': false } })
    const { planned } = await judge({ keys, tests, isOneProcess: place === 'process' })
    expect(planned.map(({ serve }) => servedIn(serve))).toEqual([['k=1'], ['l=1']])
  })

  it('tries a change that undoes the effect of another one alone', async () => {
    // Both are visible in the same test, which would pass with both.
    const { failing } = await judge({ keys, tests: suite({ 'a 1': { 'k=1': true, 'l=1': false } }) })
    expect(failing).toMatchObject({ 'k=1': ['a 1'], 'l=1': [] })
  })

  it('serves the whole command where tests share one state, and no file knows its mocks', async () => {
    const tests = suite({ 'a 1': { 'k=1': false }, 'b 1': { 'l=1': true } })
    const { planned, failing } = await judge({ keys, tests, isFileKnown: false })
    expect(planned.flatMap(({ serve }) => Object.keys(serve))).toEqual(['*', '*', '*'])
    expect(planned.map(({ files }) => files)).toEqual([undefined, undefined, undefined, undefined])
    expect(failing).toMatchObject({ 'k=1': [], 'l=1': ['b 1'] })
  })

  it('runs only files with an open question', async () => {
    const { planned } = await judge({ keys, tests: suite({ 'a 1': { 'k=1': false }, 'b 1': every(false) }) })
    expect(planned.map(({ files }) => files?.toSorted().join())).toEqual(['a,b', 'b', 'b', 'b', 'b'])
  })

  it('counts a pass only if a response of the test showed the change', async () => {
    const tests = suite({ 'a 1': { 'k=1': false, 'l=1': false } })
    const { statuses, reasons } = await judge({ keys, tests, hides: (_, key) => key === 'k=1' })
    expect(statuses).toMatchObject({ 'k=1': 'notJudged', 'l=1': 'passes', 'm=1': 'notExercised' })
    expect(reasons).toMatchObject({ 'k=1': 'unseen' })
  })

  it('says how much is exercised, and in how many runs', async () => {
    const plans: (readonly [number, number])[] = []
    const tests = suite({ 'a 1': { 'k=1': false, 'l=1': false }, 'b 1': { 'm=1': true } })
    await judge({ keys, tests }, { onPlan: (...plan) => plans.push(plan) })
    expect(plans).toEqual([[3, 2]])
  })

  it('judges what ran before it was stopped', async () => {
    const tests = suite({ 'a 1': every(false) })
    const { statuses, reasons } = await judge({ keys, tests, stopsAfter: 2 })
    expect(Object.values(statuses)).toEqual(['passes', 'passes', 'notJudged', 'notJudged', 'notJudged'])
    expect(reasons).toMatchObject({ 'm=1': 'stopped' })
  })

  it.each([1, 2])(
    'says that a test which skips itself under a change leaves it without a verdict, with %i jobs',
    async (jobs) => {
      const tests = suite({ 'a 1': { 'k=1': false, 'l=1': false }, 'a 2': { 'k=1': false } })
      const skips: NonNullable<Simulation['skips']> = ({ name }, _, { serve }) =>
        name === '1' && servedIn(serve).includes('k=1')
      const { statuses, reasons, planned } = await judge({ keys, tests, skips }, { jobs })
      expect([statuses['k=1'], reasons['k=1'], statuses['l=1']]).toEqual(['notJudged', 'skipped', 'passes'])
      expect(planned.length).toBeLessThan(5)
    },
  )
})

describe('a failure', () => {
  it('is repeated once without other changes, in all files that meet its change', async () => {
    const tests = suite({
      'a 1': { 'k=1': true },
      'b 1': { 'k=1': true },
      'c 1': { 'm=1': false },
      'd 1': { 'm=1': true },
    })
    const { planned, failing } = await judge({ keys, tests })
    expect(planned.map(({ serve }) => serve)).toEqual([
      { a: ['k=1'], b: ['k=1'], c: ['m=1'], d: ['m=1'] },
      { a: ['k=1'], b: ['k=1'] },
      { c: ['m=1'], d: ['m=1'] },
      {},
    ])
    expect(failing).toMatchObject({ 'k=1': ['a 1', 'b 1'], 'm=1': ['d 1'] })
  })

  it('that comes from a change of another file blames nothing else', async () => {
    const tests = suite({ 'a 1': { 'k=1': false }, 'b 1': { 'l=1': false } }).map((test) => ({
      ...test,
      dependsOn: test.file === 'a' ? { file: 'b', keys: ['l=1'] } : { file: 'a', keys: ['k=1'] },
    }))
    const { failing, flaky } = await judge({ keys, tests })
    expect([failing, flaky]).toEqual([{ ...failing, 'k=1': ['b 1'], 'l=1': ['a 1'] }, []])
  })

  it('that another file hides counts if it comes alone', async () => {
    const tests = suite({ 'a 1': { 'k=1': true }, 'a 2': { 'k=1': true }, 'b 1': { 'l=1': false } })
    const end: NonNullable<Simulation['end']> = ({ b }, _, { tests: ran = [] }) =>
      b === undefined ? {} : { tests: ran.map((test) => (test.name === '1' ? { ...test, outcome: 'passed' } : test)) }
    expect((await judge({ keys, tests, end })).failing['k=1']).toEqual(['a 1', 'a 2'])
  })

  it('needs no repeat once its test has failed again under four changes', async () => {
    const many = Array.from({ length: 10 }, (_, index) => `k=${index}`)
    const tests = suite({ 'a 1': Object.fromEntries(many.map((key) => [key, true])) })
    const { planned } = await judge({ keys: many, tests })
    expect(planned).toHaveLength(10 + 4 + 1)
  })

  it.each([2, 3, 5])('by chance, in every run whose number divides by %i, blames nothing', async (period) => {
    const tests = suite({ 'a 1': every(false), 'b 1': every(false) })
    const { statuses, flaky } = await judge({
      keys,
      tests,
      flakes: (test, run) => test === 'b 1' && run % period === 0,
    })
    expect(new Set(Object.values(statuses))).toEqual(new Set(['passes']))
    expect(flaky).toEqual(['b 1'])
  })

  it('from some run on, whatever is served, blames nothing', async () => {
    const { statuses, flaky } = await judge({
      keys,
      tests: suite({ 'a 1': every(false) }),
      flakes: (_, run) => run > 2,
    })
    expect(Object.values(statuses)).not.toContain('fails')
    expect(flaky).toEqual(['a 1'])
  })

  it('of a test that depends on what another test of its file met is named', async () => {
    const [one, two] = suite({ 'a 1': { 'k=1': false, 'l=1': false }, 'a 2': { 'm=1': false } }) as [
      SimulatedTest,
      SimulatedTest,
    ]
    const tests = [one, { ...two, dependsOn: { file: 'a', keys: ['k=1'] } }]
    const { failing, flaky } = await judge({ keys, tests })
    expect(failing).toMatchObject({ 'k=1': ['a 2'], 'm=1': [] })
    expect(flaky).toEqual([])
  })

  it('in a file that passes only after another one is found in a run of all files', async () => {
    const tests = suite({ 'a 1': { 'k=1': false }, 'b 1': { 'l=1': true } })
    const fails: NonNullable<Simulation['flakes']> = (test, _, { files }) =>
      test === 'b 1' && files !== undefined && !files.includes('a')
    const { failing, flaky } = await judge({ keys, tests, flakes: fails })
    expect(failing).toMatchObject({ 'k=1': [], 'l=1': ['b 1'] })
    expect(flaky).toEqual([])
  })

  it('that keeps later tests from running does not keep them from a verdict', async () => {
    const tests = suite({ 'a 1': { 'k=1': true }, 'b 1': { 'l=1': true }, 'c 1': { 'm=1': false } })
    const { failing, statuses } = await judge({ keys, tests, skips: (_, failed) => failed.length > 0 })
    expect(failing).toMatchObject({ 'k=1': ['a 1'], 'l=1': ['b 1'] })
    expect(statuses['m=1']).toBe('passes')
  })
})

describe('a change that breaks the command', () => {
  const tests = suite({ 'a 1': every(false), 'b 1': every(false), 'c 1': every(false) })
  /** Nothing is known about the tests of a run with this change. */
  const crash =
    (key: string): NonNullable<Simulation['end']> =>
    (serve) =>
      servedIn(serve).includes(key) ? { passed: false, tests: [] } : {}

  it('is found among those of other groups, and appears in no other run', async () => {
    const { failing, statuses, planned } = await judge({ keys, tests, end: crash('k=1') })
    expect(failing['k=1']).toEqual([''])
    expect(Object.values(statuses)).toEqual(['fails', 'passes', 'passes', 'passes', 'passes'])
    const last = planned.findLastIndex(({ serve }) => servedIn(serve).includes('k=1'))
    expect(planned.slice(last + 1).length).toBeGreaterThan(2)
  })

  it('by a timeout is found in the same way', async () => {
    const end: NonNullable<Simulation['end']> = (serve) =>
      servedIn(serve).includes('k=1') ? { passed: false, timedOut: true, tests: [] } : {}
    expect((await judge({ keys, tests, end })).failing['k=1']).toEqual([''])
  })

  it('by a test that does not end is blamed on this test, in as many runs as any other failure', async () => {
    const end: NonNullable<Simulation['end']> = (serve, _, { tests: ran = [] }) =>
      servedIn(serve).includes('k=1')
        ? { passed: false, timedOut: true, tests: ran.slice(0, 1).map((test) => ({ ...test, outcome: 'failed' })) }
        : {}
    const two = suite({ 'a 1': { 'k=1': false }, 'a 2': { 'k=1': false } })
    const { failing, planned } = await judge({ keys, tests: two, end })
    expect(failing['k=1']).toEqual(['a 1'])
    expect(planned).toHaveLength(3)
  })

  it('once is flaky', async () => {
    const end: NonNullable<Simulation['end']> = (_, run) => (run === 2 ? { passed: false, tests: [] } : {})
    const { statuses } = await judge({ keys, tests, end })
    expect(new Set(Object.values(statuses))).toEqual(new Set(['passes']))
  })

  it('in a hook is named with the hook', async () => {
    const hook = { id: 'b hook', name: 'hook', file: 'b', outcome: 'failed', start: 11, end: 12 } as const
    const end: NonNullable<Simulation['end']> = (serve, _, run) =>
      serve.b?.includes('k=1') || serve['*']?.includes('k=1')
        ? { passed: false, tests: [...(run.tests ?? []).filter(({ file }) => file !== 'b'), hook] }
        : {}
    const { failing, statuses } = await judge({
      keys,
      tests: [...tests, ...suite({ 'b 2': every(false) })],
      end,
    })
    expect(failing['k=1']).toEqual(['b hook'])
    expect(statuses['l=1']).toBe('passes')
  })
})

it('a test that failed once, and then never runs again, ends the search without a verdict about it', async () => {
  // From the second run on, the first test fails first, and the runner stops there.
  const tests = suite({ 'a 1': { 'l=1': false }, 'a 2': { 'k=1': false } })
  const { statuses, planned } = await judge({
    keys,
    tests,
    flakes: (test, run, { serve }) => servedIn(serve).includes('k=1') && (run > 1 ? test === 'a 1' : test === 'a 2'),
    skips: ({ name }, failed) => name === '2' && failed.length > 0,
  })
  expect(statuses['k=1']).not.toBe('passes')
  expect(planned.length).toBeLessThan(12)
})
