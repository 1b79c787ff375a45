import { whole } from '../evidence/plan.ts'
import { type SuiteRun, type TestId, wholeCommand } from '../suite/observe.ts'

/** Names a group of tests: their file, or `whole`. */
export type GroupId = string

/** The tests of a suite in groups that depend on each other. A run can serve each group a change of its own. */
export type Groups = ReturnType<typeof createGroups>

type FirstRun = Pick<SuiteRun, 'evidence' | 'tests' | 'areTimed'>

/**
 * The tests of a file are a group: they may share a mock, and the variables of its modules. All tests are one group where
 * files share these too, or where mocks do not know the test file that uses them.
 * @param first The run without changes.
 */
export const createGroups = (first: FirstRun, fileOf: (test: TestId) => string) => {
  let isWhole = !areFilesApart(first)
  return {
    groupOf: (test: TestId): GroupId => (isWhole || test === wholeCommand ? whole : fileOf(test)),
    /** Whether a run may leave out files: no other file needs their state. */
    canSelectFiles: (): boolean => !isWhole,
    /** Joins all files when a test depends on another file. @returns Whether they were not one group already. */
    join(): boolean {
      const wasWhole = isWhole
      isWhole = true
      return !wasWhole
    },
  }
}

/** Whether each mock that would show a change knows its test file, which shares no variables with another one. */
const areFilesApart = ({ evidence, tests = [], areTimed }: FirstRun): boolean => {
  const files = new Set(tests.map(({ file }) => file))
  const fileOfRealm = new Map<string, string>()
  return (
    areTimed &&
    evidence.sightings.every(({ file, realm }) => {
      if (file === undefined || realm === undefined || !files.has(file)) return false
      const first = fileOfRealm.get(realm) ?? file
      fileOfRealm.set(realm, first)
      return first === file
    })
  )
}
