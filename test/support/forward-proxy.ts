import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

const userInfo = 'user:p%40ss-of-proxy'
const authorization = `Basic ${Buffer.from('user:p@ss-of-proxy').toString('base64')}`

export const startForwardProxy = async () => {
  const lines: string[] = []
  const isAllowed = (line: string, { 'proxy-authorization': given }: IncomingHttpHeaders): boolean => {
    lines.push(line)
    return given === authorization
  }
  const sockets = new Set<Socket>()
  const server = createServer((req, res) => {
    const { method = '', url = '', headers } = req
    if (!isAllowed(`${method} ${url}`, headers)) return res.writeHead(407).end()
    const { port, pathname, search } = new URL(url)
    const { 'proxy-authorization': _, ...forwarded } = headers
    const outgoing = request({ host: '127.0.0.1', port, method, path: `${pathname}${search}`, headers: forwarded })
    outgoing.on('response', (response) => {
      res.writeHead(response.statusCode ?? 0, response.rawHeaders)
      response.pipe(res)
    })
    outgoing.on('error', () => res.destroy())
    return req.pipe(outgoing)
  })
  server.on('connection', (socket) => sockets.add(socket))
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    client.on('error', () => undefined)
    if (!isAllowed(`CONNECT ${url}`, headers)) return client.end('HTTP/1.1 407 No\r\n\r\n')
    const upstream = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    sockets.add(upstream)
    upstream.on('error', () => undefined)
    return upstream
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    lines,
    host,
    url: `http://${userInfo}@${host}`,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

export const behindProxy = (url: string): string => url.replace('127.0.0.1', 'service.invalid')
