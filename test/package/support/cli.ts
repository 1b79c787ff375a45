import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../../..', import.meta.url))
const bin = `${root}dist/bin.js`

export type Finished = { readonly code: number | null; readonly out: string; readonly error: string }

/** A run of the built command, with what it has printed so far. */
export type Running = {
  readonly child: ChildProcess
  /** What matches, once the command has printed it on either stream. */
  readonly printed: (pattern: RegExp) => Promise<RegExpExecArray>
  readonly finished: Promise<Finished>
}

const running = new Set<ChildProcess>()

export type RunOptions = {
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** What a shell does before it becomes the command, and where its streams go: `ulimit -n 64; exec "$@" >/dev/full`. */
  readonly through?: string
  /** The user to run as, for tests that run as root; the program then is in a place that all users reach. */
  readonly as?: { readonly uid: number; readonly gid: number; readonly bin: string }
}

export const run = (
  args: readonly string[],
  { env = {}, cwd = root, through, as }: RunOptions = {},
): Running => {
  const { PATH = '' } = process.env
  const command = [process.execPath, as?.bin ?? bin, ...args]
  const [program = '', ...words] = through === undefined ? command : ['sh', '-c', through, 'sh', ...command]
  const user = as === undefined ? {} : { uid: as.uid, gid: as.gid }
  const child = spawn(program, words, { cwd, env: { PATH, ...env }, stdio: 'pipe', ...user })
  running.add(child)
  const text = { out: '', error: '' }
  const waiting = new Set<() => void>()
  const collect = (stream: 'out' | 'error') => (chunk: Buffer) => {
    text[stream] += chunk
    for (const look of waiting) look()
  }
  child.stdout.on('data', collect('out'))
  child.stderr.on('data', collect('error'))
  const finished = once(child, 'close').then(([code]) => {
    running.delete(child)
    return { code: code as number | null, ...text }
  })
  const printed = (pattern: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text.out) ?? pattern.exec(text.error)
        if (match === null) return
        waiting.delete(look)
        resolve(match)
      }
      waiting.add(look)
      look()
      finished.then(() =>
        reject(new Error(`ended before it printed ${pattern}:\n${text.out}\n${text.error}`)),
      )
    })
  return { child, printed, finished }
}

/** Runs a command to its end. */
export const finish = (args: readonly string[], options?: RunOptions): Promise<Finished> =>
  run(args, options).finished

/** An environment in which the command runs a module first, which makes a fault of the machine. */
export const preloaded = (module: string): Record<string, string> => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(module)}`,
})

/** Starts serving at any free port. */
export const serve = async (args: readonly string[] = [], options?: RunOptions) => {
  const started = run(['--port', '0', ...args], options)
  const [, url = ''] = await started.printed(/(http:\/\/[\d.[\]:]+)/)
  return { ...started, url }
}

export const stopAll = (): void => {
  for (const child of running) child.kill('SIGKILL')
}
