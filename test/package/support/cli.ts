import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { collectOutput } from '../../support/output.ts'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
const bin = `${root}dist/bin.js`

export type Finished = { readonly code: number | null; readonly out: string; readonly error: string }

export type Running = {
  readonly child: ChildProcess
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>
  readonly finished: Promise<Finished>
}

const running = new Set<ChildProcess>()

export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** A shell script that runs the command as `"$@"`, such as `ulimit -n 64; exec "$@" >/dev/full`. */
  readonly through?: string
  readonly as?: { readonly uid: number; readonly gid: number; readonly bin: string }
}

const start = (script: readonly string[], { env = {}, cwd = root, through, as }: RunOptions = {}): Running => {
  const { PATH = '' } = process.env
  const command = [process.execPath, ...script]
  const [program = '', ...words] = through === undefined ? command : ['sh', '-c', through, 'sh', ...command]
  const user = as === undefined ? {} : { uid: as.uid, gid: as.gid }
  const child = spawn(program, words, { cwd, env: { PATH, ...env }, stdio: 'pipe', ...user })
  running.add(child)
  const { text, collect, printed } = collectOutput()
  child.stdout.on('data', collect('out'))
  child.stderr.on('data', collect('error'))
  const finished = once(child, 'close').then(([code]) => {
    running.delete(child)
    return { code: code as number | null, ...text }
  })
  return { child, printed: (pattern) => printed(pattern, finished), finished }
}

export const execute = (script: readonly string[], options?: RunOptions): Promise<Finished> =>
  start(script, options).finished

export const run = (args: readonly string[], options?: RunOptions): Running =>
  start([options?.as?.bin ?? bin, ...args], options)

export const finish = (args: readonly string[], options?: RunOptions): Promise<Finished> => run(args, options).finished

export const preloaded = (module: string): Record<string, string> => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(module)}`,
})

export const serve = async (args: readonly string[] = [], options?: RunOptions) => {
  const started = run(['--port', '0', ...args], options)
  const [, url = ''] = await started.printed(/(http:\/\/[\d.[\]:]+)/)
  return { ...started, url }
}

export const stopAll = async (): Promise<void> => {
  const children = [...running]
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'exit')))
}
