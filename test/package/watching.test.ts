import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { as } from '../support/targets.ts'
import { serve, stopAll } from './support/cli.ts'

const folder = await openFolder()
afterEach(stopAll)

const write = async (file: string, count: number): Promise<string> => {
  const plants = Array.from({ length: count }, (_, id) => ({ id, name: 'Fern', tag: 'fern' }))
  await writeFile(file, JSON.stringify({ plants }))
  return file
}
const countAt = async (url: string): Promise<number> =>
  ((await (await fetch(`${url}/plants`, as('alice'))).json()) as unknown[]).length

describe('--watch', () => {
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
  })
})
