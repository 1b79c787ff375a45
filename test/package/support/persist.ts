import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadFixtures } from 'plant-mock/node'
import { post } from '../../support/targets.ts'
import { root } from './cli.ts'

export const bin = `${root}dist/bin.js`

/** Arguments for a server that keeps plants in a file, and begins without plants. */
export const persistArgs = (file: string): readonly string[] => [
  ...['--persist', file, '--fixtures', 'empty', '--port', '0', '--quiet'],
]

export type Server = { readonly child: ChildProcess; readonly url: string; readonly ended: Promise<string> }

const running = new Set<ChildProcess>()

/**
 * Starts a server by any command: under a resource limit, or as another user. `ended` resolves with the output.
 */
export const startBy = async (
  command: string,
  args: readonly string[],
  options: { readonly uid?: number; readonly gid?: number } = {},
): Promise<Server> => {
  const { PATH = '' } = process.env
  const child = spawn(command, args, { env: { PATH }, stdio: ['ignore', 'pipe', 'pipe'], ...options })
  running.add(child)
  let text = ''
  const ended = once(child, 'close').then(() => {
    running.delete(child)
    return text
  })
  const url = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => {
        text += chunk
        const [found] = /http:\/\/[\d.:]+(?=\n)/.exec(text) ?? []
        if (found !== undefined) resolve(found)
      })
    ended.then(() => reject(new Error(`ended before it listened: ${text}`)))
  })
  return { child, url, ended }
}

export const start = (file: string): Promise<Server> => startBy(process.execPath, [bin, ...persistArgs(file)])

export const killAll = async (): Promise<void> => {
  const children = [...running]
  for (const child of children) child.kill('SIGKILL')
  await Promise.all(children.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'close')))
}

/** Creates plants until one fails; returns the ids of the created ones. */
export const fill = async (
  url: string,
): Promise<{ readonly created: readonly number[]; readonly failure: Response }> => {
  const created: number[] = []
  for (let id = 0; ; id++) {
    const plant = { id, name: `plant ${id}`, tag: 'x'.repeat(50) }
    const response = await fetch(`${url}/plants`, post(plant))
    if (response.status !== 201) return { created, failure: response }
    created.push(id)
  }
}

export const idsIn = async (file: string) => (await loadFixtures(file)).map(({ id }) => id)
