import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { skipsUnless, skipsUnlessLinux } from '../support/skips.ts'
import { finish, type RunOptions, root, run, serve, stopAll } from './support/cli.ts'
import { listenForProcesses, type Processes } from './support/processes.ts'

const folder = await openFolder()
let processes: Processes
beforeEach(async () => {
  processes = await listenForProcesses()
})
afterEach(() => {
  processes.close()
  stopAll()
})

const node = (script: string): readonly string[] => ['--', process.execPath, '--input-type=module', '-e', script]
const list = `await fetch(process.env.PLANT_MOCK_URL + '/plants?limit=1', { headers: { authorization: 'Bearer secret' } })`
const leave = (script = processes.script) =>
  `import { spawn } from 'node:child_process'
   const left = spawn(process.execPath, ['-e', ${JSON.stringify(script)}], { stdio: ['ignore', 'pipe', 'ignore'] })`
const finishRun = (args: readonly string[], options?: RunOptions) => finish(['run', ...args], options)

describe('plant-mock run', () => {
  it.each([
    [3, 'exit 3'],
    [137, 'kill -KILL $$'],
  ])('exits with %d after a command that runs %s', async (code, script) => {
    expect(await finishRun(['--', 'sh', '-c', script])).toEqual({ code, out: '', error: '' })
  })

  it('exits with 127 when the command does not exist', async () => {
    expect(await finishRun(['--', 'vitst', 'run'])).toEqual({
      code: 127,
      out: '',
      error:
        'plant-mock: Failed to run vitst: the command does not exist. Put npx before a program of a package: plant-mock run -- npx vitst run\n',
    })
  })

  it('serves at PLANT_MOCK_URL while the command runs, and prints nothing itself', async () => {
    const script = `console.log((${list}).status, process.env.PLANT_MOCK_URL); console.error('own error')`
    const { code, out, error } = await finishRun(node(script))
    expect({ code, error }).toEqual({ code: 0, error: 'own error\n' })
    expect(out).toMatch(/^200 http:\/\/127\.0\.0\.1:\d+\n$/)
    await expect(fetch(out.slice(4).trim())).rejects.toThrow()
  })

  it('passes its standard input to the command', async () => {
    const { child, finished } = run(['run', '--', 'cat'])
    child.stdin?.end('from the terminal')
    expect((await finished).out).toBe('from the terminal')
  })

  it('adds only PLANT_MOCK_URL to the environment of the command', async () => {
    const env = { PLANT_MOCK_FIXTURES: 'empty', OTHER: 'x' }
    const args = ['--token', 'secret', '--control-key', 'key-that-stays-secret']
    const { out } = await finishRun([...args, ...node('console.log(JSON.stringify(process.env))')], { env })
    const { PATH, PLANT_MOCK_URL, ...added } = JSON.parse(out) as Record<string, string>
    expect(added).toEqual(env)
  })

  it('lets the command reach the server without a proxy', async () => {
    const env = { HTTP_PROXY: 'http://proxy.example', NO_PROXY: 'a.example' }
    const { out } = await finishRun(node('console.log(process.env.NO_PROXY, process.env.no_proxy)'), { env })
    expect(out).toBe('a.example,127.0.0.1 a.example,127.0.0.1\n')
  })

  it('takes the options of serve, from flags and from the environment', async () => {
    const script = `
      const headers = { authorization: 'Bearer secret', 'content-type': 'application/json' }
      const url = process.env.PLANT_MOCK_URL + '/plants'
      const body = JSON.stringify({ id: 7, name: 'Hoya', tag: 'climber' })
      const { status } = await fetch(url, { method: 'POST', headers, body })
      const plants = await (await fetch(url, { headers })).json()
      console.log(status, plants.length, (await fetch(url, { headers: { authorization: 'Bearer other' } })).status)`
    const args = ['--assume', 'create.status=200', '--token', 'secret']
    const { out } = await finishRun([...args, ...node(script)], { env: { PLANT_MOCK_FIXTURES: 'empty' } })
    expect(out).toBe('200 1 401\n')
  })
})

