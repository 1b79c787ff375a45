import { contractText } from '../../core/contract/contract-text.ts'
import { sectionsIn } from '../../core/contract/violation.ts'
import { mutants } from '../evidence/mutants.ts'
import { withShortPath } from '../suite/test-result.ts'
import type { ReportedAcceptance } from './accepted.ts'
import { ruleOf, type ScoredMutant, type ScoredReport, statuses, whyOf } from './mutation-score.ts'

export type DataOptions = {
  readonly threshold: number
  readonly version: string
  readonly acceptance?: ReportedAcceptance | undefined
}

/** Follows version 2 of Stryker's report schema, with contract.md as the mutated source file. */
export const mutationData = (
  { results, tests, command }: ScoredReport,
  verdict: string,
  { threshold, version, acceptance }: DataOptions,
): object => {
  const files = new Map<string, { readonly id: string; readonly name: string }[]>()
  for (const { id, name, file } of tests.map(withShortPath)) files.set(file, [...(files.get(file) ?? []), { id, name }])
  return {
    schemaVersion: '2',
    thresholds: { high: threshold, low: threshold },
    files: { 'contract.md': { language: 'markdown', source: contractText, mutants: results.map(mutantJson) } },
    testFiles: Object.fromEntries([...files].map(([file, tests]) => [file, { tests }])),
    config: {
      command,
      verdict,
      ...(acceptance && { accepted: [...acceptance.accepted.keys()], gone: acceptance.gone }),
    },
    framework: { name: 'plant-mock', version },
  }
}

const mutantJson = (mutant: ScoredMutant) => {
  const { id, status, exercisedBy, killedBy, exchange } = mutant
  const { section, statement } = ruleOf(id)
  const [first = ''] = sectionsIn(section)
  const { title, stryker } = statuses[status]
  const why = status === 'killed' || status === 'survived' ? [] : [`${title}: ${whyOf(mutant)}`.replace(/: $/, '')]
  const reasons = [...why, ...(exchange === undefined ? [] : [exchange.request, ...exchange.diff])]
  return {
    id,
    mutatorName: mutants[id].rule,
    description: `${mutants[id].does} (contract ${section}: ${statement})`,
    location: locationOf(first),
    status: stryker,
    ...(reasons.length > 0 && { statusReason: reasons.join('\n') }),
    coveredBy: exercisedBy.map((test) => test.id),
    killedBy: killedBy.map((test) => test.id),
  }
}

const lines = contractText.split('\n')

const locationOf = (section: string) => {
  const numbers = [section, section.replace(/\.\d+$/, '')]
  const at = lines.findLastIndex((line) => numbers.includes(/^#+ ([\d.]*\d)/.exec(line)?.[1] ?? ''))
  const line = Math.max(at, 0) + 1
  return { start: { line, column: 1 }, end: { line, column: (lines[line - 1] ?? '').length + 1 } }
}
