import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { as } from '../support/targets.ts'
import { preloaded, serve, stopAll } from './support/cli.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
})
afterAll(() => rm(folder, { recursive: true }))
afterEach(stopAll)

const write = async (file: string, count: number): Promise<string> => {
  const plants = Array.from({ length: count }, (_, id) => ({ id, name: 'Fern', tag: 'fern' }))
  await writeFile(file, JSON.stringify({ plants }))
  return file
}
const countAt = async (url: string): Promise<number> =>
  ((await (await fetch(`${url}/plants`, as('alice'))).json()) as unknown[]).length

/** Writes until the change is seen: a poll compares with an earlier one, and the time of the first is unknown. */
const writeUntilSeen = async (file: string, url: string): Promise<void> => {
  let count = await countAt(url)
  const before = count
  const isSeen = async () => {
    await write(file, ++count)
    return (await countAt(url)) > before
  }
  await vi.waitUntil(isSeen, { interval: 400, timeout: 10_000 })
}

/** The error of Linux when inotify has reached its limit of watches. */
const noWatchLeft = `Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' })`

describe('--watch', () => {
  it('polls the files and prints a notice when the system has no watch left', async () => {
    const file = await write(join(folder, 'no-watch.json'), 1)
    const env = preloaded(`
      import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      fs.watch = () => { throw ${noWatchLeft} }
      syncBuiltinESMExports()`)
    const { url, printed } = await serve(['--fixtures', file, '--watch'], { env })
    await printed(/^plant-mock: The folder \S+ cannot be watched \(ENOSPC: System limit [^)]+\); .* 300 ms\.\n$/)
    await writeUntilSeen(file, url)
    await printed(/Reloaded \d+ plants from \S+no-watch\.json/)
  })

  it('polls the files when the system ends a watch later', async () => {
    const file = await write(join(folder, 'ended-watch.json'), 1)
    const env = preloaded(`
      import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      const { watch } = fs
      fs.watch = (...args) => {
        const watcher = watch(...args)
        process.once('SIGUSR2', () => watcher.emit('error', ${noWatchLeft}))
        return watcher
      }
      syncBuiltinESMExports()`)
    const { url, child, printed } = await serve(['--fixtures', file, '--watch'], { env })
    child.kill('SIGUSR2')
    await printed(/cannot be watched \(ENOSPC/)
    // It reloads at once, in case a change was missed.
    await printed(/Reloaded 1 plant /)
    await writeUntilSeen(file, url)
  })

  it('reloads from a folder that was removed and created again', async () => {
    const place = join(folder, 'removed')
    await mkdir(place)
    const file = await write(join(place, 'plants.json'), 1)
    const { url, printed } = await serve(['--fixtures', file, '--watch'])
    await rm(place, { recursive: true })
    await printed(/Reload failed; keeping the previous plants\. The fixture file \S+ does not exist\.\n/)
    expect(await countAt(url)).toBe(1)
    await mkdir(place)
    await write(file, 3)
    await printed(/Reloaded 3 plants from \S+plants\.json/)
    expect(await countAt(url)).toBe(3)
    await writeUntilSeen(file, url)
  })
})