describe('the log of plant-mock run', () => {
  it('has the address and each request, but no token', async () => {
    const file = join(folder, 'requests.log')
    await writeFile(file, 'of an earlier run')
    const script = `${list}; await fetch(process.env.PLANT_MOCK_URL + '/plants?access_token=token-of-a-caller')`
    const { error } = await finishRun([
      '--log',
      file,
      '--token',
      'secret',
      '--token',
      'token-of-a-caller',
      ...node(script),
    ])
    expect(error).toBe(`plant-mock: 2 requests in ${file}\n`)
    const text = await readFile(file, 'utf8')
    expect(text).toMatch(/^plant-mock \S+ on http:\/\/127\.0\.0\.1:\d+\n/)
    expect(
      text
        .replaceAll(/ +\d+\.\d ms/g, '  # ms')
        .split('\n')
        .slice(-5),
    ).toEqual([
      'GET     /plants?limit=1     200  caller-1  # ms',
      'GET     /plants?access_token=…  401  -  # ms  missing-token',
      '        request violates contract 5: Send the header Authorization: Bearer alice (by default, any token is accepted).',
      '        request violates contract 4.2: A list has no query parameter access_token; it has limit.',
      '',
    ])
    expect(text).not.toMatch(/secret|token-of-a-caller/)
  })

  it('says that it has no request when the tests ask a mock in their own process', async () => {
    const file = join(folder, 'empty.log')
    const { error } = await finishRun(['--log', file, ...node('')])
    expect(error).toBe(
      `plant-mock: No request reached the server, so ${file} lists none. A mock inside the tests has its own journal: mock.requests.all().\n`,
    )
  })

  it('has one JSON object per line with --json', async () => {
    const file = join(folder, 'requests.ndjson')
    await finishRun(['--log', file, '--json', ...node(list)])
    const lines = (await readFile(file, 'utf8')).trim().split('\n')
    expect(lines.map((line) => (JSON.parse(line) as { event: string }).event)).toEqual(['listening', 'request'])
  })

  it.skipIf(skipsUnlessLinux())(
    'is reported as lost once when its disk is full, and the server continues',
    async () => {
      const { code, out, error } = await finishRun([
        '--log',
        '/dev/full',
        ...node(`${list}; console.log((${list}).status)`),
      ])
      expect([code, out]).toEqual([0, '200\n'])
      expect(error).toBe(
        'plant-mock: The log cannot be written, and is lost: ENOSPC: no space left on device, write.\n',
      )
    },
  )
})

describe('plant-mock run does not run the command', () => {
  const command = ['--', 'echo', 'was run']
  it('when the port is taken, and exits with 1', async () => {
    const { port } = new URL((await serve()).url)
    const { code, out, error } = await finishRun(['--port', port, ...command])
    expect([code, out]).toEqual([1, ''])
    expect(error).toMatch(new RegExp(`^plant-mock: Port ${port} on 127\\.0\\.0\\.1 is taken\\. .*\n$`))
  })
})

describe('a signal to plant-mock run', () => {
  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '%s ends the command, which can still reach the server, and then the processes that it started',
    async (signal) => {
      const script = `
        ${leave()}
        process.once('${signal}', async () => {
          console.log('last request: ' + (${list}).status)
          process.exit(7)
        })
        setInterval(() => undefined, 1_000)
        console.log('ready at ' + process.env.PLANT_MOCK_URL)`
      const { child, printed, finished } = run(['run', ...node(script)])
      const [, url = ''] = await printed(/ready at (\S+)/)
      await processes.connected(1)
      child.kill(signal)
      const { code, out, error } = await finished
      expect({ code, error }).toEqual({ code: 7, error: '' })
      expect(out).toContain('last request: 200')
      await processes.ended()
      await expect(fetch(url)).rejects.toThrow()
    },
  )

  it('reaches the command each time, so that a second one can mean to end at once', async () => {
    const script = `
      let count = 0
      process.on('SIGINT', () => (++count === 2 ? process.exit(9) : console.log('once')))
      setInterval(() => undefined, 1_000)
      console.log('ready')`
    const { child, printed, finished } = run(['run', ...node(script)])
    await printed(/ready/)
    child.kill('SIGINT')
    await printed(/once/)
    child.kill('SIGINT')
    expect((await finished).code).toBe(9)
  })

  it('SIGINT leaves the processes of a command that ends first the time to clean up', async () => {
    const suite = `
      process.once('SIGINT', () => setTimeout(() => { console.log('cleaned up'); process.exit() }, 300))
      setInterval(() => undefined, 1_000)
      console.log('ready')`
    const script = `
      import { spawn } from 'node:child_process'
      process.once('SIGINT', () => process.exit(130))
      spawn(process.execPath, ['-e', ${JSON.stringify(suite)}], { stdio: 'inherit' })`
    const { child, printed, finished } = run(['run', ...node(script)])
    await printed(/ready/)
    child.kill('SIGINT')
    expect(await finished).toEqual({ code: 130, out: 'ready\ncleaned up\n', error: '' })
  })

  it('reaches a test suite behind npm once', async () => {
    await writeFile(join(folder, 'package.json'), '{"scripts":{"test":"node suite.mjs"}}')
    await writeFile(
      join(folder, 'suite.mjs'),
      `let count = 0
       process.on('SIGTERM', async () => {
         if (++count > 1) return
         ${list}
         console.log('signals: ' + count)
         process.exit(0)
       })
       setInterval(() => undefined, 1_000)
       console.log('ready')`,
    )
    const { child, printed, finished } = run(['run', '--', 'npm', 'test'], { cwd: folder })
    await printed(/^ready/m)
    child.kill('SIGTERM')
    expect((await finished).out).toMatch(/^signals: 1$/m)
  })
})

