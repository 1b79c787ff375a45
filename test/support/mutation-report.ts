import type { MutantStatus, MutationTestResult } from 'mutation-testing-report-schema/api'

type Report = MutationTestResult

export const parseMutationReport = ({ out, error }: { readonly out: string; readonly error: string }): Report => {
  if (out === '') throw new Error(error)
  return JSON.parse(out) as Report
}

const mutantsIn = ({ files }: Report) => Object.values(files).flatMap(({ mutants }) => mutants)

export const withStatus = (report: Report, status: MutantStatus): readonly string[] =>
  mutantsIn(report).flatMap((mutant) => (mutant.status === status ? [mutant.id] : []))
