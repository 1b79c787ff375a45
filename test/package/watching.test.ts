import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectPlantMock } from 'plant-mock/control'
import { afterEach, describe, expect, it } from 'vitest'
import { openFolder } from '../support/folder.ts'
import { as } from '../support/targets.ts'
import { serve, stopAll } from './support/cli.ts'

const folder = await openFolder()
afterEach(stopAll)

const _write = async (file: string, count: number): Promise<string> => {
  const plants = Array.from({ length: count }, (_, id) => ({ id, name: 'Fern', tag: 'fern' }))
  await writeFile(file, JSON.stringify({ plants }))
  return file
}
const _countAt = async (url: string): Promise<number> =>
  ((await (await fetch(`${url}/plants`, as('alice'))).json()) as unknown[]).length

describe('--watch', () => {
  it('reloads assumptions, also for resets and later sessions, and keeps what was set meanwhile', async () => {
    const file = join(folder, 'assumptions.json')
    const assume = (assumptions: object) => writeFile(file, JSON.stringify({ assumptions }))
    await assume({ 'create.status': 200 })
    const { url, printed } = await serve(['--assumptions', file, '--assume', 'list.order=newest', '--watch'])
    const mock = connectPlantMock(url)
    await mock.assume({ 'auth.status': 403 })
    await assume({ 'create.status': 'unknown' })
    await printed(/Reload failed; keeping the previous assumptions\. /)
    expect(await mock.assumptions()).toMatchObject({ 'create.status': 200 })
    await assume({ 'json.keyOrder': 'tag-name', 'list.order': 'name' })
    await printed(/Reloaded 2 changed assumptions from \S+assumptions\.json/)
    const now = { 'create.status': 201, 'json.keyOrder': 'tag-name', 'list.order': 'newest' }
    expect(await mock.assumptions()).toMatchObject({ ...now, 'auth.status': 403 })
    expect(await mock.session('later').assumptions()).toMatchObject(now)
    await mock.reset()
    expect(await mock.assumptions()).toMatchObject(now)
  })
})
