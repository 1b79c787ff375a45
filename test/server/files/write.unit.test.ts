import { lstat, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { checkWritable, writeFileAtomically } from '../../../src/server/files/write-fixtures.ts'
import { openTestFolder } from '../../support/folder.ts'

let folder: string
beforeEach(async () => {
  folder = await openTestFolder()
})

describe('an atomic write', () => {
  it.each(['a file', 'a missing file'])(
    'through a symbolic link to %s replaces the file, not the link',
    async (what) => {
      const [file, link] = [join(folder, 'file.json'), join(folder, 'link.json')]
      if (what === 'a file') await writeFile(file, 'before')
      await symlink('file.json', link)
      await writeFileAtomically(link, 'after')
      expect((await lstat(link)).isSymbolicLink()).toBe(true)
      expect(await readFile(file, 'utf8')).toBe('after')
      expect((await readdir(folder)).sort()).toEqual(['file.json', 'link.json'])
    },
  )

  it('takes a name as long as the file system allows', async () => {
    const file = join(folder, 'x'.repeat(255))
    await writeFileAtomically(file, 'text')
    expect(await readFile(file, 'utf8')).toBe('text')
  })

  it('can be checked before, which changes nothing', async () => {
    await checkWritable('--out', join(folder, 'file.json'))
    expect(await readdir(folder)).toEqual([])
    await expect(checkWritable('--out', join(folder, 'missing', 'file.json'))).rejects.toThrow(
      'its folder does not exist',
    )
  })
})
