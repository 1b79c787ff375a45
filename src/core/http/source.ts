import { withoutCommands } from '../../util/terminal.ts'
import type { AssumptionId } from '../assumptions/registry.ts'
import type { Violation } from '../contract/violation.ts'
import { headerValue } from './headers.ts'
import type { FaultKind, Reply, ReplyMeta } from './reply.ts'

type SourceMeta = Pick<ReplyMeta, 'assumptions' | 'fault' | 'delay' | 'forwarded'>

export const responseHeaders = ({
  headers,
  meta,
}: Pick<Reply, 'headers'> & { readonly meta: SourceMeta }): string[] => {
  const result = headers.slice()
  if (meta.forwarded?.by === 'handlers') return result
  // Keeps a `Plant-Mock-Source` that a `status` fault has set.
  if (meta.fault === undefined || headerValue(headers, 'plant-mock-source') === undefined)
    result.push('Plant-Mock-Source', sourceOf(meta))
  if (meta.forwarded?.violations !== undefined)
    result.push('Plant-Mock-Violations', violationList(meta.forwarded.violations, meta.forwarded.unchecked))
  return result
}

/** Writes a structured field (RFC 9651), such as `fault; kind="status"; names="error.body"; delay=300`. */
const sourceOf = ({ fault, forwarded, assumptions, delay }: SourceMeta): string => {
  const source = fault === undefined ? (forwarded?.by ?? modelSource(assumptions)) : faultSource(fault, assumptions)
  return delay === 0 ? source : `${source}; delay=${delay}`
}

const faultSource = (fault: FaultKind, assumptions: readonly AssumptionId[]): string =>
  assumptions.length === 0 ? `fault; kind="${fault}"` : `fault; kind="${fault}"; names="${assumptions.join(' ')}"`

const modelSource = (assumptions: readonly AssumptionId[]): string => {
  if (assumptions.length === 0) return 'contract'
  const known = rendered.get(assumptions)
  if (known !== undefined) return known
  const source = `assumption; names="${assumptions.join(' ')}"`
  rendered.set(assumptions, source)
  return source
}

// perf: caches the header text of each array of assumptions, because joining costs 2 % of a GET (`npm run bench`).
const rendered = new WeakMap<readonly AssumptionId[], string>()

const violationList = (violations: readonly Violation[], unchecked: string | undefined): string => {
  const members = [
    ...violations
      .slice(0, maxListed)
      .map(({ in: place, section, detail }) => structuredString(`${place} ${section}: ${detail}`)),
    ...(unchecked === undefined ? [] : [`"not checked"; reason=${structuredString(unchecked)}`]),
  ]
  return members.length === 0 ? '"none"' : members.join(', ')
}

const maxListed = 10

const structuredString = (text: string): string =>
  `"${withoutCommands(text)
    .slice(0, 200)
    .replaceAll(/[^\x20-\x7E]/g, '?')
    .replaceAll(/["\\]/g, '\\$&')}"`
