import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { skipsUnless } from './skips.ts'

const program = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0)

/** `setpriv` of util-linux kills the server when this process ends, even by SIGKILL; macOS lacks `setpriv`. */
const launcher = spawnSync('setpriv', ['--version']).status === 0 ? ['setpriv', '--pdeathsig', 'KILL', '--'] : []

export const skipsRedis = skipsUnless(
  program !== undefined || process.env.PLANT_MOCK_REDIS === 'required',
  'valkey-server or redis-server (Debian: apt-get install redis-server)',
)

export type RedisServer = {
  readonly url: string
  readonly process: () => ChildProcess
  readonly command: (...words: readonly string[]) => Promise<string>
  readonly everything: () => Promise<string>
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

export const startRedis = async (more: readonly string[] = ['--save', '']): Promise<RedisServer> => {
  if (program === undefined) throw new Error('Neither valkey-server nor redis-server is installed.')
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-redis-'))
  const socket = join(folder, 'redis.sock')
  let child: ChildProcess

  const start = async (): Promise<void> => {
    await rm(socket, { force: true })
    const options = ['--port', '0', '--unixsocket', socket, '--dir', folder, '--daemonize', 'no', ...more]
    const [first, ...words] = [...launcher, program, ...options]
    child = spawn(first as string, words, { stdio: 'ignore' })
    while (!/^(?:\+PONG|-NOAUTH)/.test(await command('PING').catch(() => ''))) {
      if (child.exitCode !== null) throw new Error(`${program} ended with exit code ${child.exitCode}`)
      await delay(10)
    }
  }

  const command = async (...words: readonly string[]): Promise<string> => {
    const client = connect(socket)
    await once(client, 'connect')
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
    // If the client ended the connection first, the server would drop the rest of a large reply; QUIT prevents this.
    client.write(`*${words.length}\r\n${parts.join('')}*1\r\n$4\r\nQUIT\r\n`)
    const chunks: Buffer[] = []
    for await (const chunk of client) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
      .toString()
      .replace(/\+OK\r\n$/, '')
  }

  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  }

  await start()
  return {
    url: `unix:${socket}`,
    process: () => child,
    command,
    async everything() {
      const keys = (await command('KEYS', '*')).split('\r\n').filter((line) => line.startsWith('plant-mock:'))
      const parts = await Promise.all(
        keys.flatMap((key) => [command('LRANGE', key, '0', '-1'), command('HGETALL', key), command('GET', key)]),
      )
      return [...keys, ...parts].join('\n')
    },
    kill,
    start,
    async close() {
      await kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** @param maxReply Holds back the bytes of a reply beyond this number, as a slow link does. */
export const openGate = async (url: string, maxReply = Number.POSITIVE_INFINITY) => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-gate-'))
  const socket = join(folder, 'gate.sock')
  const open = new Set<Socket>()
  let onHeld: (() => void) | undefined
  const server = createServer((client) => {
    const target = connect(url.slice('unix:'.length))
    let replied = 0
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      open.add(from)
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
      from.on('data', (chunk) => {
        replied = from === client ? 0 : replied + chunk.length
        if (onHeld === undefined) {
          if (replied <= maxReply) to.write(chunk)
        } else if (from === client && String(chunk).includes('EVALSHA')) onHeld()
      })
    }
  })
  const cut = (): void => {
    onHeld = undefined
    for (const socket of open) socket.destroy()
    open.clear()
  }
  server.listen(socket)
  await once(server, 'listening')
  return {
    url: `unix:${socket}`,
    hold: (): Promise<void> =>
      new Promise((resolve) => {
        onHeld = resolve
      }),
    cut,
    async close() {
      cut()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
