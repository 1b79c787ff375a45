import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export type RawResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export type RawConnection = {
  readonly socket: Socket
  readonly send: (...parts: readonly (string | Uint8Array)[]) => void
  readonly received: () => string
  readonly until: (pattern: RegExp) => Promise<string>
  readonly ended: Promise<string>
  readonly wasReset: Promise<boolean>
}

export const connected = async (url: string): Promise<Socket> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

export const openConnection = (url: string, { halfOpen = false } = {}): RawConnection => {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: halfOpen })
  let text = ''
  const checks = new Set<() => void>()
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
    for (const check of checks) check()
  })
  socket.on('error', () => undefined)
  const wasReset = new Promise<boolean>((resolve) => socket.once('close', resolve))
  const ended = new Promise<string>((resolve) => {
    for (const event of ['end', 'close']) socket.once(event, () => resolve(text))
  })
  return {
    socket,
    send(...parts) {
      for (const part of parts) if (socket.writable) socket.write(part)
    },
    received: () => text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!pattern.test(text)) return
          checks.delete(check)
          resolve(text)
        }
        checks.add(check)
        check()
        ended.then(() => reject(new Error(`The connection ended before ${pattern}: ${text}`)))
      }),
    ended,
    wasReset,
  }
}

export const sendRaw = async (url: string, ...parts: readonly (string | Uint8Array)[]): Promise<string> => {
  const connection = openConnection(url)
  connection.send(...parts)
  const text = await connection.ended
  connection.socket.destroy()
  return text
}

export const requestText = (line: string, headers: readonly string[] = [], body = ''): string =>
  [
    `${line} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Authorization: Bearer alice',
    ...headers,
    ...(body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]),
    '',
    body,
  ].join('\r\n')

export const createText = (plant: unknown, headers: readonly string[] = []): string =>
  requestText(
    'POST /plants',
    ['Content-Type: application/json', ...headers],
    typeof plant === 'string' ? plant : JSON.stringify(plant),
  )

/** Skips interim responses (1xx). Truncated or invalid text becomes a last response with status 0. */
export const parseResponses = (text: string, methods: readonly string[] = []): readonly RawResponse[] => {
  const responses: RawResponse[] = []
  for (let position = 0; position < text.length; ) {
    const end = text.indexOf('\r\n\r\n', position)
    const head = end === -1 ? '' : text.slice(position, end)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0)
    if (status === 0) return [...responses, { status: 0, headers: {}, body: text.slice(position) }]
    const headers = parseHeaders(head)
    const isEmpty = status < 200 || status === 204 || status === 304 || methods[responses.length] === 'HEAD'
    const parsed = isEmpty ? { body: '', end: end + 4 } : parseBody(text, end + 4, headers)
    position = parsed.end
    if (status >= 200) responses.push({ status, headers, body: parsed.body })
  }
  return responses
}

export const parseStatuses = (text: string): readonly number[] => parseResponses(text).map(({ status }) => status)

const parseHeaders = (head: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
  )

const parseBody = (
  text: string,
  start: number,
  headers: Readonly<Record<string, string>>,
): { readonly body: string; readonly end: number } => {
  if (headers['transfer-encoding'] !== 'chunked') {
    const end = start + Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
    return { body: text.slice(start, end), end }
  }
  let body = ''
  for (let position = start; ; ) {
    const line = text.indexOf('\r\n', position)
    const size = Number.parseInt(text.slice(position, line), 16)
    if (line === -1 || Number.isNaN(size)) return { body, end: Number.POSITIVE_INFINITY }
    body += text.slice(line + 2, line + 2 + size)
    position = line + 2 + size + 2
    if (size === 0) return { body, end: position }
  }
}
