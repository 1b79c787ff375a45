import { whole } from '../evidence/plan.ts'
import { type SuiteRun, type TestId, wholeCommand } from '../suite/observe.ts'

/** Names a group of tests: its file, or `whole`. */
export type GroupId = string

/** Groups of tests that may depend on each other. A run can serve a different change to each group. */
export type Groups = ReturnType<typeof createGroups>

type FirstRun = Pick<SuiteRun, 'evidence' | 'tests' | 'areTimed'>

/**
 * The tests of a file form a group, because they may share a mock and the variables of its modules. All tests form one
 * group if files share mocks or variables, or if a mock does not know the test file that uses it.
 * @param first The run without changes.
 */
export const createGroups = (first: FirstRun, fileOf: (test: TestId) => string) => {
  let isWhole = !areFilesApart(first)
  return {
    groupOf: (test: TestId): GroupId => (isWhole || test === wholeCommand ? whole : fileOf(test)),
    /** Whether a run may omit files, because no other file needs their state. */
    canSelectFiles: (): boolean => !isWhole,
    /** Merges all groups into one. @returns Whether the groups were separate before. */
    join(): boolean {
      const wasWhole = isWhole
      isWhole = true
      return !wasWhole
    },
  }
}

/** Whether each sighting names its test file, and no two files share variables. */
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
