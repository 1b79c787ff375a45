import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

export type Site = {
  readonly url: string
  readonly close: () => Promise<void>
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

export const serveFolder = async (folder: string, headers: Readonly<Record<string, string>> = {}): Promise<Site> => {
  const server = createServer(async ({ url = '/' }, res) => {
    const { pathname } = new URL(url, 'http://site.invalid')
    const path = join(folder, normalize(pathname.endsWith('/') ? `${pathname}index.html` : pathname))
    try {
      const content = await readFile(path)
      res.writeHead(200, { ...headers, 'Content-Type': types[extname(path)] ?? 'application/octet-stream' })
      res.end(content)
    } catch {
      res.writeHead(404)
      res.end()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
