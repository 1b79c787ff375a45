import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createPlantMock } from 'plant-mock'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openTestFolder } from '../../support/folder.ts'
import { as } from '../../support/targets.ts'

let folder: string
beforeEach(async () => {
  folder = await openTestFolder()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

describe('the observer of the environment', () => {
  it('watches the exchanges of each mock', async () => {
    const file = join(folder, 'observer.cjs')
    const module = `exports.openObserver = ({ seen }) => ({
      exchangeRecorded: (isWatched) => seen.push(isWatched),
      watch: () => ({ current: (memory) => memory, step: (state) => ({ state, reply: { status: 418, headers: [], meta: { assumptions: [] } } }), maxBodySize: 0 }),
    })`
    await writeFile(file, module)
    vi.stubEnv('PLANT_MOCK_OBSERVER', file)
    const seen: boolean[] = []
    vi.stubGlobal('seen', seen)
    expect((await createPlantMock().fetch('/plants', as('alice'))).status).toBe(418)
    expect(seen).toEqual([true])
  })

  it('sets assumptions, which take precedence over those of the environment', async () => {
    const file = join(folder, 'observer.cjs')
    const module =
      "exports.openObserver = () => ({ assume: { 'create.status': 200 }, exchangeRecorded() {}, watch() {} })"
    await writeFile(file, module)
    vi.stubEnv('PLANT_MOCK_OBSERVER', file)
    vi.stubEnv('PLANT_MOCK_ASSUME', 'create.status=201,list.order=newest')
    expect(await createPlantMock().assumptions()).toMatchObject({ 'create.status': 200, 'list.order': 'newest' })
  })

  it.each([
    ['does not exist', undefined],
    ['has no observer', 'exports.other = 1'],
    ['opens something else', 'exports.openObserver = () => ({})'],
    ['opens nothing', 'exports.openObserver = () => null'],
  ])('is refused if its file %s', async (_, content) => {
    const file = join(folder, `${content === undefined ? 'none' : 'other'}.cjs`)
    if (content !== undefined) await writeFile(file, content)
    vi.stubEnv('PLANT_MOCK_OBSERVER', file)
    expect(() => createPlantMock()).toThrow(
      /^PLANT_MOCK_OBSERVER is not usable here \(.*\)\. .* remove it from your environment\.$/s,
    )
  })

  it.each([
    ['no process', undefined],
    ['a process of a bundler', {}],
    ['a process of a bundler with an environment', { env: { PLANT_MOCK_OBSERVER: '/none' } }],
  ])('is none in a browser with %s', async (_, process) => {
    vi.stubGlobal('process', process)
    const mock = createPlantMock()
    vi.unstubAllGlobals()
    expect((await mock.fetch('/plants', as('alice'))).status).toBe(200)
  })
})
