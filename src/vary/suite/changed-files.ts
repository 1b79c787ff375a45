import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type Uncommitted = ReadonlyMap<string, string>

const git = async (...args: readonly string[]): Promise<string> => {
  // Without `--no-optional-locks`, `git status` would write to the index.
  const { stdout } = await promisify(execFile)('git', ['--no-optional-locks', ...args], { maxBuffer: 2 ** 28 })
  return stdout
}

export const uncommittedFiles = async (): Promise<Uncommitted> => {
  try {
    const root = (await git('rev-parse', '--show-toplevel')).trimEnd()
    const status = await git('status', '--porcelain', '-z', '--untracked-files=all', '--no-renames')
    const lines = status.split('\0').filter((line) => line !== '')
    return new Map(
      await Promise.all(
        lines.map(async (line) => {
          const path = line.slice(3)
          const content = await readFile(join(root, path)).catch(() => '')
          return [path, line.slice(0, 2) + createHash('sha256').update(content).digest('hex')] as const
        }),
      ),
    )
  } catch {
    return new Map()
  }
}

export const changedFiles = (before: Uncommitted, after: Uncommitted): readonly string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).sort()
