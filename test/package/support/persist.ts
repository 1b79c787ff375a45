import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { loadFixtures } from 'plant-mock/node'
import { post } from '../../support/targets.ts'
import { root } from './cli.ts'

export const bin = `${root}dist/bin.js`

/** What starts a server that keeps plants in a file, and begins without any. */
export const keepingIn = (file: string): readonly string[] => [
  ...['--persist', file, '--fixtures', 'empty', '--port', '0', '--quiet'],
]

export type Server = { readonly child: ChildProcess; readonly url: string; readonly ended: Promise<string> }

const running = new Set<ChildProcess>()

/** Starts a server by a command of one's own: under a limit, or as another user. `ended` is what it printed. */
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

export const start = (file: string): Promise<Server> => startBy(process.execPath, [bin, ...keepingIn(file)])

export const killAll = async (): Promise<void> => {
  const left = [...running]
  for (const child of left) child.kill('SIGKILL')
  await Promise.all(left.map((child) => child.exitCode ?? child.signalCode ?? once(child, 'close')))
}

/** Creates until one is refused; gives the ids that were answered. */
export const fill = async (
  url: string,
): Promise<{ readonly created: readonly number[]; readonly refused: Response }> => {
  const created: number[] = []
  for (let id = 0; ; id++) {
    const plant = { id, name: `plant ${id}`, tag: 'x'.repeat(50) }
    const response = await fetch(`${url}/plants`, post(plant))
    if (response.status !== 201) return { created, refused: response }
    created.push(id)
  }
}

export const idsIn = async (file: string) => (await loadFixtures(file)).map(({ id }) => id)
