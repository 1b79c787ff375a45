import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../support/runs.ts'
import { type Behaviour, failingByDefinition, judgeSuite, type SimulatedSuite, simulate } from './simulated-suite.ts'

const keys = ['k=1', 'k=2', 'l=1', 'm=1', 'n=1', 'o=1']

const behaviour = fc.constantFrom<Behaviour>('passes', 'passes', 'fails', 'fails', 'skips', 'hides')
const suiteOf = (behaviour: fc.Arbitrary<Behaviour>): fc.Arbitrary<SimulatedSuite> =>
  fc
    .array(fc.dictionary(fc.constantFrom(...keys), behaviour, { maxKeys: 6 }), { minLength: 1, maxLength: 8 })
    .map((tests) => Object.fromEntries(tests.map((meets, index) => [`t${index}`, meets])))
const suite = suiteOf(behaviour)
const harshSuite = suiteOf(fc.oneof(behaviour, fc.constantFrom<Behaviour>('depends', 'dies')))
const flakyRuns = fc.array(fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), { maxLength: 2 })
const harsh = fc.record({ bails: fc.boolean(), kills: fc.boolean(), rotates: fc.boolean() })

const options = fc.record({ jobs: fc.integer({ min: 1, max: 3 }), needsOneFailure: fc.boolean() })

it('a change fails exactly if a run with it alone fails, in a run for each exercised change and a repeat for each break', () =>
  fc.assert(
    fc.asyncProperty(suite, fc.boolean(), options, async (tests, bails, options) => {
      const simulation = { tests, keys, bails }
      const { verdicts, served, isComplete } = await judgeSuite(simulation, options)
      for (const { key, status, reason, failing } of verdicts) {
        const alone = simulate(simulation, key, 1)
        const truth = [...alone.ends].flatMap(([test, end]) => (end === 'failed' ? [test] : []))
        const behaviours = Object.values(tests).flatMap((meets) => meets[key] ?? [])
        const passes = behaviours.includes('hides') ? 'unseen' : 'passes'
        const exercised = behaviours.includes('skips') ? 'skipped' : passes
        const unbroken = behaviours.length === 0 ? 'notExercised' : exercised
        expect([key, reason ?? status]).toEqual([key, truth.length > 0 ? 'fails' : unbroken])
        if (options.needsOneFailure) expect(truth).toEqual(expect.arrayContaining([...failing]))
        else expect([...failing].sort()).toEqual(truth.sort())
      }
      const exercised = verdicts.filter(({ exercisedBy }) => exercisedBy.length > 0).length
      const broken = verdicts.filter(({ status }) => status === 'fails').length
      expect(isComplete).toBe(true)
      expect(served.length).toBeLessThanOrEqual(exercised + broken + Math.min(broken, 1))
      expect(served.length).toBeGreaterThanOrEqual(exercised + Math.min(broken, 4) + Math.min(broken, 1))
    }),
    { numRuns: runs(500) },
  ))

it('with flaky tests, the verdicts are those of the definition: no stable test is blamed wrongly, and no break is passed', () =>
  fc.assert(
    fc.asyncProperty(suite, fc.boolean(), options, flakyRuns, async (tests, bails, options, flakes) => {
      const isFlaky = (test: string): boolean => flakes[Number(test.slice(1))] !== undefined
      const { verdicts, runs, isComplete } = await judgeSuite(
        { tests, keys, bails, flakes: (test, run) => flakes[Number(test.slice(1))]?.[run] === true },
        options,
      )
      expect(isComplete).toBe(true)
      for (const { key, status, failing } of verdicts) {
        expect([...failing].sort()).toEqual(failingByDefinition(runs, key))
        const broken = Object.keys(tests).filter((test) => tests[test]?.[key] === 'fails')
        expect(broken).toEqual(expect.arrayContaining(failing.filter((test) => !isFlaky(test))))
        if (status === 'passes' || status === 'notExercised')
          expect(broken.filter((test) => !isFlaky(test))).toEqual([])
      }
    }),
    { numRuns: runs(500) },
  ))

it('with tests that depend on others or are killed, and commands that fail although tests pass, no verdict is wrong', () =>
  fc.assert(
    fc.asyncProperty(
      harshSuite,
      harsh,
      options,
      flakyRuns,
      fc.subarray(keys),
      async (tests, cuts, options, flakes, unexplained) => {
        const isStable = (test: string): boolean => test === '' || flakes[Number(test.slice(1))] === undefined
        const { verdicts, flaky, isComplete } = await judgeSuite(
          { tests, keys, unexplained, ...cuts, flakes: (test, run) => flakes[Number(test.slice(1))]?.[run] === true },
          options,
        )
        expect(isComplete).toBe(true)
        expect(flaky.filter(isStable)).toEqual([])
        for (const { key, status, failing } of verdicts) {
          const stable = Object.keys(tests).filter(isStable)
          const broken = stable.filter((test) => ['fails', 'depends'].includes(tests[test]?.[key] ?? ''))
          const killed = Object.keys(tests).filter((test) => tests[test]?.[key] === 'dies')
          expect([...broken, ...(killed.length > 0 ? [''] : [])]).toEqual(
            expect.arrayContaining(failing.filter(isStable)),
          )
          if (status === 'passes')
            expect([broken, killed.filter(isStable), unexplained.includes(key)]).toEqual([[], [], false])
        }
      },
    ),
    { numRuns: runs(500) },
  ))
