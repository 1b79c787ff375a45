import { chmodSync, chownSync, cpSync, mkdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestFolder } from '../support/folder.ts'
import { skipsOnWindows } from '../support/skips.ts'
import { as, post } from '../support/targets.ts'
import { type RunOptions, root, stopAll } from './support/cli.ts'
import { fill, idsIn, serveFile } from './support/persist.ts'

const fern = { id: 7000, name: 'Nephrolepis exaltata', tag: 'fern' }
const list = async (url: string) => (await (await fetch(`${url}/plants`, as('alice'))).json()) as unknown[]
const reset = (url: string) => fetch(`${url}/__plant-mock/reset`, { method: 'POST' })

let folder: string
let file: string
beforeEach(async () => {
  folder = await openTestFolder()
  file = join(folder, 'plants.ndjson')
})
afterEach(stopAll)

const isRoot = process.getuid?.() === 0

it.skipIf(skipsOnWindows())(
  'without free space, a create fails with 507 and leaves nothing behind, and later ones succeed after a reset',
  async () => {
    const { url } = await serveFile(file, [], { through: 'ulimit -f 8; exec "$@"' })
    const { created, failure } = await fill(url)
    expect([failure.status, await failure.json()]).toMatchObject([
      507,
      {
        type: 'urn:problem-type:plant-mock:insufficient-storage',
        detail: `${file} cannot be written: EFBIG: file too large. Nothing was added or changed. Free space, then try again.`,
      },
    ])
    expect(created.length).toBeGreaterThan(10)
    expect(await idsIn(file)).toEqual(created)
    expect(await list(url)).toHaveLength(created.length)
    expect((await reset(url)).status).toBe(204)
    expect((await fetch(`${url}/plants`, post(fern))).status).toBe(201)
    expect(await idsIn(file)).toEqual([fern.id])
  },
)

/** Root ignores file modes: the command runs as the user `nobody`, who gets a readable copy of the program. */
const asUnprivileged = (): RunOptions => {
  if (!isRoot) return {}
  chmodSync(folder, 0o755)
  const copy = join(folder, 'package')
  for (const part of ['dist', 'fixtures', 'package.json'])
    cpSync(join(root, part), join(copy, part), { recursive: true })
  return { as: { uid: 65_534, gid: 65_534, bin: join(copy, 'dist/bin.js') } }
}

describe.skipIf(skipsOnWindows())('without permission', () => {
  it('to write a temporary file, a reset fails with 500; creates continue', async () => {
    const ownFolder = join(folder, 'own')
    const options = asUnprivileged()
    mkdirSync(ownFolder)
    if (options.as) chownSync(ownFolder, options.as.uid, options.as.gid)
    const path = join(ownFolder, 'plants.ndjson')
    const { url } = await serveFile(path, [], options)
    expect((await fetch(`${url}/plants`, post(fern))).status).toBe(201)
    chmodSync(ownFolder, 0o555)
    const failure = await reset(url)
    expect([failure.status, await failure.json()]).toMatchObject([
      500,
      {
        type: 'urn:problem-type:plant-mock:internal-error',
        detail: `${path} cannot be written: EACCES: permission denied. Nothing was added or changed. Fix this, then try again.`,
      },
    ])
    expect(await list(url)).toHaveLength(1)
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 7001 }))).status).toBe(201)
    expect(await idsIn(path)).toEqual([7000, 7001])
    chmodSync(ownFolder, 0o755)
    expect((await reset(url)).status).toBe(204)
    expect(await idsIn(path)).toEqual([])
  })

  it.each([
    ['the file', 0o444, 0o755],
    ['its folder', 0o644, 0o555],
  ])('to write %s, the start fails', async (_, fileMode, folderMode) => {
    const ownFolder = join(folder, 'own')
    const options = asUnprivileged()
    mkdirSync(ownFolder)
    const path = join(ownFolder, 'plants.ndjson')
    await writeFile(path, `${JSON.stringify(fern)}\n`)
    if (options.as) for (const one of [ownFolder, path]) chownSync(one, options.as.uid, options.as.gid)
    chmodSync(path, fileMode)
    chmodSync(ownFolder, folderMode)
    await expect(serveFile(path, [], options)).rejects.toThrow(
      /plant-mock: \S+plants\.ndjson cannot .*: EACCES: permission denied\..*\n$/,
    )
    chmodSync(ownFolder, 0o755)
    expect(await readFile(path, 'utf8')).toBe(`${JSON.stringify(fern)}\n`)
  })
})
