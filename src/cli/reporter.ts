import { renderReport } from '../util/render-report.ts'
import type { Report } from '../util/report.ts'
import type { Terminal } from './command.ts'
import { reportToGitHub } from './github.ts'
import type { Values } from './options.ts'

/** Prints a report in the format of `--reporter`, and shows it in GitHub Actions. */
export const printReport = async (report: Report, { reporter = 'text' }: Values, terminal: Terminal): Promise<void> => {
  terminal.out(renderReport(report, reporter, terminal))
  await reportToGitHub(terminal, report)
}
