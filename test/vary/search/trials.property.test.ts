import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../support/runs.ts'
import { busiest, failingAlone, judge, type SimulatedTest, type Simulation } from './simulated-suite.ts'

const keys = ['k=1', 'k=2', 'l=1', 'm=1', 'n=1', 'o=1']

const meets = fc.dictionary(fc.constantFrom(...keys), fc.boolean(), { maxKeys: 5 })
const files = ['a', 'b', 'c']

/** Tests in up to three files. @param place Where a test may depend on changes. */
const suite = (place?: 'its file' | 'another file'): fc.Arbitrary<readonly SimulatedTest[]> => {
  const test = fc.record({
    file: fc.constantFrom(...files),
    meets,
    keys: fc.option(fc.subarray([...keys], { minLength: 1 }), { nil: undefined, freq: 2 }),
  })
  return fc.array(test, { minLength: 1, maxLength: 12, size: 'max' }).map((tests) =>
    tests
      .toSorted((a, b) => a.file.localeCompare(b.file))
      .map(({ file, meets, keys }, index, all): SimulatedTest => {
        const other = files[(files.indexOf(file) + 1) % files.length] ?? ''
        const source = place === 'its file' ? file : other
        // Only a change that the other tests meet leaves something.
        const left = keys?.filter((key) => all.some((one) => one.file === source && key in one.meets))
        const depends = place !== undefined && left !== undefined && left.length > 0
        return { name: `t${index}`, file, meets, ...(depends && { dependsOn: { file: source, keys: left } }) }
      }),
  )
}

const expectTruth = async (simulation: Simulation, jobs: number) => {
  const found = await judge(simulation, { jobs })
  for (const { key, status, failing } of found.verdicts) {
    const truth = failingAlone(simulation, key)
    expect([key, [...failing].sort()]).toEqual([key, truth])
    const isMet = simulation.tests.some((test) => key in test.meets)
    expect([key, status]).toEqual([key, truth.length > 0 ? 'fails' : isMet ? 'passes' : 'notExercised'])
  }
  expect(found.flaky).toEqual([])
  return found
}

it('each change is named with all tests that it breaks alone, within the runs that the busiest group takes', () =>
  fc.assert(
    fc.asyncProperty(suite(), fc.boolean(), fc.integer({ min: 1, max: 3 }), async (tests, isFileKnown, jobs) => {
      const simulation = { tests, keys, isFileKnown }
      const { planned, verdicts, groups } = await expectTruth(simulation, jobs)
      const most = busiest(simulation, ({ file, name }) => groups.groupOf(`${file} ${name}`))
      const repeated = verdicts.filter(({ failing }) => failing.length > 0).length
      expect(planned.length).toBeLessThanOrEqual(most + repeated + 1)
    }),
    { numRuns: runs(300) },
  ))

it('a test that depends on what other tests of its file met is found, and named', () =>
  fc.assert(
    fc.asyncProperty(suite('its file'), fc.boolean(), (tests, isFileKnown) =>
      expectTruth({ tests, keys, isFileKnown }, 1).then(() => undefined),
    ),
    { numRuns: runs(300) },
  ))

it('tests of files that depend on each other are named only with changes that break them alone, and those of one process with all', () =>
  fc.assert(
    fc.asyncProperty(suite('another file'), fc.boolean(), async (tests, isOneProcess) => {
      const simulation = { tests, keys, isOneProcess }
      if (isOneProcess) return void (await expectTruth(simulation, 1))
      const { verdicts, flaky } = await judge(simulation)
      for (const { key, failing } of verdicts) {
        expect(failingAlone(simulation, key)).toEqual(expect.arrayContaining([...failing]))
        const own = tests.filter(({ meets }) => meets[key]).map(({ file, name }) => `${file} ${name}`)
        expect(failing).toEqual(expect.arrayContaining(own))
      }
      expect(flaky).toEqual([])
    }),
    { numRuns: runs(300) },
  ))

it('a mutant is killed exactly if a test fails alone', () =>
  fc.assert(
    fc.asyncProperty(suite(), fc.integer({ min: 1, max: 2 }), async (tests, jobs) => {
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
