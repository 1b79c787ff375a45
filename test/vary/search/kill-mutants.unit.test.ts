import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { killMutants, type MutantSearch } from '../../../src/vary/search/kill-mutants.ts'
import type { Serving } from '../../../src/vary/search/next-mutants.ts'
import type { Observation } from '../../../src/vary/suite/observe.ts'

/** For each test, named `file test`: the mutants that it meets, and whether each makes it fail. */
type Suite = Readonly<Record<string, Readonly<Record<string, boolean>>>>

const fileOf = (test: string): string => test.split(' ')[0] ?? ''
const mutants = ['m1', 'm2', 'm3', 'm4', 'm5'] as const

const inForceIn = (serve: Serving<string>, test: string): string =>
  serve[test] ?? serve[fileOf(test)] ?? serve['*'] ?? ''

const observe = (suite: Suite, serve: Serving<string>, fails: (test: string) => boolean): Observation => {
  const failed = Object.keys(suite).filter((test) => fails(test))
  return {
    set: Object.values(serve),
    files: undefined,
    failed: new Set(failed),
    passed: new Set(Object.keys(suite).filter((test) => !failed.includes(test))),
    visible: new Map(
      Object.entries(suite).map(([test, met]) => [
        test,
        new Set(
          Object.keys(serve).length === 0
            ? Object.keys(met)
            : Object.keys(met).filter((id) => id === inForceIn(serve, test)),
        ),
      ]),
    ),
  }
}

/**
 * @param flakes The tests that fail by chance in a run with this number.
 * @param stopsAtFailure Whether the files after one that fails do not run.
 * @param dependsOn Whether a test fails because of the mutant that another one gets.
 */
const kill = async (
  suite: Suite,
  options: Partial<MutantSearch<string>> = {},
  flakes: (test: string, run: number) => boolean = () => false,
  stopsAtFailure = false,
  dependsOn: (test: string, serve: Serving<string>) => boolean = () => false,
) => {
  let runs = 0
  const found = await killMutants({
    mutants,
    unchanged: [observe(suite, {}, () => false)],
    isFileKnown: true,
    fileOf,
    async run(serve) {
      const number = ++runs
      const fails = (test: string) =>
        suite[test]?.[inForceIn(serve, test)] === true || flakes(test, number) || dependsOn(test, serve)
      const last = stopsAtFailure ? Object.keys(suite).find(fails) : undefined
      const ran = Object.entries(suite).filter(([test]) => last === undefined || fileOf(test) <= fileOf(last))
      return { observation: observe(Object.fromEntries(ran), serve, fails), timedOut: false }
    },
    ...options,
  })
  return { ...found, runs, statuses: Object.fromEntries(found.results.map(({ id, status }) => [id, status])) }
}

const everyMutant = (fails: boolean) => Object.fromEntries(mutants.map((id) => [id, fails]))

