import type { LoggedRequest } from '../adapters/node/logged-request.ts'
import { painter, printable, type Style } from '../util/terminal.ts'
import { shorten } from '../util/words.ts'

/** In characters. */
const maxUrlLength = 120
const maxSessionLength = 60

/**
 * Renders a request as one line with method, URL, status, caller and duration, and where they apply session, problem
 * type, fault and the part that responded instead of the mock. One more line follows for each violation.
 */
export const requestLine = (request: LoggedRequest, colour: boolean): string => {
  const paint = painter(colour)
  const { method, url, status, caller, problem, fault, session, by, violations, milliseconds } = request
  const cells = [
    method.padEnd(6),
    printable(shorten(url, maxUrlLength)),
    paint(statusStyle(status), String(status)),
    caller ?? '-',
    session !== undefined && `[${printable(shorten(session, maxSessionLength))}]`,
    problem !== undefined && paint('yellow', problem),
    fault !== undefined && paint('magenta', `fault: ${fault}`),
    by !== undefined && paint('cyan', by),
    paint('dim', `${milliseconds.toFixed(1)} ms`),
  ]
  const violationLines = violations.map(({ in: part, section, detail }) =>
    paint('yellow', `        ${printable(`${part} violates contract ${section}: ${detail}`)}`),
  )
  return [cells.filter((cell) => cell !== false).join('  '), ...violationLines].join('\n')
}

/** Renders a request as one line of JSON. */
export const requestJson = ({ url, milliseconds, violations, ...request }: LoggedRequest): string =>
  JSON.stringify({
    event: 'request',
    ...request,
    ...(violations.length > 0 && { violations }),
    url: shorten(url, maxUrlLength),
    milliseconds: Number(milliseconds.toFixed(3)),
  })

const statusStyle = (status: number): Style => {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}
