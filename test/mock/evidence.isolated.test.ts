import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPlantMock } from 'plant-mock'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { reply } from '../../src/http/reply.ts'
import { createInternalMock } from '../../src/mock/create-plant-mock.ts'
import { alternativesFile, openEvidence } from '../../src/mock/evidence.ts'
import { readEvidence } from '../../src/vary/read-evidence.ts'
import { as } from '../support/targets.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  await writeFile(join(folder, alternativesFile), '[["list.order","newest"],["no.such","x"],["create.status",200]]')
})
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  openEvidence(folder)?.close()
  await rm(folder, { recursive: true })
})

describe('evidence', () => {
  it('is none without a folder', () => {
    expect(openEvidence('')).toBeUndefined()
  })

  it('needs a folder that plant-mock vary has prepared', async () => {
    vi.stubEnv('PLANT_MOCK_EVIDENCE', join(folder, 'none'))
    expect(() => createPlantMock()).toThrow(
      /^PLANT_MOCK_EVIDENCE names a folder without a usable alternatives\.json .* remove it elsewhere/,
    )
    await writeFile(join(folder, alternativesFile), '{}')
    expect(() => openEvidence(folder)).toThrow('without a usable alternatives.json')
    await writeFile(join(folder, alternativesFile), '[]')
  })

  it('is shared by all mocks of a process, and knows the alternatives of this version', () => {
    const evidence = openEvidence(folder)
    expect(openEvidence(folder)).toBe(evidence)
    expect(evidence?.alternatives).toEqual([
      { id: 'list.order', value: 'newest' },
      { id: 'create.status', value: 200 },
    ])
  })

  it('is written at once, with the times of the machine', async () => {
    // A test may replace the clock before a mock is created.
    vi.useFakeTimers({ now: 0 })
    openEvidence(folder)?.write({ type: 'visible', alternatives: [1] })
    vi.useRealTimers()
    const { sightings } = await readEvidence(folder)
    expect(sightings).toMatchObject([{ alternatives: [1], pid: process.pid }])
    expect(sightings[0]?.at).toBeGreaterThan(1_600_000_000_000)
  })

  it('comes from every mock that the environment variable reaches', async () => {
    vi.stubEnv('PLANT_MOCK_EVIDENCE', folder)
    const fixtures = [1, 2].map((id) => ({ id, name: `n${id}`, tag: 't' }))
    await createPlantMock({ fixtures, assume: { 'create.status': 201 } }).fetch('/plants', as('alice'))
    const { exchanges, sightings, fixed } = await readEvidence(folder)
    expect([exchanges, [...fixed]]).toEqual([1, ['create.status']])
    expect(sightings).toMatchObject([{ alternatives: [0] }])
  })

  it('is read although a process was killed in the middle of a line', async () => {
    openEvidence(folder)?.write({ type: 'exchange' })
    const [name = ''] = (await readdir(folder)).filter((file) => file.startsWith('mock-'))
    await writeFile(join(folder, name), `${await readFile(join(folder, name), 'utf8')}{"type":"exch`)
    expect((await readEvidence(folder)).exchanges).toBe(1)
  })

  it.each([
    ['no process', undefined],
    ['a process of a bundler', {}],
    ['a process of a bundler with an environment', { env: { PLANT_MOCK_EVIDENCE: '/none' } }],
  ])('is none in a browser with %s', (_, process) => {
    vi.stubGlobal('process', process)
    const opened = [openEvidence(), openEvidence('/none')]
    vi.unstubAllGlobals()
    expect(opened).toEqual([undefined, undefined])
  })

  it('says that every alternative may be visible where an upstream replies', async () => {
    vi.stubEnv('PLANT_MOCK_EVIDENCE', folder)
    const upstream = () => reply(200, ['Content-Type', 'application/json'], '[]', {})
    await createInternalMock({}, { upstream }).fetch('/plants', as('alice'))
    expect((await readEvidence(folder)).sightings).toMatchObject([{ alternatives: 'all' }])
  })

  it('says that every alternative may be visible where a store of the user holds the plants', async () => {
    vi.stubEnv('PLANT_MOCK_EVIDENCE', folder)
    const { memoryStore } = await import('../../src/store/memory-store.ts')
    const { preview: _, ...store } = memoryStore()
    await createPlantMock({ store }).fetch('/plants', as('alice'))
    expect((await readEvidence(folder)).sightings).toMatchObject([{ alternatives: 'all' }])
  })
})
