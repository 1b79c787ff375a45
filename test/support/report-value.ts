import type { Finding, Report } from '../../src/util/report.ts'

export const reportOf = (findings: readonly Finding[], more: Partial<Report> = {}): Report => ({
  ...{ command: 'vary', verdict: 'One guess.', style: 'red', facts: [], notes: [], next: [], data: {} },
  sections: [{ title: 'Relied on', findings }],
  ...more,
})
