import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { openTestFolder } from '../../support/folder.ts'
import { root } from './cli.ts'

export const installExample = async (name: string): Promise<string> => {
  const folder = await openTestFolder()
  await cp(`${root}test/example/${name}`, folder, { recursive: true })
  const packages = join(folder, 'node_modules')
  await mkdir(packages)
  for (const entry of await readdir(`${root}node_modules`))
    if (!/^\.(?:cache|vite)/.test(entry)) await symlink(`${root}node_modules/${entry}`, join(packages, entry))
  await symlink(root, join(packages, 'plant-mock'))
  return folder
}
