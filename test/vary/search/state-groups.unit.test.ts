import { describe, expect, it } from 'vitest'
import { inLifetimes, stateGroups } from '../../../src/vary/search/state-groups.ts'
import type { Sighting } from '../../../src/vary/suite/read-evidence.ts'
import type { TestResult } from '../../../src/vary/suite/test-result.ts'

const line = (at: number, lifetime: number, file?: string): Sighting => ({
  ...{ type: 'visible', alternatives: [0], pid: 1, since: at, at, lifetime },
  ...(file !== undefined && { file }),
})
const test = (id: string, start: number, end: number, file = 'a'): TestResult => ({
  ...{ id, name: id, file, outcome: 'passed', start, end },
})
const groupsOf = (
  sightings: readonly Sighting[],
  tests: readonly TestResult[],
  isFileKnown = true,
  areTimed = true,
) => {
  const evidence = { exchanges: sightings.length, sightings, differences: [], fixed: new Set<never>() }
  return Object.fromEntries(stateGroups({ evidence, tests, areTimed }, isFileKnown, 2))
}

describe('the tests that share the state of a mock', () => {
  const three = [test('one', 0, 10), test('two', 11, 20), test('three', 21, 30)]

  it('are those that use it between two resets', () => {
    expect(groupsOf([line(5, 1, 'a'), line(12, 2, 'a'), line(14, 2, 'a'), line(25, 2, 'a')], three)).toEqual({
      one: ['a#1'],
      two: ['a#2'],
      three: ['a#2'],
    })
  })

  it('use several mocks, of which they share one', () => {
    expect(groupsOf([line(5, 1, 'a'), line(6, 2, 'a'), line(15, 2, 'a'), line(25, 3, 'a')], three)).toEqual({
      one: ['a#1', 'a#2'],
      two: ['a#1', 'a#2'],
      three: ['a#3'],
    })
  })

  it('are all later ones, if a hook sent a request before them', () => {
    const later = three.map((one) => ({ ...one, start: one.start + 1 }))
    expect(groupsOf([line(0, 1, 'a'), line(15, 2, 'a'), line(25, 3, 'a')], later)).toEqual({})
  })

  it('are those of a file, if none has a state of its own', () => {
    expect(groupsOf([line(5, 1, 'a'), line(15, 1, 'a')], three)).toEqual({})
  })

  it('do not include one that ends in the same millisecond in which the next one sends a request', () => {
    const tests = [test('one', 0, 10), test('two', 10, 20)]
    expect(groupsOf([line(5, 1, 'a'), line(10, 2, 'a'), line(15, 2, 'a')], tests)).toEqual({
      one: ['a#1'],
      two: ['a#2'],
    })
  })

  it('are those of a file that has few of them, where runs with controls save nothing', () => {
    const evidence = {
      exchanges: 2,
      sightings: [line(5, 1, 'a'), line(15, 2, 'a')],
      differences: [],
      fixed: new Set<never>(),
    }
    expect(stateGroups({ evidence, tests: three, areTimed: true }, true).size).toBe(0)
  })

  it('are not known where tests run at the same time, or without times', () => {
    const lines = [line(5, 1, 'a'), line(15, 2, 'a')]
    expect(groupsOf(lines, [test('one', 0, 10), test('two', 9, 20)])).toEqual({})
    expect(groupsOf(lines, three, true, false)).toEqual({})
  })

  it('are numbered together in all files that use one server', () => {
    const tests = [test('one', 0, 10), test('two', 11, 20, 'b')]
    expect(groupsOf([line(5, 1), line(15, 2)], tests, false)).toEqual({ one: ['#1'], two: ['#2'] })
    expect(groupsOf([line(5, 1), line(15, 2)], [test('one', 0, 12), test('two', 11, 20, 'b')], false)).toEqual({})
  })

  it('get a value for each of their lifetimes', () => {
    const groups = new Map([['one', ['a#1', 'a#2'] as const]])
    expect(inLifetimes({ 'a#1': 'm', b: 'n' }, groups)).toEqual({ 'a#1': 'm', 'a#2': 'm', b: 'n' })
  })
})
