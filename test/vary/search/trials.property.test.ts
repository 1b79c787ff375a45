import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../support/runs.ts'
import { busiest, failingAlone, judge, type SimulatedTest, type Simulation } from './simulated-suite.ts'

const keys = ['k=1', 'k=2', 'l=1', 'm=1', 'n=1', 'o=1']

const meets = fc.dictionary(fc.constantFrom(...keys), fc.boolean(), { maxKeys: 5 })
const dependsOn = fc.record({
  lifetime: fc.integer({ min: 1, max: 4 }),
  keys: fc.constantFrom(...keys).map((key) => [key]),
})

/** Tests in up to three files; lifetimes are numbered within a file in the order of its tests. */
const suite = (dependencies: boolean): fc.Arbitrary<readonly SimulatedTest[]> =>
  fc
    .array(
      fc.record({
        file: fc.constantFrom('a', 'b', 'c'),
        isNewLifetime: fc.boolean(),
        meets,
        dependsOn: dependencies ? fc.option(dependsOn, { nil: undefined, freq: 3 }) : fc.constant(undefined),
      }),
      { minLength: 1, maxLength: 12, size: 'max' },
    )
    .map((tests) => {
      const lifetimes = new Map<string, number>()
      return tests
        .toSorted((a, b) => a.file.localeCompare(b.file))
        .map(({ file, isNewLifetime, dependsOn, ...test }, index): SimulatedTest => {
          const last = lifetimes.get(file) ?? 0
          const lifetime = isNewLifetime || last === 0 ? last + 1 : last
          lifetimes.set(file, lifetime)
          // A dependency shows only if its lifetime meets the change, and comes before.
          return { name: `t${index}`, file, lifetime, ...test, ...(dependsOn && { dependsOn }) }
        })
    })
    .map((tests) =>
      tests.map((test): SimulatedTest => {
        const { dependsOn, ...others } = test
        if (dependsOn === undefined || dependsOn.lifetime >= test.lifetime) return others
        const earlier = tests.filter(({ file, lifetime }) => file === test.file && lifetime === dependsOn.lifetime)
        const shown = dependsOn.keys.filter((key) => earlier.some(({ meets }) => key in meets))
        // A failure of its own may hide it.
        const meets = Object.fromEntries(Object.keys(others.meets).map((key) => [key, false]))
        return shown.length === 0 ? others : { ...others, meets, dependsOn: { ...dependsOn, keys: shown } }
      }),
    )

const expectTruth = async (simulation: Simulation, jobs: number) => {
  const found = await judge(simulation, { jobs })
  for (const { key, status, failing } of found.verdicts) {
    const truth = failingAlone(simulation, key)
    expect([key, [...failing].sort()]).toEqual([key, truth])
    const isMet = simulation.tests.some((test) => key in test.meets)
    expect([key, status]).toEqual([key, truth.length > 0 ? 'fails' : isMet ? 'passes' : 'notMet'])
  }
  expect(found.flaky).toEqual([])
  return found
}

it('each change is named with all tests that it breaks alone, within the runs that the busiest group takes', () =>
  fc.assert(
    fc.asyncProperty(suite(false), fc.boolean(), fc.integer({ min: 1, max: 3 }), async (tests, isFileKnown, jobs) => {
      const simulation = { tests, keys, isFileKnown }
      const { planned, verdicts, groups } = await expectTruth(simulation, jobs)
      const most = busiest(simulation, ({ file, name }) => groups.groupOf(`${file} ${name}`))
      const failures = verdicts.flatMap(({ failing }) => failing).length
      expect(planned.length).toBeLessThanOrEqual(most + failures + 1)
    }),
    { numRuns: runs(300) },
  ))

it('a test that depends on responses of another group is found, and named', () =>
  fc.assert(
    fc.asyncProperty(suite(true), fc.boolean(), (tests, isFileKnown) =>
      expectTruth({ tests, keys, isFileKnown }, 1).then(() => undefined),
    ),
    { numRuns: runs(300) },
  ))

it('a mutant is killed exactly if a test fails alone', () =>
  fc.assert(
    fc.asyncProperty(suite(false), fc.integer({ min: 1, max: 2 }), async (tests, jobs) => {
      const simulation = { tests, keys }
      const { verdicts, planned } = await judge(simulation, { needsOneFailure: true, jobs })
      for (const { key, status, failing } of verdicts) {
        const truth = failingAlone(simulation, key)
        expect(truth).toEqual(expect.arrayContaining([...failing]))
        expect([key, status === 'fails']).toEqual([key, truth.length > 0])
      }
      expect(planned.length).toBeLessThanOrEqual(3 * keys.length + 1)
    }),
    { numRuns: runs(300) },
  ))
