import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Command, Consumer } from './consumer.ts'
import { consumers, projects } from './consumers.ts'

type Place = { readonly cwd: string; readonly node: string | undefined; readonly task: string }
type Result = { readonly cells: readonly string[]; readonly passed: boolean }

const repository = fileURLToPath(new URL('..', import.meta.url))
/** For a command or an installation: one that hangs must not hold the others. */
const commandTimeout = 5 * 60_000
/** Consumers and installations that run at once. */
const maxTasks = 2

/** Runs at most `size` tasks at once, in the order of the calls. */
const limitTasks = (size: number) => {
  let free = size
  const waiting: (() => void)[] = []
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (free === 0) await new Promise<void>((start) => waiting.push(start))
    else free--
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free++
      else next()
    }
  }
}

const marker = 'PLANT_MOCK_CONSUMER'

/** The processes of a task, found by their environment, because some start a process group of their own. */
const processesOf = (task: string): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`${marker}=${task}`)
      } catch {
        return false // It has ended, or belongs to another user.
      }
    })
    .map(Number)

/** Again until none is left, because a process may start another one meanwhile. */
const killProcesses = (task: string): void => {
  for (let found = processesOf(task); found.length > 0; found = processesOf(task))
    for (const pid of found)
      try {
        process.kill(pid, 'SIGKILL')
      } catch {} // It has ended.
}

const count = (output: string, pattern: RegExp): number =>
  output.split('\n').filter((line) => pattern.test(line)).length

/** What is wrong with the result of a command. */
const faultsOf = (command: Exclude<Command, string>, status: number | null, output: string): readonly string[] => [
  ...((status !== 0) === (command.fails ?? false) ? [] : [`exit code ${status}`]),
  ...(command.contains ?? []).flatMap((expected) => {
    const [pattern, lines] = expected instanceof RegExp ? [expected, undefined] : expected
    const found = count(output, pattern)
    if (lines === undefined ? found > 0 : found === lines) return []
    return [`${found} lines with ${pattern} instead of ${lines ?? 'at least 1'}`]
  }),
  ...(command.lacks ?? []).filter((pattern) => count(output, pattern) > 0).map((pattern) => `a line with ${pattern}`),
]

