import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { garden } from 'plant-mock/fixtures'
import { loadFixtures } from 'plant-mock/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openTestFolder } from '../support/folder.ts'
import { as, post } from '../support/targets.ts'
import { serve, stopAll } from './support/cli.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await openTestFolder()
  file = join(folder, 'plants.ndjson')
})
afterEach(stopAll)

const fern = { id: 70, name: 'Nephrolepis exaltata', tag: 'fern' }
const list = async (url: string, caller = 'alice') =>
  (await (await fetch(`${url}/plants`, as(caller))).json()) as { name: string; tag: string }[]
const lineOf = (plant: object) => `${JSON.stringify(plant)}\n`

describe('plant-mock --persist', () => {
  it('prints the file that keeps plants, and on the next start that plants come from it', async () => {
    const first = await serve(['--persist', 'plants.ndjson'], { cwd: folder })
    await first.printed(/Plants {5}24 plants from garden; .*\n {2}Stored {5}in plants\.ndjson\n/)
    expect((await fetch(`${first.url}/plants`, post(fern))).status).toBe(201)
    first.child.kill('SIGTERM')
    await first.finished
    const second = await serve(['--json'], { cwd: folder, env: { PLANT_MOCK_PERSIST: 'plants.ndjson' } })
    await second.printed(/"plants":25,"from":"plants\.ndjson","kept":"plants\.ndjson"/)
    expect(await list(second.url)).toHaveLength(23)
    expect(await loadFixtures(file)).toEqual([...garden, { ...fern, access: ['alice'] }])
  })

  it.each([
    [[], /^\S*plants\.ndjson: dropped an incomplete last line \(8 bytes\); its create got no response$/m],
    [['--json'], /^\{"event":"notice","text":".*dropped an incomplete last line \(8 bytes\)/m],
  ])('reports a dropped last line, with %j', async (args, notice) => {
    await writeFile(file, `${lineOf(fern)}{"id":71,`.slice(0, -1))
    const { url, printed } = await serve(['--persist', file, ...args])
    await printed(notice)
    expect(await list(url)).toHaveLength(1)
  })

  it('reports it on standard error with --quiet, and prints only the address on standard output', async () => {
    await writeFile(file, `${lineOf(fern)}{"id":71,`.slice(0, -1))
    const { url, child, finished } = await serve(['--persist', file, '--quiet'])
    child.kill('SIGTERM')
    const { out, error } = await finished
    expect(error).toMatch(/^plant-mock: \S*plants\.ndjson: dropped an incomplete last line .*\n$/)
    expect(out).toBe(`${url}\n`)
  })

  it('reloads the file with --watch; an invalid edit keeps the previous plants, and rejects changes', async () => {
    const { url, printed } = await serve(['--persist', file, '--fixtures', 'empty', '--watch'])
    await fetch(`${url}/plants`, post(fern))
    await writeFile(file, lineOf(fern) + lineOf(fern))
    await printed(/2 plants from .*plants\.ndjson/)
    expect(await list(url)).toHaveLength(2)
    await writeFile(file, 'nonsense\n')
    await printed(/plants\.ndjson, line 1, is not JSON/)
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 71 }))).status).toBe(500)
    await writeFile(file, lineOf(fern))
    await printed(/1 plant from/)
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 71 }))).status).toBe(201)
    expect(await loadFixtures(file)).toHaveLength(2)
  })

  it('does not reload edited fixtures, which only a reset uses', async () => {
    const fixtures = join(folder, 'fixtures.ndjson')
    await writeFile(fixtures, lineOf(fern))
    const { url, printed } = await serve(['--persist', file, '--fixtures', fixtures, '--watch'])
    await writeFile(fixtures, '')
    await writeFile(file, lineOf(fern) + lineOf(fern))
    const [loaded] = await printed(/.*[Ll]oaded.*/)
    expect(loaded).toMatch(/2 plants from .*plants\.ndjson/)
    expect(await list(url)).toHaveLength(2)
  })

  it('is taken over by one of several servers that start after the holder was killed', async () => {
    const { child } = await serve(['--persist', file])
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
    await writeFile(`${file}.lock`, `${child.pid}\n`)
    const starting = Array.from({ length: 6 }, () =>
      serve(['--persist', file]).then(
        () => 'serves',
        () => 'refused',
      ),
    )
    expect((await Promise.all(starting)).sort()).toEqual([...Array(5).fill('refused'), 'serves'])
  })
})
