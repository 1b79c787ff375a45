import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { as, post } from '../support/targets.ts'
import { serve, stopAll } from './support/cli.ts'

afterEach(stopAll)

const wantedConnections = 5_000
const reserved = 500

const maxConnections = (): number => {
  if (process.platform === 'win32') return wantedConnections
  const limit = Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }))
  if (Number.isNaN(limit) || limit >= wantedConnections + reserved) return wantedConnections
  console.info(`${limit} open files are allowed here: ${limit - reserved} connections instead of ${wantedConnections}`)
  return limit - reserved
}

describe('thousands of silent connections', () => {
  it('do not block other requests, and are closed when the server stops', async () => {
    const { url, child, finished } = await serve(['--quiet'])
    const { hostname, port } = new URL(url)
    let id = 1_000
    const statuses = async () => [
      (await fetch(`${url}/plants?limit=3`, as('alice'))).status,
      (await fetch(`${url}/plants`, post({ id: ++id, name: 'a', tag: 'b' }))).status,
    ]
    const closed: Promise<unknown>[] = []
    const connected = async (): Promise<Socket> => {
      const socket = createConnection({ host: hostname, port: Number(port) })
      socket.on('error', () => undefined)
      socket.resume()
      closed.push(new Promise((resolve) => socket.once('close', resolve)))
      await once(socket, 'connect')
      return socket
    }
    const count = maxConnections()
    while (closed.length < count) {
      // Opens at most as many connections at once as the accept queue holds.
      await Promise.all(Array.from({ length: Math.min(250, count - closed.length) }, connected))
      expect(await statuses()).toEqual([200, 201])
    }
    child.kill('SIGTERM')
    await Promise.all(closed)
    expect((await finished).code).toBe(0)
  })
})
