import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lastResponse } from '../adapters/node/last-response.ts'
import type { ProblemType } from '../contract/problems.ts'
import { headerEntries } from '../http/headers.ts'
import type { Reply } from '../http/reply.ts'
import { responseHeaders } from '../http/source.ts'
import type { LocalPlantMock } from '../mock/create-plant-mock.ts'

// Taken now, because a test may put a clock of its own in their place.
const { clearTimeout, setTimeout } = globalThis

/** How long a connection stays for the client to read why it was refused, in milliseconds. */
const lingering = 1_000

/**
 * Answers what the parser of node:http refused: there is no request object, so the answer is written by hand. It
 * comes after the answers that are still due, and no request gets two.
 */
export const refuser = ({
  instances: { root },
}: LocalPlantMock): ((error: NodeJS.ErrnoException, socket: Socket) => void) => {
  const refused = new WeakSet<Socket>()
  return (error, socket) => {
    // What still comes is refused again, and thrown away: the client can read the answer once it has sent all.
    if (refused.has(socket)) return
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy()
      return
    }
    refused.add(socket)
    const type = refusals[error.code ?? ''] ?? 'malformed-request'
    const reply = root.problem({ problem: type, detail: details[type] ?? `${error.message}.` })
    const answer = () => leave(socket, asText(reply))
    const last = lastResponse(socket)
    if (last === undefined) answer()
    else if (last.req.complete) whenDone(last, answer)
    else if (!last.headersSent) {
      // Answers to requests that came at one go have the socket in turn.
      if (last.socket === null) last.writeHead(reply.status, headersOf(reply)).end(reply.body)
      else answer()
    }
    // The answer went out before the body was read, and is all that this request gets.
    else if (last.writableEnded) whenDone(last, () => leave(socket))
    else socket.destroy()
  }
}

const whenDone = (answer: ServerResponse, next: () => void): void => {
  // Written out, and by its event node:http has let go of the socket, or ended it.
  if (answer.writableFinished && answer.socket === null) next()
  else answer.once('finish', next)
}

/** Ends our side, and the other one too when the client does not. */
const leave = (socket: Socket, text?: string): void => {
  if (!socket.writable) return
  if (text === undefined) socket.end()
  else socket.end(text)
  const cutOff = setTimeout(() => socket.destroy(), lingering)
  socket.once('close', () => clearTimeout(cutOff))
}

const refusals: Readonly<Record<string, ProblemType>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
}

const details: Readonly<Partial<Record<ProblemType, string>>> = {
  'headers-too-large': 'The headers together may have 16 KiB.',
  'request-timeout': 'Send headers and body without a long pause.',
}

const headersOf = (reply: Reply): string[] => [
  ...responseHeaders(reply),
  'Content-Length',
  String(Buffer.byteLength(reply.body ?? '')),
  'Connection',
  'close',
]

const asText = (reply: Reply): string => {
  const lines = headerEntries(headersOf(reply)).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${reply.status} ${reasons[reply.status] ?? 'Bad Request'}\r\n${lines.join('')}\r\n${reply.body ?? ''}`
}

const reasons: Readonly<Record<number, string>> = {
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}