const runConsumers = async (tarball: string, rows: readonly Consumer[], work: string): Promise<boolean> => {
  const limited = limitTasks(maxTasks)
  const folderOf = (project: string): string => join(work, project)
  const version = (name: string): string =>
    (JSON.parse(readFileSync(join(work, name, 'package.json'), 'utf8')) as { version: string }).version

  /** Runs a command, and returns its output. Throws an error with the output if it is not as it should be. */
  const run = async (command: Command, { cwd, node, task }: Place): Promise<string> => {
    const expected = typeof command === 'string' ? { run: command } : command
    const bins = [...(node === undefined ? [] : [folderOf(node)]), cwd, join(cwd, '..')]
    const child = spawn('bash', ['-e', '-o', 'pipefail', '-c', expected.run], {
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        PATH: [...bins.map((folder) => join(folder, 'node_modules/.bin')), process.env.PATH].join(':'),
        TMPDIR: join(work, 'tmp'),
        CYPRESS_INSTALL_BINARY: '0',
        NEXT_TELEMETRY_DISABLED: '1',
        [marker]: task,
        repository,
        tarball,
        work,
      },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const closed = once(child, 'close')
    const timer = setTimeout(() => killProcesses(task), commandTimeout)
    const [status] = (await once(child, 'exit')) as [number | null]
    clearTimeout(timer)
    // A process that it left running would keep its output open.
    killProcesses(task)
    await closed
    const faults = faultsOf(expected, status, output)
    const text = `$ ${expected.run}\n${output}`
    if (faults.length > 0) throw new Error(`${text}\n--> ${faults.join('; ')}\n`)
    return text
  }

  const installations = new Map<string, Promise<void>>()
  const install = async (name: string): Promise<void> => {
    const { packages, example, node, prepare } = projects[name] ?? { packages: [] }
    if (node !== undefined) await installed(node)
    const place = { cwd: folderOf(name), node, task: `${work}/install-${name};` }
    if (example === undefined) createFolder(place.cwd)
    else cpSync(join(repository, 'test/example', example), place.cwd, { recursive: true })
    const quoted = packages.map((text) => `"${text}"`).join(' ')
    const options = '--prefer-offline --no-audit --no-fund --no-package-lock --loglevel=error'
    await limited(async () => {
      await run(`npm install ${options} ${quoted}`, place)
      if (prepare !== undefined) await run(prepare, place)
    })
  }
  /** Installs a project when the first consumer needs it. */
  const installed = (name: string): Promise<void> => {
    const installation = installations.get(name) ?? install(name)
    installations.set(name, installation)
    return installation
  }

  const nodeVersion = (node: string | undefined): string =>
    node === undefined
      ? process.version
      : `v${version(`${node}/node_modules/node-${process.platform}-${process.arch}`)}`

  const describe = (text: string, { project, node = projects[project]?.node }: Consumer): string =>
    text.replaceAll(/\{(?:([\w.-]+):)?([^{}:]+)\}/g, (_, owner = project, name) => {
      if (name === 'node') return nodeVersion(node)
      if (name === 'chromium') return chromiumVersion()
      return version(`${owner}/node_modules/${name}`)
    })

  /** The last consumer of each folder: two at once would write the same files. */
  const last = new Map<string, Promise<unknown>>()
  const check = async (consumer: Consumer, index: number): Promise<Result> => {
    const { environment, project, folder = '', commonJs = false, node = projects[project]?.node } = consumer
    const cwd = join(folderOf(project), folder)
    const log: string[] = []
    const before = last.get(cwd)
    const runCommands = async () => {
      await Promise.all([project, ...(node === undefined ? [] : [node]), ...(consumer.needs ?? [])].map(installed))
      await before
      return await limited(async () => {
        const begin = performance.now()
        try {
          if (folder !== '') createFolder(cwd, commonJs)
          for (const command of consumer.commands)
            log.push(await run(command, { cwd, node, task: `${work}/consumer-${index};` }))
          return { seconds: (performance.now() - begin) / 1000, passed: true }
        } catch (error) {
          log.push(error instanceof Error ? error.message : String(error))
          return { seconds: (performance.now() - begin) / 1000, passed: false }
        }
      })
    }
    const running = runCommands().catch((error: Error) => {
      log.push(error.message)
      return { seconds: 0, passed: false }
    })
    last.set(cwd, running)
    const { seconds, passed } = await running
    const name = (text: string): string => {
      try {
        return describe(text, consumer)
      } catch {
        return text // A package is not installed.
      }
    }
    const cells = [
      ...[environment, name(consumer.version), name(consumer.what)],
      ...[passed ? 'passed' : 'FAILED', `${seconds.toFixed(1)} s`],
    ]
    console.log(cells.join('  '))
    if (!passed) process.stdout.write(`${log.join('\n')}\n`)
    return { cells, passed }
  }

  mkdirSync(join(work, 'tmp'))
  const results = await Promise.all(rows.map(check))
  console.log('\n=== Results for the packed tarball')
  printTable([['environment', 'version', 'what was run', 'result', 'time'], ...results.map(({ cells }) => cells)])
  const passed = results.filter((result) => result.passed).length
  console.log(`${passed} passed, ${results.length - passed} failed`)
  return passed === results.length
}

const createFolder = (folder: string, commonJs = false): void => {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...(!commonJs && { type: 'module' }) }))
}

const chromiumVersion = (): string =>
  /[\d.]+/.exec(spawnSync('chromium', ['--version'], { encoding: 'utf8' }).stdout ?? '')?.[0] ?? 'not installed'

const printTable = (rows: readonly (readonly string[])[]): void => {
  const width = (column: number): number => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))
  for (const cells of rows)
    console.log(
      cells
        .map((cell, column) => cell.padEnd(width(column)))
        .join('  ')
        .trimEnd(),
    )
}

const exitWith = (message: string): never => {
  console.error(`consumers: ${message}`)
  process.exit(2)
}

/** Tests a packed tarball with the consumers of the table, and exits with 1 if one fails. */
export const main = async (args: readonly string[]): Promise<void> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { only: { type: 'string', default: '' } },
    allowPositionals: true,
  })
  const tarball = resolve(positionals[0] ?? '')
  if (positionals.length !== 1 || !existsSync(tarball))
    exitWith('Name a packed tarball: npm pack && .ci/consumers plant-mock-0.1.0.tgz [--only PATTERN]')
  const pattern = new RegExp(values.only, 'i')
  const rows = consumers.filter(({ environment, what, project }) => pattern.test(`${environment} ${project} ${what}`))
  if (rows.length === 0)
    exitWith(`No consumer matches ${pattern}, which is compared with environment, project and what is run.`)

  const work = mkdtempSync(join(tmpdir(), 'plant-mock-consumers-'))
  process.once('exit', () => {
    killProcesses(`${work}/`)
    rmSync(work, { recursive: true, force: true, maxRetries: 5 })
  })
  for (const [signal, code] of Object.entries({ SIGHUP: 129, SIGINT: 130, SIGTERM: 143 }))
    process.once(signal, () => process.exit(code))
  process.exit((await runConsumers(tarball, rows, work)) ? 0 : 1)
}
