import type { LoggedRequest } from '../adapters/node/logged-request.ts'
import type { Violation } from '../contract/violation.ts'

/** One line a request: method, path, status, caller, duration, and the problem type of a failure. */
export const requestLine = (request: LoggedRequest, colour: boolean): string => {
  const paint = (code: number, text: string) => (colour ? `\u001B[${code}m${text}\u001B[0m` : text)
  const { method, status, caller, problem, fault, session, by, violations, milliseconds } = request
  const line = [
    method.padEnd(6),
    shown(request.url),
    paint(colourOf(status), String(status)),
    caller ?? '-',
    ...(session === undefined ? [] : [`[${printable(session.slice(0, 60))}]`]),
    ...(problem === undefined ? [] : [paint(33, problem)]),
    ...(fault === undefined ? [] : [paint(35, `fault: ${fault}`)]),
    ...(by === undefined ? [] : [paint(36, by)]),
    paint(2, `${milliseconds.toFixed(1)} ms`),
  ].join('  ')
  return [line, ...violations.map((violation) => paint(33, `        ${departed(violation)}`))].join('\n')
}

/** `request violates contract.md 4.2: …` */
const departed = (violation: Violation): string =>
  printable(`${violation.in} violates contract.md ${violation.section}: ${violation.detail}`)

/** Without the characters that are commands to a terminal. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}/gu, '?')

/** The same for machines. */
export const requestJson = ({ url, milliseconds, violations, ...request }: LoggedRequest): string =>
  JSON.stringify({
    event: 'request',
    ...request,
    ...(violations.length > 0 && { violations }),
    url: shown(url),
    milliseconds: Number(milliseconds.toFixed(3)),
  })

const colourOf = (status: number): number => (status >= 500 ? 31 : status >= 400 ? 33 : 32)

/** A token that somebody put into the address (RFC 6750, 2.3) is not for the log; nor is a very long address. */
const shown = (url: string): string => {
  const safe = url.replaceAll(/(access_token=)[^&]*/gi, '$1…')
  return safe.length > 120 ? `${safe.slice(0, 119)}…` : safe
}