describe('the search for survivors', () => {
  it('names a mutant killed if a test fails, survived if all that meet it pass, and not met otherwise', async () => {
    const { statuses, results } = await kill({ 'a one': { m1: true, m2: false }, 'b two': { m1: false, m3: false } })
    expect(statuses).toEqual({ m1: 'killed', m2: 'survived', m3: 'survived', m4: 'notMet', m5: 'notMet' })
    expect(results[0]).toMatchObject({ metBy: ['a one', 'b two'], killedBy: ['a one'] })
  })

  it('serves each file another mutant in one run, repeats it, and runs once without mutants', async () => {
    const suite = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((file) => [`${file} one`, everyMutant(true)]))
    expect((await kill(suite)).runs).toBe(3)
  })

  it('serves one mutant in a run where the file of an exchange is not known', async () => {
    const { runs } = await kill({ 'a one': everyMutant(false), 'b two': everyMutant(false) }, { isFileKnown: false })
    expect(runs).toBe(5)
  })

  it('does not repeat the failures of a test that has always failed again', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`)
    const { runs } = await kill({ 'a one': Object.fromEntries(ids.map((id) => [id, true])) }, { mutants: ids })
    expect(runs).toBe(20 + 4 + 1)
  })

  it.each([2, 3, 5])(
    'counts no failure of a test that fails in every run whose number divides by %i',
    async (period) => {
      const suite = { 'a one': everyMutant(false), 'b two': everyMutant(false) }
      const { statuses, flaky } = await kill(suite, {}, (test, run) => test === 'b two' && run % period === 0)
      expect(new Set(Object.values(statuses))).toEqual(new Set(['survived']))
      expect(flaky).toEqual(['b two'])
    },
  )

  it('counts no failure of a test that fails from some run on, whatever is served', async () => {
    const { statuses, flaky } = await kill({ 'a one': everyMutant(false) }, {}, (_, run) => run > 2)
    expect([Object.values(statuses).includes('killed'), flaky]).toEqual([false, ['a one']])
  })

  it('does not count a test that failed without a mutant', async () => {
    const suite = { 'a one': { m1: true }, 'a two': { m1: false } }
    const unchanged = [observe(suite, {}, (test) => test === 'a one'), observe(suite, {}, () => false)]
    const { statuses, flaky } = await kill(suite, { unchanged })
    expect([statuses.m1, flaky]).toEqual(['survived', ['a one']])
  })

  it('repeats a failure of a test that did not meet its mutant, which may be flaky', async () => {
    const suite = { 'a one': { m1: false }, 'a two': { m2: false } }
    const { statuses, flaky } = await kill(suite, {}, (test, run) => test === 'a two' && run === 1)
    expect([statuses.m1, flaky]).toEqual(['survived', ['a two']])
  })

  it('does not blame a file for a run that timed out', async () => {
    const suite = { 'a one': everyMutant(false), 'b two': everyMutant(false) }
    const { statuses } = await kill(suite, {
      run: async (serve) => ({
        observation: observe(suite, serve, () => Object.values(serve).includes('m2')),
        timedOut: Object.values(serve).includes('m2'),
      }),
    })
    expect(statuses).toEqual({ m1: 'survived', m2: 'killed', m3: 'survived', m4: 'survived', m5: 'survived' })
  })

  it('judges no mutant that no response showed', async () => {
    const suite = { 'a one': { m1: false } }
    const run = async () => ({ observation: observe({ 'a one': {} }, { '*': 'm1' }, () => false), timedOut: false })
    expect((await kill(suite, { run })).statuses.m1).toBe('notJudged')
  })

  it('serves groups of tests different mutants, with the other half of them as controls', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `m${index}`)
    const meetsAll = Object.fromEntries(ids.map((id) => [id, true]))
    const suite = Object.fromEntries(ids.map((id) => [`a ${id}`, meetsAll]))
    const { runs, statuses } = await kill(suite, { mutants: ids, groupOf: (test) => test })
    expect(new Set(Object.values(statuses))).toEqual(new Set(['killed']))
    expect(runs).toBeLessThanOrEqual(10)
  })

  describe('of tests in groups that depend on each other', () => {
    const ids = Array.from({ length: 12 }, (_, index) => `m${index}`)
    const names = ['a 1', 'a 2', 'a 3', 'a 4', 'a 5', 'a 6']
    const passing = Object.fromEntries(ids.map((id) => [id, false]))
    const suite: Suite = Object.fromEntries(names.map((name) => [name, { ...passing, m0: true }]))

    /** The statuses that a search finds, and those of each mutant alone. */
    const judged = async (files: Suite, fails: Dependence, options: Partial<MutantSearch<string>> = {}) => {
      const search = { mutants: ids, groupOf: (test: string) => test, ...options }
      const { statuses } = await kill(files, search, undefined, false, fails)
      const failsAlone = (id: string) =>
        Object.keys(files).some((test) => files[test]?.[id] === true || fails(test, { '*': id }))
      return [statuses, Object.fromEntries(ids.map((id) => [id, failsAlone(id) ? 'killed' : 'survived']))]
    }
    type Dependence = (test: string, serve: Serving<string>) => boolean

    const dependences: readonly (readonly [string, Dependence])[] = [
      [
        'a test judges what an earlier one has kept',
        (test, serve) => test === 'a 2' && ['m3', 'm4', 'm5'].includes(inForceIn(serve, 'a 1')),
      ],
      [
        'a test compares its response with that of an earlier one',
        (test, serve) => test === 'a 4' && inForceIn(serve, 'a 4') !== inForceIn(serve, 'a 3'),
      ],
      [
        'a client gives up after several bad responses',
        (test, serve) => test === 'a 6' && names.filter((name) => inForceIn(serve, name) === 'm7').length > 2,
      ],
      [
        'every test fails after one bad response',
        (test, serve) => test !== 'a 1' && ['m1', 'm2'].includes(inForceIn(serve, 'a 1')),
      ],
    ]
    it.each(dependences)('finds what each mutant alone would show, where %s', async (_, fails) => {
      const [found, alone] = await judged(suite, fails)
      expect(found).toEqual(alone)
    })

    it('runs all files once a file fails without a mutant because others did not run', async () => {
      const files: Suite = { 'a 1': passing, 'b 1': passing }
      const fails: Dependence = (test, serve) => test === 'b 1' && ['m3', 'm4'].includes(inForceIn(serve, 'a 1'))
      const run: MutantSearch<string>['run'] = async (serve, tests) => {
        const selected = new Set(tests.map(fileOf))
        const ran = Object.fromEntries(Object.entries(files).filter(([test]) => selected.has(fileOf(test))))
        const isWithoutA = !selected.has('a')
        const observation = observe(ran, serve, (test) => fails(test, serve) || (test === 'b 1' && isWithoutA))
        return {
          observation: { ...observation, files: selected.size < 2 ? [...selected] : undefined },
          timedOut: false,
        }
      }
      const [found, alone] = await judged(files, fails, { run, groupOf: fileOf })
      expect(found).toEqual(alone)
    })
  })

  it('finds for every suite what each mutant alone would show', async () => {
    const test = fc.dictionary(fc.constantFrom(...mutants), fc.boolean())
    const names = ['a 1', 'a 2', 'b 1', 'b 2', 'c 1']
    const suites = fc
      .tuple(...names.map(() => test))
      .map((all) => Object.fromEntries(names.map((name, i) => [name, all[i]])))
    await fc.assert(
      fc.asyncProperty(
        suites,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.integer({ min: 1, max: 3 }),
        async (random, isFileKnown, areGrouped, stops, jobs) => {
          const suite = random as Suite
          const groups = areGrouped ? { groupOf: (test: string) => test } : {}
          const { statuses } = await kill(suite, { isFileKnown, jobs, ...groups }, undefined, stops)
          const expected = mutants.map((id) => {
            const results = Object.values(suite).flatMap((met) => met[id] ?? [])
            return [id, results.length === 0 ? 'notMet' : results.includes(true) ? 'killed' : 'survived']
          })
          expect(statuses).toEqual(Object.fromEntries(expected))
        },
      ),
    )
  })
})