describe('processes that the command leaves in the background', () => {
  it('are ended with a notice', async () => {
    const { code, error } = await finishRun(
      node(`${leave(`${processes.script}.on('connect', () => console.log('up'))`)}
        left.stdout.on('data', () => process.exit(4))`),
    )
    expect({ code, error }).toEqual({ code: 4, error: 'plant-mock: Ended a process that the command left running.\n' })
    await processes.ended()
  })

  it('are killed when they ignore SIGTERM', async () => {
    const stubborn = `process.on('SIGTERM', () => undefined); ${processes.script}.on('connect', () => console.log('up'))`
    const { code } = await finishRun(node(`${leave(stubborn)}\nleft.stdout.on('data', () => process.exit(4))`))
    expect(code).toBe(4)
    await processes.ended()
  })

  it('continue if they have a process group of their own, as daemons have', async () => {
    const script = `
      import { spawn } from 'node:child_process'
      const daemon = spawn(process.execPath, ['-e', 'setTimeout(() => undefined, 60_000)'], { detached: true, stdio: 'ignore' })
      daemon.unref()
      console.log(daemon.pid)`
    const { out, error } = await finishRun(node(script))
    expect(error).toBe('')
    expect(process.kill(Number(out), 'SIGKILL')).toBe(true)
  })

  it('are ended with the command when plant-mock itself fails', async () => {
    const file = join(folder, 'handlers.js')
    await writeFile(
      file,
      `import { http } from '${import.meta.resolve('msw')}'
       export const handlers = [http.get('*/defect', () => { setImmediate(() => { throw new Error('a defect') }) })]`,
    )
    const script = `${leave(`${processes.script}.on('connect', () => console.log('up'))`)}
      left.stdout.on('data', () => fetch(process.env.PLANT_MOCK_URL + '/defect').catch(() => undefined))
      setInterval(() => undefined, 1_000)`
    const { code, error } = await finishRun(['--handlers', file, ...node(script)])
    expect(code).not.toBe(0)
    expect(error).toContain('a defect')
    await processes.ended()
  })
})

const skipsTerminal =
  skipsUnlessLinux() || skipsUnless(spawnSync('script', ['--version']).status === 0, 'the program script of util-linux')

describe.skipIf(skipsTerminal)('plant-mock run at a terminal', () => {
  const atTerminal = async (script: string) => {
    const file = join(folder, 'at-terminal.mjs')
    await writeFile(file, script)
    const command = `exec '${process.execPath}' '${root}dist/bin.js' run -- '${process.execPath}' '${file}'`
    const child = spawn('script', ['-qec', command, '/dev/null'], { env: { ...process.env, SHELL: '/bin/sh' } })
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => {
      const wasReady = out.includes('ready')
      out += chunk
      if (!wasReady && out.includes('ready')) child.stdin.write('\u0003')
    })
    const [code] = (await once(child, 'close')) as [number]
    return { code, out }
  }

  it('sends Ctrl-C to the command once, and serves until the command ends', async () => {
    const { code, out } = await atTerminal(`
      let count = 0
      process.on('SIGINT', async () => {
        count++
        const { status } = ${list}
        process.stdout.write('signals: ' + count + ', last request: ' + status, () => process.exit(6))
      })
      setInterval(() => undefined, 1_000)
      process.stdout.write('ready')`)
    expect(out).toContain('signals: 1, last request: 200')
    expect(code).toBe(6)
  })

  it('gives the command the terminal', async () => {
    const { out } = await atTerminal(`
      process.stdout.write('terminals: ' + [process.stdin, process.stdout, process.stderr].every(({ isTTY }) => isTTY))`)
    expect(out).toContain('terminals: true')
  })
})
