import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { root } from './cli.ts'

/** Copies an example of `test/example` to a folder where the build and the packages of this repository are installed. */
export const installExample = async (name: string): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  await cp(`${root}test/example/${name}`, folder, { recursive: true })
  const packages = join(folder, 'node_modules')
  await mkdir(packages)
  for (const entry of await readdir(`${root}node_modules`))
    if (!/^\.(?:cache|vite)/.test(entry)) await symlink(`${root}node_modules/${entry}`, join(packages, entry))
  await symlink(root, join(packages, 'plant-mock'))
  return folder
}
