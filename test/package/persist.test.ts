import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { garden } from 'plant-mock/fixtures'
import { loadFixtures } from 'plant-mock/node'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { as, post } from '../support/targets.ts'
import { finish, serve, stopAll } from './support/cli.ts'
import { start } from './support/persist.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  file = join(folder, 'plants.ndjson')
})
afterEach(async () => {
  stopAll()
  await rm(folder, { recursive: true })
})

const fern = { id: 70, name: 'Nephrolepis exaltata', tag: 'fern' }
const list = async (url: string, caller = 'alice') =>
  (await (await fetch(`${url}/plants`, as(caller))).json()) as { name: string; tag: string }[]
const lineOf = (plant: object) => `${JSON.stringify(plant)}\n`

describe('plant-mock --persist', () => {
  it('says where plants are kept, and on the next start that they come from there', async () => {
    const first = await serve(['--persist', 'plants.ndjson'], { cwd: folder })
    await first.printed(/Plants {3}24 plants from garden; .*\n {2}Kept {5}in plants\.ndjson\n/)
    expect((await fetch(`${first.url}/plants`, post(fern))).status).toBe(201)
    first.child.kill('SIGTERM')
    await first.finished
    const second = await serve(['--json'], { cwd: folder, env: { PLANT_MOCK_PERSIST: 'plants.ndjson' } })
    await second.printed(/"plants":25,"from":"plants\.ndjson","kept":"plants\.ndjson"/)
    expect(await list(second.url)).toHaveLength(23)
    expect(await loadFixtures(file)).toEqual([...garden, { ...fern, access: ['alice'] }])
  })

  it.each([
    [
      [],
      /^\S*plants\.ndjson: the last line was cut off \(8 bytes\) and was dropped; it was never answered$/m,
    ],
    [['--json'], /^\{"event":"notice","text":".*the last line was cut off \(8 bytes\)/m],
  ])('says that a last line was dropped, with %j', async (args, notice) => {
    await writeFile(file, `${lineOf(fern)}{"id":71,`.slice(0, -1))
    const { url, printed } = await serve(['--persist', file, ...args])
    await printed(notice)
    expect(await list(url)).toHaveLength(1)
  })

  it('says so on standard error with --quiet, and nothing but the address on standard output', async () => {
    await writeFile(file, `${lineOf(fern)}{"id":71,`.slice(0, -1))
    const { url, child, ended } = await start(file)
    child.kill('SIGTERM')
    expect(await ended).toMatch(
      new RegExp(`^plant-mock: \\S*plants\\.ndjson: the last line was cut off .*\\n${url}\\n$`),
    )
  })

  it('loads with --watch what something else writes; a bad edit keeps the old plants, and adds none', async () => {
    const { url, printed } = await serve(['--persist', file, '--fixtures', 'empty', '--watch'])
    await fetch(`${url}/plants`, post(fern))
    await writeFile(file, lineOf(fern) + lineOf(fern))
    await printed(/Loaded anew: 2 plants from .*plants\.ndjson\./)
    expect(await list(url)).toHaveLength(2)
    await writeFile(file, 'nonsense\n')
    await printed(
      /The change was not loaded, the plants are as before\. .*plants\.ndjson, line 1, is not JSON/,
    )
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 71 }))).status).toBe(500)
    await writeFile(file, lineOf(fern))
    await printed(/Loaded anew: 1 plant from/)
    expect((await fetch(`${url}/plants`, post({ ...fern, id: 71 }))).status).toBe(201)
    expect(await loadFixtures(file)).toHaveLength(2)
  })

  it('takes no fixtures that are edited: they count when it is reset', async () => {
    const fixtures = join(folder, 'fixtures.ndjson')
    await writeFile(fixtures, lineOf(fern))
    const { url, printed } = await serve(['--persist', file, '--fixtures', fixtures, '--watch'])
    await writeFile(fixtures, '')
    await writeFile(file, lineOf(fern) + lineOf(fern))
    const [loaded] = await printed(/Loaded anew.*/)
    expect(loaded).toMatch(/^Loaded anew: 2 plants from .*plants\.ndjson\.$/)
    expect(await list(url)).toHaveLength(2)
  })

  it('is refused while another server has the file', async () => {
    const { child } = await serve(['--persist', file])
    const { code, out, error } = await finish(['--persist', file, '--port', '0'])
    expect([code, out]).toEqual([2, ''])
    expect(error).toBe(
      `plant-mock: ${file} is in use by another server, process ${child.pid}. Stop that, or choose another file; if it is no plant-mock, delete ${file}.lock.\n`,
    )
  })

  it.each([
    [
      ['--persist', 'plants.json'],
      /Plants are kept in an \.ndjson file, one plant a line; plants\.json is none\./,
    ],
    [
      ['--persist', 'no/plants.ndjson'],
      /no\/plants\.ndjson cannot keep plants: the folder does not exist \(ENOENT\)/,
    ],
    [['--persist', 'bad.ndjson'], /bad\.ndjson, line 1, is not JSON/],
    [
      ['--persist', 'x.ndjson', '--upstream', 'http://127.0.0.1:1', '--upstream-for', 'all'],
      /With --upstream-for all plants are at the upstream, and not in a file: leave that out, or --persist\./,
    ],
  ])('%j is refused in one line, with nothing started', async (args, message) => {
    await writeFile(join(folder, 'bad.ndjson'), 'bad\n')
    const { code, out, error } = await finish(args, { cwd: folder })
    expect([code, out]).toEqual([2, ''])
    expect(error).toMatch(/^plant-mock: [^\n]+\n$/)
    expect(error).toMatch(message)
  })
})
