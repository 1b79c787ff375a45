import { urlOf } from '../../core/http/exchange.ts'
import { headerValue } from '../../core/http/headers.ts'
import { redactor, secretSet, secretsIn } from '../../core/http/redact.ts'
import type { Reply } from '../../core/http/reply.ts'
import type { ResolvedRequest } from '../../core/operations/call.ts'
import { jsonOrUndefined } from '../../util/json.ts'
import { shorten } from '../../util/text.ts'

export type ChangedExchange = {
  readonly request: string
  readonly diff: readonly string[]
}

const maxLineLength = 160
const maxLinesPerSide = 4

export const changedExchange = ({ received }: ResolvedRequest, before: Reply, after: Reply): ChangedExchange => {
  const secrets = secretSet()
  for (const secret of secretsIn(received.headers())) secrets.add(secret)
  const redact = redactor(() => [secrets])
  const body = typeof received.body === 'string' ? [received.body] : []
  const line = (text: string): string => shorten(redact(text), maxLineLength)
  return {
    request: [received.method, urlOf(received), ...body].map(line).join(' '),
    diff: diffLines(linesOf(before), linesOf(after)).map(line),
  }
}

const linesOf = ({ status, headers, body }: Reply): readonly string[] => {
  const head = `${status} ${headerValue(headers, 'content-type') ?? ''}`.trimEnd()
  const json = body === undefined ? undefined : jsonOrUndefined(body)
  if (Array.isArray(json)) return [head, '[', ...json.map((element) => `  ${JSON.stringify(element)}`), ']']
  return [head, ...(body ? body.split('\n') : [])]
}

const diffLines = (before: readonly string[], after: readonly string[]): readonly string[] => {
  const shorter = Math.min(before.length, after.length)
  let start = 0
  while (start < shorter && before[start] === after[start]) start++
  let end = 0
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++
  const side = (mark: string, lines: readonly string[]): readonly string[] => {
    const changed = lines.slice(start, lines.length - end)
    const more = changed.length > maxLinesPerSide ? [`${mark} … ${changed.length - maxLinesPerSide + 1} more`] : []
    return [...changed.slice(0, maxLinesPerSide - more.length).map((text) => `${mark} ${text}`), ...more]
  }
  const context = (text: string | undefined): readonly string[] => (text === undefined ? [] : [`  ${text}`])
  return [
    ...context(start > 0 ? before[start - 1] : undefined),
    ...side('-', before),
    ...side('+', after),
    ...context(end > 0 ? before.at(-end) : undefined),
  ]
}
