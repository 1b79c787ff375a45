import { EventEmitter, once } from 'node:events'
import { renameSync } from 'node:fs'
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { watchFiles } from '../../../src/server/files/watch-fixtures.ts'
import { openTestFolder } from '../../support/folder.ts'
import { useServers } from '../../support/start.ts'

const { closers } = useServers()

const watched = (file: string) => {
  let changed: () => void = () => undefined
  const close = watchFiles([file], () => changed())
  closers.push(async () => close())
  const next = async (act: () => Promise<unknown>): Promise<void> => {
    const seen = new Promise<void>((resolve) => {
      changed = resolve
    })
    await act()
    await seen
  }
  return next
}

describe('a watched file', () => {
  it('is seen to change whenever a ConfigMap replaces the folder that it links to', async () => {
    const folder = await openTestFolder()
    const publish = async (version: string): Promise<void> => {
      await mkdir(join(folder, version))
      await writeFile(join(folder, version, 'plants.json'), version)
      await symlink(version, join(folder, '..data_tmp'))
      await rename(join(folder, '..data_tmp'), join(folder, '..data'))
    }
    await publish('..1')
    await symlink(join('..data', 'plants.json'), join(folder, 'plants.json'))
    const next = watched(join(folder, 'plants.json'))
    for (const version of ['..2', '..3']) await next(() => publish(version))
    await next(() => rm(join(folder, '..3'), { recursive: true }))
  })

  it('is seen to change when the target of its link is written, and after the link has got another target', async () => {
    const folder = await openTestFolder()
    const other = await openTestFolder()
    for (const name of ['a.json', 'b.json']) await writeFile(join(other, name), '1')
    const file = join(folder, 'plants.json')
    await symlink(join(other, 'a.json'), file)
    const next = watched(file)
    await next(() => writeFile(join(other, 'a.json'), '2'))
    await next(async () => {
      await symlink(join(other, 'b.json'), `${file}.new`)
      await rename(`${file}.new`, file)
    })
    await next(() => writeFile(join(other, 'b.json'), '2'))
  })

  it('is seen to change when another folder takes the place of its own, and after that', async () => {
    const folder = await openTestFolder()
    for (const name of ['current', 'next']) {
      await mkdir(join(folder, name))
      await writeFile(join(folder, name, 'plants.json'), name)
    }
    const next = watched(join(folder, 'current', 'plants.json'))
    await next(async () => {
      renameSync(join(folder, 'current'), join(folder, 'old'))
      renameSync(join(folder, 'next'), join(folder, 'current'))
    })
    await next(() => writeFile(join(folder, 'current', 'plants.json'), 'a later version'))
  })

  it('may be a link to itself', async () => {
    const folder = await openTestFolder()
    const file = join(folder, 'plants.json')
    await symlink(file, file)
    const next = watched(file)
    await next(async () => {
      await rm(file)
      await writeFile(file, '1')
    })
  })

  it('that changes while an earlier change is handled is handled afterwards', async () => {
    const file = join(await openTestFolder(), 'plants.json')
    await writeFile(file, '1')
    const events: string[] = []
    const signals = new EventEmitter()
    const released = once(signals, 'release')
    const end = watchFiles([file], async () => {
      events.push('begins')
      if (events.length > 1) signals.emit('second')
      await released
      events.push('ends')
    })
    closers.push(async () => end())
    // This watcher polls after the watcher above: what it has seen, the watcher above has seen too.
    const next = watched(file)
    await next(() => writeFile(file, '12'))
    await next(() => writeFile(file, '123'))
    expect(events).toEqual(['begins'])
    const second = once(signals, 'second')
    signals.emit('release')
    await second
    expect(events.slice(0, 3)).toEqual(['begins', 'ends', 'begins'])
  })
})
