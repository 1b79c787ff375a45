import { describe, expect, it } from 'vitest'
import { createGroups } from '../../../src/vary/search/groups.ts'
import type { Sighting } from '../../../src/vary/suite/read-evidence.ts'
import type { TestResult } from '../../../src/vary/suite/test-result.ts'

const line = (realm: string | undefined, file?: string): Sighting => ({
  ...{ type: 'visible', changes: [0], pid: 1, since: 5, at: 5 },
  ...(realm !== undefined && { realm }),
  ...(file !== undefined && { file }),
})
const test = (id: string, file: string): TestResult => ({
  ...{ id, name: id, file, outcome: 'passed', start: 0, end: 10 },
})
const tests = [test('one', 'a'), test('two', 'a'), test('three', 'b')]
const groupsOf = (sightings: readonly Sighting[], areTimed = true) => {
  const evidence = { exchanges: sightings.length, sightings, fixed: new Set<never>() }
  return createGroups({ evidence, tests, areTimed }, (id) => tests.find((test) => test.id === id)?.file ?? '')
}
const inFiles = [line('1', 'a'), line('2', 'b')]

describe('the tests that may depend on each other', () => {
  it('are those of a file, which has the variables of its modules for itself', () => {
    const groups = groupsOf([...inFiles, line('3', 'a')])
    expect(tests.map(({ id }) => groups.groupOf(id))).toEqual(['a', 'a', 'b'])
    expect(groups.canSelectFiles()).toBe(true)
  })

  it.each([
    ['files that share variables', [line('1', 'a'), line('1', 'b')], true],
    ['one server for all files', [line('1')], true],
    ['mocks whose state is not watched', [line(undefined, 'a'), line('2', 'b')], true],
    ['a file that is none of the tests', [line('1', 'c')], true],
    ['tests without times', inFiles, false],
  ] as const)('are all, for %s', (_, sightings, areTimed) => {
    const groups = groupsOf(sightings, areTimed)
    expect(tests.map(({ id }) => groups.groupOf(id))).toEqual(['*', '*', '*'])
    expect(groups.canSelectFiles()).toBe(false)
  })

  it('are all once one depends on another file', () => {
    const groups = groupsOf(inFiles)
    expect([groups.join(), groups.join()]).toEqual([true, false])
    expect(groups.groupOf('one')).toBe('*')
  })
})
