import type { RequestListener, ServerResponse } from 'node:http'
import { freePort } from './free-port.ts'

export const refusingUrl = async (): Promise<string> => `http://127.0.0.1:${await freePort()}`

export const sendJson = (res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

export const echo: RequestListener = async (req, res) => {
  let body = ''
  for await (const chunk of req.setEncoding('utf8')) body += chunk
  sendJson(res, 200, { method: req.method, url: req.url, headers: req.headers, body })
}

export type EchoedRequest = { method: string; url: string; headers: Record<string, string>; body: string }

export const emptyList = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]'
