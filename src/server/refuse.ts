import type { Socket } from 'node:net'
import type { LocalPlantMock } from '../adapters/fetch.ts'
import type { ProblemType } from '../contract/problems.ts'
import type { Reply } from '../service/exchange.ts'

/** Answers what the parser of node:http refused: there is no request object, so the answer is written by hand. */
export const refuse = (error: NodeJS.ErrnoException, socket: Socket, mock: LocalPlantMock): void => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const type = refusals[error.code ?? ''] ?? 'malformed-request'
  socket.end(asText(mock.worlds.root.problem(type, details[type] ?? `${error.message}.`)))
}

const refusals: Readonly<Record<string, ProblemType>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

const details: Readonly<Partial<Record<ProblemType, string>>> = {
  'headers-too-large': 'The headers together may have 16 KiB.',
  'request-timeout': 'Send headers and body without a long pause.',
}

const asText = ({ status, headers, body = '' }: Reply): string => {
  const pairs = Array.from(
    { length: headers.length / 2 },
    (_, i) => `${headers[2 * i]}: ${headers[2 * i + 1]}\r\n`,
  )
  return (
    `HTTP/1.1 ${status} ${reasons[status] ?? 'Bad Request'}\r\n${pairs.join('')}` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`
  )
}

const reasons: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}
