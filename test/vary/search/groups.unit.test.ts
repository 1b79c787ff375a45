import { describe, expect, it } from 'vitest'
import { createGroups } from '../../../src/vary/search/groups.ts'
import type { Sighting } from '../../../src/vary/suite/read-evidence.ts'
import type { TestResult } from '../../../src/vary/suite/test-result.ts'

const line = (at: number, lifetime: number | undefined, file?: string): Sighting => ({
  ...{ type: 'visible', changes: [0], pid: 1, since: at, at },
  ...(lifetime !== undefined && { lifetime }),
  ...(file !== undefined && { file }),
})
const test = (id: string, start: number, end: number, file = 'a'): TestResult => ({
  ...{ id, name: id, file, outcome: 'passed', start, end },
})
const groupsIn = (sightings: readonly Sighting[], tests: readonly TestResult[], areTimed = true) => {
  const evidence = { exchanges: sightings.length, sightings, fixed: new Set<never>() }
  return createGroups({ evidence, tests, areTimed }, (id) => tests.find((test) => test.id === id)?.file ?? '')
}
/** The name of the group of each test. */
const namesIn = (sightings: readonly Sighting[], tests: readonly TestResult[], areTimed = true) =>
  Object.fromEntries(tests.map(({ id }) => [id, groupsIn(sightings, tests, areTimed).groupOf(id)]))

describe('the tests that share the state of a mock', () => {
  const three = [test('one', 0, 10), test('two', 11, 20), test('three', 21, 30)]
  const linesOf = (...places: readonly (readonly [at: number, lifetime: number])[]) =>
    places.map(([at, lifetime]) => line(at, lifetime, 'a'))

  it('are those that use it between two resets', () => {
    const names = { one: 'a#1', two: 'a#2', three: 'a#2' }
    expect(namesIn(linesOf([5, 1], [12, 2], [14, 2], [25, 2]), three)).toEqual(names)
  })

  it('use several mocks, of which they share one', () => {
    const groups = groupsIn(linesOf([5, 1], [6, 2], [15, 2], [25, 3]), three)
    expect(three.map(({ id }) => groups.groupOf(id))).toEqual(['a#1', 'a#1', 'a#3'])
    expect(groups.planOf({ 'a#1': ['m'], b: ['n'] })).toEqual({ 'a#1': ['m'], 'a#2': ['m'], b: ['n'] })
  })

  it('are all later ones, if a hook sent a request before them', () => {
    const later = three.map((one) => ({ ...one, start: one.start + 1 }))
    expect(namesIn(linesOf([0, 1], [15, 2], [25, 3]), later)).toEqual({ one: 'a', two: 'a', three: 'a' })
  })

  it('do not include one that ends in the same millisecond in which the next one sends a request', () => {
    const tests = [test('one', 0, 10), test('two', 10, 20)]
    expect(namesIn(linesOf([5, 1], [10, 2], [15, 2]), tests)).toEqual({ one: 'a#1', two: 'a#2' })
  })

  it('are those of a file where tests run at the same time', () => {
    expect(namesIn(linesOf([5, 1], [15, 2]), [test('one', 0, 14), test('two', 9, 20)])).toEqual({ one: 'a', two: 'a' })
  })

  it('are numbered together in all files that use one server', () => {
    const tests = [test('one', 0, 10), test('two', 11, 20, 'b')]
    expect(namesIn([line(5, 1), line(15, 2)], tests)).toEqual({ one: '#1', two: '#2' })
  })

  it.each([
    [
      'files that use one server at the same time',
      [line(5, 1), line(15, 2)],
      [test('one', 0, 14), test('two', 11, 20, 'b')],
      true,
    ],
    ['tests without times', linesOf([5, 1], [15, 2]), three, false],
    ['mocks whose state is not watched', [line(5, 1, 'a'), line(15, undefined, 'a')], three, true],
  ] as const)('are all, for %s', (_, sightings, tests, areTimed) => {
    expect(new Set(Object.values(namesIn(sightings, tests, areTimed)))).toEqual(new Set(['*']))
  })

  it('are joined in their file first, then in all files', () => {
    const tests = [...three, test('four', 31, 40, 'b')]
    const groups = groupsIn([...linesOf([5, 1], [15, 2]), line(35, 1, 'b')], tests)
    const names = () => tests.map(({ id }) => groups.groupOf(id))
    expect(names()).toEqual(['a#1', 'a#2', 'a', 'b'])
    const inFile = groups.join('one')
    expect([names(), tests.map(({ id }) => inFile?.(id))]).toEqual([
      ['a', 'a', 'a', 'b'],
      [true, true, true, false],
    ])
    const inAll = groups.join('one')
    expect([names(), tests.map(({ id }) => inAll?.(id))]).toEqual([
      ['*', '*', '*', '*'],
      [true, true, true, true],
    ])
    expect(groups.join('one')).toBeUndefined()
  })
})
