import { type ServerResponse, STATUS_CODES } from 'node:http'
import { type ProblemType, problemDocument, problemTypes } from '../../core/contract/problems.ts'
import { headerEntries, type RawHeaders } from '../../core/http/headers.ts'
import type { Reply } from '../../core/http/reply.ts'
import { responseHeaders } from '../../core/http/source.ts'

/** A response that is sent at once. */
export type WholeResponse = { readonly status: number; readonly headers: RawHeaders; readonly body: string | undefined }

/** A problem document (RFC 9457). */
export const problemResponse = (type: ProblemType, detail: string, headers: RawHeaders = []): WholeResponse => {
  const { status } = problemTypes[type]
  const body = JSON.stringify(problemDocument(type, status, detail))
  return { status, headers: ['Content-Type', 'application/problem+json', ...headers], body }
}

/** The response that ends a connection. */
export const endingResponse = (reply: Reply): WholeResponse => ({
  ...reply,
  headers: [...responseHeaders(reply), 'Connection', 'close'],
})

const withLength = ({ headers, body = '' }: WholeResponse): string[] => [
  ...headers,
  'Content-Length',
  String(Buffer.byteLength(body)),
]

export const respond = (res: ServerResponse, response: WholeResponse): void => {
  res.writeHead(response.status, withLength(response)).end(response.body)
}

/** For a socket without a `ServerResponse`. */
export const responseText = (response: WholeResponse): string => {
  const { status, body = '' } = response
  const lines = headerEntries(withLength(response)).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`
}
