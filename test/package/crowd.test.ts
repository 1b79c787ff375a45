import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { createConnection, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { as, post } from '../support/targets.ts'
import { serve, stopAll } from './support/cli.ts'

afterEach(stopAll)

const wanted = 5_000
/** What a process needs beside. */
const spare = 500

/** As many as the machine lets one process have: Node.js raises its own limit as far as it may. */
const possible = (): number => {
  if (process.platform === 'win32') return wanted
  const limit = Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }))
  if (Number.isNaN(limit) || limit >= wanted + spare) return wanted
  console.info(`${limit} open files are allowed here: ${limit - spare} connections in the place of ${wanted}`)
  return limit - spare
}

describe('a crowd of connections that say nothing', () => {
  it('holds nobody else up, and is let go when the server stops', { timeout: 120_000 }, async () => {
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
      // What is said to it is not read otherwise, and then its end is not seen.
      socket.resume()
      closed.push(new Promise((resolve) => socket.once('close', resolve)))
      await once(socket, 'connect')
      return socket
    }
    const count = possible()
    while (closed.length < count) {
      // No more at a time than wait to be accepted.
      await Promise.all(Array.from({ length: Math.min(250, count - closed.length) }, connected))
      expect(await statuses()).toEqual([200, 201])
    }
    child.kill('SIGTERM')
    await Promise.all(closed)
    expect((await finished).code).toBe(0)
  })
})
