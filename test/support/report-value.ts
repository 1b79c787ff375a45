import type { Finding, Report } from '../../src/util/report.ts'

/** A report with these findings in one section. */
export const reportOf = (findings: readonly Finding[], more: Partial<Report> = {}): Report => ({
  ...{ command: 'vary', verdict: 'One guess.', style: 'red', facts: [], notes: [], next: [], data: {} },
  sections: [{ title: 'Relied on', findings }],
  ...more,
})
