import { describe, expect, it } from 'vitest'
import type { RecordedRepetition } from '../../../src/vary/evidence/repetitions.ts'
import { begin } from '../../../src/vary/search/judge.ts'
import { planRepeats, repetitionOutcomes } from '../../../src/vary/search/repeat-tests.ts'
import type { Observation } from '../../../src/vary/suite/observe.ts'
import type { TestOutcome, TestResult } from '../../../src/vary/suite/test-result.ts'

type Shown = Partial<RecordedRepetition>
type SimulatedRun = {
  readonly tests: Readonly<Record<string, readonly Shown[]>>
  readonly ends?: Readonly<Record<string, TestOutcome>>
  readonly passed?: boolean
}

const runOf = ({ tests, ends = {}, passed = true }: SimulatedRun) => ({
  passed,
  tests: Object.keys({ ...tests, ...ends }).map((id): TestResult => {
    const [file = '', name = ''] = id.split(' > ')
    return { id, file, name, outcome: ends[id] ?? 'passed', start: 0, end: 1 }
  }),
  repetitions: new Map(
    Object.entries(tests).map(([id, all]) => [
      id,
      all.map((one) => ({ outcome: 'passed' as const, isChangeShown: true, isShared: false, requests: 'a', ...one })),
    ]),
  ),
})

const once = { 'a > 1': [{}], 'a > 2': [{}], 'b > 1': [{}] }
const first = runOf({ tests: once })
const repeats = { 'a > 1': ['k', 'l'], 'b > 1': ['k'] }
const repeated = { 'a > 1': [{}, {}, {}, {}], 'a > 2': [{}], 'b > 1': [{}, {}, {}] }

const outcomes = (run: SimulatedRun, reversed: SimulatedRun = { tests: once }): readonly string[] =>
  [...repetitionOutcomes(repeats, first, runOf(run), runOf(reversed))]
    .flatMap(([key, tests]) => [...tests].map(([test, outcome]) => `${test} ${key} ${outcome}`))
    .sort()

describe('a repetition', () => {
  it('counts between two unchanged ones that pass', () => {
    const failing = [{}, {}, { outcome: 'failed' as const }, {}]
    const found = outcomes({ tests: { ...repeated, 'a > 1': failing } })
    expect(found).toEqual(['a > 1 k passed', 'a > 1 l failed', 'b > 1 k passed'])
  })

  const ofB = ['b > 1 k passed']
  const with1 = (...all: readonly Shown[]): SimulatedRun => ({ tests: { ...repeated, 'a > 1': all } })
  const unknown: Readonly<Record<string, readonly [SimulatedRun, (readonly string[])?, SimulatedRun?]>> = {
    'if none is recorded, because its worker was killed': [with1()],
    'if the last one is missing, because the test skipped itself': [with1({}, {}, {})],
    'if the first unchanged one fails': [with1({ outcome: 'failed' }, {}, {}, {})],
    'if the last unchanged one fails': [with1({}, {}, {}, { outcome: 'failed' })],
    'if the last unchanged one sends other requests, because of a cache': [with1({}, {}, {}, { requests: 'b' })],
    'if the first unchanged one does, because of a cache that other tests fill': [with1({ requests: 'b' }, {}, {}, {})],
    'if a mock of other code replied, or an earlier timeout aborted its signal': [
      with1({}, {}, {}, { isShared: true }),
    ],
    'if no response showed its change': [with1({}, { isChangeShown: false }, {}, {}), ['a > 1 l passed', ...ofB]],
    'if it shared a mock while it had its change': [with1({}, {}, { isShared: true }, {}), ['a > 1 k passed', ...ofB]],
    'if another test of its file fails, for which it may have left something': [
      { tests: repeated, ends: { 'a > 2': 'failed' }, passed: false },
    ],
    'if a test of its file is missing': [{ tests: { 'a > 1': [{}, {}, {}, {}], 'b > 1': [{}, {}, {}] } }],
    'if a hook of its file fails, or a rejection in the file is not handled': [
      { tests: repeated, ends: { 'a > hook': 'failed' }, passed: false },
    ],
    'in each file if an error belongs to none': [
      { tests: repeated, ends: { 'root > unhandled error': 'failed' }, passed: false },
      [],
    ],
    'in each file if the command fails without an error': [{ tests: repeated, passed: false }, []],
    'if a test of its file fails in reverse order': [
      { tests: repeated },
      ofB,
      { tests: once, ends: { 'a > 2': 'failed' }, passed: false },
    ],
    'if a test of its file sends other requests in reverse order': [
      { tests: repeated },
      ofB,
      { tests: { ...once, 'a > 2': [{ requests: 'b' }] } },
    ],
  }
  it.each(Object.entries(unknown))('is unknown %s', (_, [run, expected = ofB, reversed]) => {
    expect(outcomes(run, reversed)).toEqual(expected)
  })
})

describe('tests are repeated', () => {
  const keys = ['k', 'l', 'm', 'n']
  const plan = (visible: Readonly<Record<string, readonly string[]>>, tests: SimulatedRun['tests'] = once) => {
    const run: Observation = {
      keys: [],
      ends: new Map(Object.keys(visible).map((test) => [test, 'passed'])),
      visible: new Map(Object.entries(visible).map(([test, keys]) => [test, new Map(keys.map((key) => [key, true]))])),
      responses: new Map(),
    }
    return planRepeats(begin(keys, [run]), runOf({ tests }))
  }

  it('under three changes or more, each test under its own', () => {
    const visible = { 'a > 1': ['k', 'l'], 'b > 1': ['l', 'm'] }
    expect(plan(visible)).toEqual(visible)
    expect(plan({ 'a > 1': ['k', 'l'] })).toEqual({})
  })

  it.each([
    ['shares a mock', [{ isShared: true }]],
    ['is not recorded', []],
  ])('not under the changes of a test that %s', (_, own) => {
    const visible = { 'a > 1': ['k', 'l', 'm', 'n'], 'b > 1': ['n'] }
    expect(plan(visible, { ...once, 'b > 1': own })).toEqual({ 'a > 1': ['k', 'l', 'm'] })
  })
})
