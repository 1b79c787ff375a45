import { connect, type Socket } from 'node:net'

/** One answer as it came, with what was made of its body by length or chunks. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A connection on which anything may be said. */
export type Wire = {
  readonly socket: Socket
  readonly send: (...parts: readonly (string | Uint8Array)[]) => void
  /** All that came until now, a character for each byte. */
  readonly received: () => string
  /** All that came, once it matches. */
  readonly until: (pattern: RegExp) => Promise<string>
  /** All that came until the other side ended the connection, or broke it. */
  readonly ended: Promise<string>
  /** True when the connection broke, false when both sides ended it. */
  readonly broken: Promise<boolean>
}

/** Connects to a server. `halfOpen` keeps this side open when the other one ends. */
export const wireTo = (url: string, { halfOpen = false } = {}): Wire => {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: halfOpen })
  let text = ''
  const waiting = new Set<() => void>()
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk
    for (const look of waiting) look()
  })
  socket.on('error', () => undefined)
  const broken = new Promise<boolean>((resolve) => socket.once('close', resolve))
  const over = new Promise<string>((resolve) => {
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
        const look = () => {
          if (!pattern.test(text)) return
          waiting.delete(look)
          resolve(text)
        }
        waiting.add(look)
        look()
        over.then(() => reject(new Error(`it ended before ${pattern}: ${text}`)))
      }),
    ended: over,
    broken,
  }
}

/** Says something on a connection of its own, and gives what comes until the other side ends it. */
export const say = async (url: string, ...parts: readonly (string | Uint8Array)[]): Promise<string> => {
  const wire = wireTo(url)
  wire.send(...parts)
  const text = await wire.ended
  wire.socket.destroy()
  return text
}

/** A request as text, of a caller, with the headers given as they are. */
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

/** A create as text. */
export const createText = (plant: unknown, headers: readonly string[] = []): string =>
  requestText(
    'POST /plants',
    ['Content-Type: application/json', ...headers],
    typeof plant === 'string' ? plant : JSON.stringify(plant),
  )

/**
 * The answers in what came, in their order. Interim ones (100) are left out. What breaks off, or is no answer at all,
 * ends the list with the status 0. `methods` are those of the requests, where there may be a HEAD: it has no body.
 */
export const answersIn = (text: string, methods: readonly string[] = []): readonly Answer[] => {
  const answers: Answer[] = []
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\r\n\r\n', at)
    const head = end === -1 ? '' : text.slice(at, end)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0)
    if (status === 0) return [...answers, { status: 0, headers: {}, body: text.slice(at) }]
    const headers = headersIn(head)
    const isEmpty = status < 200 || status === 204 || status === 304 || methods[answers.length] === 'HEAD'
    const read = isEmpty ? { body: '', end: end + 4 } : bodyAt(text, end + 4, headers)
    at = read.end
    if (status >= 200) answers.push({ status, headers, body: read.body })
  }
  return answers
}

export const statusesIn = (text: string): readonly number[] => answersIn(text).map(({ status }) => status)

const headersIn = (head: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
  )

const bodyAt = (
  text: string,
  start: number,
  headers: Readonly<Record<string, string>>,
): { readonly body: string; readonly end: number } => {
  if (headers['transfer-encoding'] !== 'chunked') {
    const end = start + Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
    return { body: text.slice(start, end), end }
  }
  let body = ''
  for (let at = start; ; ) {
    const line = text.indexOf('\r\n', at)
    const size = Number.parseInt(text.slice(at, line), 16)
    if (line === -1 || Number.isNaN(size)) return { body, end: Number.POSITIVE_INFINITY }
    body += text.slice(line + 2, line + 2 + size)
    at = line + 2 + size + 2
    if (size === 0) return { body, end: at }
  }
}
