import type { ActiveFault } from '../core/faults/faults.ts'
import { shownStatus } from '../core/http/status.ts'
import type { JournalEntry, Message } from '../core/journal/entry.ts'
import type { NamedCallers } from '../core/journal/redact.ts'
import type { PlantMock } from '../core/mock/plant-mock.ts'
import type { OptionNames } from '../util/check-options.ts'
import { PlantMockError } from '../util/errors.ts'
import { printable, printableLines } from '../util/terminal.ts'
import { plural } from '../util/words.ts'

export type PlantMockChecks = {
  /**
   * Checks responses for `/plants` from other handlers against the contract. For a violation, `fail` fails the test and
   * `report` prints a warning; `off` neither checks nor records such responses. Default: `fail`.
   */
  readonly overrides?: 'fail' | 'report' | 'off'
  /** Fails a test that leaves a fault unused, or sends a request that violates the contract. Default: false. */
  readonly strict?: boolean
}

export const checkNames: OptionNames<PlantMockChecks> = { overrides: true, strict: 'switch' }

export const noCallers: NamedCallers = { secrets: [], findPseudonym: () => undefined }

export const strictFailures = async (mock: Pick<PlantMock, 'pending' | 'violations'>): Promise<readonly string[]> => {
  const pending = await mock.pending()
  const violations = (await mock.violations())
    .filter((violation) => violation.in === 'request')
    .map(({ exchange, section, detail }) => `  ${exchange} violates contract ${section}: ${detail}`)
  return [
    ...paragraph('Faults still pending at the end of this test (strict):', pending.map(renderFault)),
    ...paragraph('Requests that violate the contract (strict):', violations),
  ]
}

const paragraph = (heading: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [[heading, ...lines].join('\n')]

const renderFault = ({ name, hits }: ActiveFault): string => `  ${name} (hits: ${hits})`

export const withoutFrames = (message: string): PlantMockError => {
  const failure = new PlantMockError(printableLines(message))
  failure.stack = `${failure.name}: ${failure.message}`
  return failure
}

const maxRequests = 20
const maxBodyLength = 300

export const renderJournal = (entries: readonly JournalEntry[], pending: readonly ActiveFault[]): string => {
  const earlier = Math.max(0, entries.length - maxRequests)
  const requests = [
    ...(earlier === 0 ? [] : [`  … ${earlier} earlier`]),
    ...entries.slice(earlier).flatMap(renderEntry),
  ]
  return [
    ...paragraph(`Requests to the mock in this test: ${entries.length}`, requests),
    ...paragraph('Faults still pending at the end of this test:', pending.map(renderFault)),
  ].join('\n\n')
}

const renderEntry = (entry: JournalEntry): string[] => {
  const { id, method, url, status, request, response, caller, violations, violationsOmitted } = entry
  const parts = [
    `${method} ${url}`,
    shownStatus(status),
    ...(caller === undefined ? [] : [caller]),
    renderSource(entry),
  ]
  return [
    `  ${id}  ${printable(parts.join('  '))}`,
    ...(request.body ? [`     sent  ${renderBody(request)}`] : []),
    ...(response.body ? [`     got   ${renderBody(response)}`] : []),
    ...violations.map(
      ({ section, detail, in: part }) => `     ${part} violates contract ${section}: ${printable(detail)}`,
    ),
    ...(violationsOmitted === undefined ? [] : [`     and ${plural(violationsOmitted, 'more violation')}`]),
  ]
}

const renderSource = ({ source, assumptions, fault, delay }: JournalEntry): string => {
  const delayed = delay === undefined ? '' : `, delayed ${Math.round(delay)} ms`
  if (source === 'fault') return `fault: ${fault}${delayed}`
  return `${source === 'assumption' ? `assumed: ${assumptions.join(', ')}` : source}${delayed}`
}

const renderBody = ({ body = '', json }: Message): string => {
  const text = printable(json === undefined ? body : JSON.stringify(json))
  return text.length > maxBodyLength ? `${text.slice(0, maxBodyLength)}… (${text.length} characters)` : text
}
