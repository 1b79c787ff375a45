import { renderJunit } from './junit.ts'
import type { Report } from './report.ts'
import { renderText, type Screen } from './report-text.ts'
import { printableJson } from './terminal.ts'

const renderers = {
  text: renderText,
  json: ({ data }) => `${printableJson(data, 2)}\n`,
  junit: renderJunit,
} as const satisfies Record<string, (report: Report, screen: Screen) => string>

export type ReportFormat = keyof typeof renderers

export const renderReport = (report: Report, format: ReportFormat, screen: Screen): string =>
  renderers[format](report, screen)
