import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { root } from './cli.ts'

export const packedFiles = async (): Promise<readonly string[]> => {
  // On Windows, npm is not an executable; `npm_execpath` names its script.
  const npm = process.env.npm_execpath
  const [program, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm']
  const { stdout } = await promisify(execFile)(
    program ?? 'npm',
    [...first, 'pack', '--dry-run', '--json', '--ignore-scripts'],
    { cwd: root, maxBuffer: 2 ** 24 },
  )
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[]
  return packed?.files.map(({ path }) => path) ?? []
}
