import { renderReport } from '../util/render-report.ts'
import type { Report } from '../util/report.ts'
import type { Terminal } from './command.ts'
import { reportToGitHub } from './github.ts'
import type { Values } from './options.ts'

export const printReport = async (report: Report, { reporter = 'text' }: Values, terminal: Terminal): Promise<void> => {
  terminal.out(renderReport(report, reporter, terminal))
  await reportToGitHub(terminal, report)
}
