import type { LoggedRequest } from '../server/listener/logged-request.ts'
import { painter, printable, printableJson, type Style } from '../util/terminal.ts'
import { shorten } from '../util/text.ts'
import { plural } from '../util/words.ts'
import type { Terminal } from './command.ts'

/** Prints requests, and leaves out some rather than fill the memory. */
export type RequestLog = {
  readonly print: (request: LoggedRequest) => void
  /** Prints how many requests were left out since the last line. */
  readonly end: () => void
}

/**
 * A log that leaves requests out while the reader of standard output is slow, and then says how many.
 * @param notice Prints a line that is no request.
 */
export const requestLog = (
  { out, isSlow }: Pick<Terminal, 'out' | 'isSlow'>,
  render: (request: LoggedRequest) => string,
  notice: (text: string) => void,
): RequestLog => {
  let omitted = 0
  const end = (): void => {
    if (omitted > 0) notice(`${plural(omitted, 'request')} not logged, because standard output is read too slowly`)
    omitted = 0
  }
  return {
    print(request) {
      if (isSlow()) {
        omitted++
        return
      }
      if (omitted > 0) end()
      out(`${render(request)}\n`)
    },
    end,
  }
}

/** In characters. */
const maxUrlLength = 120
const maxSessionLength = 60

/**
 * Renders a request as one line with method, URL, status, caller and duration, and where they apply session, problem
 * type, fault and the part that responded instead of the mock. One more line follows for each violation.
 */
export const requestLine = (request: LoggedRequest, colour: boolean): string => {
  const paint = painter(colour)
  const { method, url, status, caller, problem, fault, session, by, violations, violationsOmitted, milliseconds } =
    request
  // perf: a third of the time of a joined list of cells (`npm run bench`, request log).
  let text = `${method.padEnd(6)}  ${printable(shorten(url, maxUrlLength))}  ${paint(statusStyle(status), `${status}`)}`
  text += `  ${caller ?? '-'}`
  if (session !== undefined) text += `  [${printable(shorten(session, maxSessionLength))}]`
  if (problem !== undefined) text += `  ${paint('yellow', problem)}`
  if (fault !== undefined) text += `  ${paint('magenta', `fault: ${fault}`)}`
  if (by !== undefined) text += `  ${paint('cyan', by)}`
  text += `  ${paint('dim', `${milliseconds.toFixed(1)} ms`)}`
  for (const { in: part, section, detail } of violations)
    text += `\n${paint('yellow', `        ${printable(`${part} violates contract ${section}: ${detail}`)}`)}`
  if (violationsOmitted !== undefined)
    text += `\n${paint('yellow', `        and ${plural(violationsOmitted, 'more violation')}`)}`
  return text
}

/** Renders a request as one line of JSON. */
export const requestJson = (request: LoggedRequest): string => {
  const { method, url, status, caller, problem, fault, session, by, violations, violationsOmitted, milliseconds } =
    request
  return printableJson({
    event: 'request',
    method,
    url: shorten(url, maxUrlLength),
    status,
    caller,
    session,
    problem,
    fault,
    by,
    violations: violations.length > 0 ? violations : undefined,
    violationsOmitted,
    milliseconds: Math.round(milliseconds * 1000) / 1000,
  })
}

const statusStyle = (status: number): Style => {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}
