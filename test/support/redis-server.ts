import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { skipsUnless } from './skips.ts'

/** The program of a Valkey or Redis server on this machine, preferably Valkey. */
const program = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0)

/**
 * Ends the server together with this process, even when that is killed: `setpriv` of util-linux asks the kernel for it.
 * macOS has no such program.
 */
const launcher = spawnSync('setpriv', ['--version']).status === 0 ? ['setpriv', '--pdeathsig', 'KILL', '--'] : []

/** Whether to skip tests that need a server: none is installed, and `PLANT_MOCK_REDIS` is not `required`. */
export const skipsRedis = skipsUnless(
  program !== undefined || process.env.PLANT_MOCK_REDIS === 'required',
  'valkey-server or redis-server (Debian: apt-get install redis-server)',
)

export type RedisServer = {
  readonly url: string
  readonly process: () => ChildProcess
  /** Sends one command in the inline form, and returns the reply as the protocol has it. */
  readonly command: (...words: readonly string[]) => Promise<string>
  readonly everything: () => Promise<string>
  readonly kill: () => Promise<void>
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

/** @param more Options of the command line. Default: no persistence. */
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
    // The server closes a connection that the client ends before it has sent all of a large reply.
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

/**
 * A socket in front of a server, which passes bytes on until a test holds them.
 * @param maxReply Holds what exceeds this number of bytes of a reply, as a slow link does within the time of a request.
 */
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
    /** Ends all connections; later ones pass. */
    cut,
    async close() {
      cut()
      server.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
