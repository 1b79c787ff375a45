import { describe, expect, it } from 'vitest'
import { observe, wholeCommand } from '../../../src/vary/suite/observe.ts'
import type { Evidence } from '../../../src/vary/suite/read-evidence.ts'
import type { TestResult } from '../../../src/vary/suite/test-result.ts'

type Sighting = Evidence['sightings'][number]

const keys = ['create.status=200', 'list.order=newest', 'list.order=name']

const sighting = (changes: readonly number[], at: number, more: Partial<Sighting> = {}): Sighting => ({
  type: 'visible',
  changes: changes.flatMap((index) => keys[index] ?? []),
  pid: 1,
  since: at,
  at,
  ...more,
})
const test = (name: string, start: number, end: number, more: Partial<TestResult> = {}): TestResult => ({
  id: name,
  name,
  file: 'a.test.js',
  outcome: 'passed',
  start,
  end,
  ...more,
})

type RunRecord = Parameters<typeof observe>[0]

const run = (sightings: readonly Sighting[], tests: RunRecord['tests'], more: Partial<RunRecord> = {}): RunRecord => ({
  passed: true,
  keys: [],
  evidence: { exchanges: sightings.length, sightings, fixed: new Set() },
  tests,
  areTimed: true,
  ...more,
})
const visibleIn = (record: RunRecord, name: string) => [...(observe(record).visible.get(name)?.keys() ?? [])]
const endsOf = (record: RunRecord) => Object.fromEntries(observe(record).ends)

describe('a change is visible in a test', () => {
  it('during which an answer would have shown it', () => {
    const record = run([sighting([0], 5), sighting([1], 15)], [test('one', 0, 10), test('two', 11, 20)])
    expect([visibleIn(record, 'one'), visibleIn(record, 'two')]).toEqual([['create.status=200'], ['list.order=newest']])
  })

  it('that its mock belongs to, whichever others run at the same time', () => {
    const record = run([sighting([0], 5, { test: 'one' })], [test('one', 0, 10), test('two', 0, 10)])
    expect([visibleIn(record, 'one'), visibleIn(record, 'two')]).toEqual([['create.status=200'], []])
  })

  it('of the same process or file, where several run at the same time', () => {
    const tests = [test('one', 0, 10, { pid: 1 }), test('two', 0, 10, { pid: 2 }), test('three', 0, 10, { file: 'b' })]
    const record = run([sighting([0], 5, { pid: 2 }), sighting([1], 5, { file: 'b', pid: 9 })], tests)
    expect(visibleIn(record, 'one')).toEqual([])
    expect(visibleIn(record, 'two')).toEqual(['create.status=200'])
    expect(visibleIn(record, 'three')).toEqual(['create.status=200', 'list.order=newest'])
  })

  it('of the same process, where the noted file has no tests, such as the program of Mocha in a hook of the root', () => {
    const tests = [test('one', 0, 10, { pid: 1 }), test('two', 0, 10, { pid: 2 })]
    const record = run([sighting([0], 5, { file: '/bin/mocha', pid: 2 })], tests)
    expect([visibleIn(record, 'one'), visibleIn(record, 'two')]).toEqual([[], ['create.status=200']])
  })

  it('when a hook before it met the alternative', () => {
    const record = run([sighting([0], 1)], [test('one', 2, 5), test('two', 6, 9)])
    expect([visibleIn(record, 'one'), visibleIn(record, 'two')]).toEqual([['create.status=200'], ['create.status=200']])
  })

  it('in the last test of its file, when a hook after it met the alternative', () => {
    const record = run([sighting([0], 50, { file: 'a.test.js' })], [test('one', 0, 9), test('two', 10, 19)])
    expect([visibleIn(record, 'one'), visibleIn(record, 'two')]).toEqual([[], ['create.status=200']])
  })

  it('in the command when no test follows, such as in a second command of a script', () => {
    const record = run([sighting([0], 5), sighting([1], 50)], [test('one', 0, 9)])
    expect(visibleIn(record, wholeCommand)).toEqual(['list.order=newest'])
    expect(endsOf({ ...record, passed: false })).toEqual({ one: 'passed', [wholeCommand]: 'unexplained' })
  })

  it('and in the command as a whole where no test is known', () => {
    expect(visibleIn(run([sighting([0, 2], 5)], undefined), wholeCommand)).toEqual([
      'create.status=200',
      'list.order=name',
    ])
  })

  it('in every test when the times are unknown', () => {
    const record = run([sighting([0], 50)], [test('one', 0, 0)], { areTimed: false })
    expect(visibleIn(record, 'one')).toEqual(['create.status=200'])
  })
})

describe('a test', () => {
  const failing = test('one', 0, 9, { outcome: 'failed' })

  it('failed when its runner says so, and the command did', () => {
    const record = run([], [failing, test('two', 10, 12)], { passed: false })
    expect(endsOf(record)).toEqual({ one: 'failed', two: 'passed' })
  })

  it('passed with a command that succeeded', () => {
    expect(endsOf(run([], [test('one', 0, 9)]))).toEqual({ one: 'passed', [wholeCommand]: 'passed' })
  })

  it('failed although the command succeeded, as behind a pipe', () => {
    expect(endsOf(run([], [failing]))).toEqual({ one: 'failed', [wholeCommand]: 'passed' })
  })

  it('does not explain the failure of its command when it passed', () => {
    const record = run([], [test('one', 0, 9)], { passed: false })
    expect(endsOf(record)).toEqual({ one: 'passed', [wholeCommand]: 'unexplained' })
  })

  it('is not to blame when it did not end: only the command is known to fail', () => {
    const record = run([], [test('one', 0, 9, { outcome: 'unended' })], { passed: false })
    expect(endsOf(record)).toEqual({ one: 'unended', [wholeCommand]: 'failed' })
  })

  it('that was skipped shows no change', () => {
    const record = run([sighting([0], 5)], [test('one', 0, 9, { outcome: 'skipped' })])
    expect(visibleIn(record, 'one')).toEqual([])
  })
})

it('a response is certainly to a test if no other test ran at the time, and each response counts', () => {
  const sightings = [sighting([0], 5), sighting([1], 15), sighting([1], 25)]
  const { visible, responses } = observe(
    run(sightings, [test('one', 0, 10), test('two', 12, 20), test('three', 14, 30)]),
  )
  expect([...visible].map(([id, changes]) => [id, ...changes.values()])).toEqual([
    [wholeCommand],
    ['one', true],
    ['two', false],
    ['three', true],
  ])
  expect([...responses.values()]).toEqual([1, 2])
})
