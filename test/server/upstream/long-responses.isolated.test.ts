import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { expect, it, vi } from 'vitest'
import { useServers } from '../../support/start.ts'

const { closers, serve, startProxy } = useServers()

it.each([
  ['/x', 1],
  ['/plants', 17 * 1024 * 1024],
])('streams a response for longer than the timeout, once it has begun (%s)', async (path, size) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  closers.push(() => vi.useRealTimers())
  let finish = (): unknown => undefined
  const upstream = await serve((_, res) => {
    res.writeHead(200).write(Buffer.alloc(size, ' '))
    finish = () => res.end('last')
  })
  const { url } = await startProxy(upstream.url, { for: 'all', timeout: 1_000 })
  const [response] = (await once(request(`${url}${path}`).end(), 'response')) as [IncomingMessage]
  vi.advanceTimersByTime(60_000)
  finish()
  let receivedAt = 0
  for await (const chunk of response) receivedAt += chunk.length
  expect(receivedAt).toBe(size + 'last'.length)
})
