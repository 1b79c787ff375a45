import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { reply } from '../../../src/core/http/reply.ts'
import { createInternalMock } from '../../../src/core/mock/create-plant-mock.ts'
import { openEvidence } from '../../../src/vary/evidence/evidence-log.ts'
import { openObserver } from '../../../src/vary/evidence/observer.ts'
import { planFile } from '../../../src/vary/evidence/plan.ts'
import { evidenceVariable } from '../../../src/vary/evidence/test-process.ts'
import { readEvidence } from '../../../src/vary/suite/read-evidence.ts'
import { openTestFolder } from '../../support/folder.ts'
import { as } from '../../support/targets.ts'

const changes = [
  { id: 'list.order', value: 'newest', base: 'added' },
  { id: 'create.status', value: 200, base: 201 },
]

let folder: string
beforeEach(async () => {
  folder = await openTestFolder()
  await writeFile(join(folder, planFile), JSON.stringify({ changes, areServed: false }))
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  openEvidence(folder).close()
})

const observed = () => {
  vi.stubEnv(evidenceVariable, folder)
  return { observer: openObserver(globalThis) }
}

describe('evidence', () => {
  it('is none without a folder', () => {
    expect(openObserver(globalThis)).toBeUndefined()
  })

  it('needs a folder that plant-mock vary has prepared', () => {
    vi.stubEnv(evidenceVariable, join(folder, 'none'))
    expect(() => openObserver(globalThis)).toThrow(
      /^PLANT_MOCK_EVIDENCE names a folder without a usable plan\.json \(.*none/,
    )
  })

  it('is shared by all mocks of a process', () => {
    const evidence = openEvidence(folder)
    expect(openEvidence(folder)).toBe(evidence)
  })

  it('is written at once, with the times of the machine', async () => {
    // A test may replace the clock before a mock is created.
    vi.useFakeTimers({ now: 0 })
    openEvidence(folder).write({ type: 'visible', changes: ['create.status=200'] })
    vi.useRealTimers()
    const { sightings } = await readEvidence(folder)
    expect(sightings).toMatchObject([{ changes: ['create.status=200'], pid: process.pid }])
    expect(sightings[0]?.at).toBeGreaterThan(1_600_000_000_000)
  })

  it('comes from every mock that is observed', async () => {
    const fixtures = [1, 2].map((id) => ({ id, name: `n${id}`, tag: 't' }))
    await createInternalMock({ fixtures, assume: { 'create.status': 201 } }, observed()).fetch('/plants', as('alice'))
    const { exchanges, sightings, fixed } = await readEvidence(folder)
    expect([exchanges, [...fixed]]).toEqual([1, ['create.status']])
    expect(sightings).toMatchObject([{ changes: ['list.order=newest'] }])
  })

  it('is read although a process was killed in the middle of a line', async () => {
    openEvidence(folder).write({ type: 'exchange' })
    const [name = ''] = (await readdir(folder)).filter((file) => file.startsWith('mock-'))
    await writeFile(join(folder, name), `${await readFile(join(folder, name), 'utf8')}{"type":"exch`)
    expect((await readEvidence(folder)).exchanges).toBe(1)
  })

  it.each([
    { type: 'visible' },
    { type: 'visible', since: 1, at: 1, changes: 5 },
    { type: 'visible', since: 1, at: null, changes: [] },
    { type: 'fixed', ids: {} },
    { type: 'difference', since: 1, at: 1, request: 'GET /plants' },
    { type: 'toString' },
  ])('is read without a line that no mock writes: %j', async (line) => {
    await writeFile(join(folder, 'mock-0.ndjson'), `${JSON.stringify(line)}\n{"type":"exchange"}\n`)
    const { exchanges, sightings, differences, fixed } = await readEvidence(folder)
    expect([exchanges, sightings, differences, [...fixed]]).toEqual([1, [], [], []])
  })

  it('says that every alternative may be visible where an upstream replies', async () => {
    const upstream = () => reply(200, ['Content-Type', 'application/json'], '[]', {})
    await createInternalMock({}, { upstream, ...observed() }).fetch('/plants', as('alice'))
    expect((await readEvidence(folder)).sightings).toMatchObject([
      { changes: ['list.order=newest', 'create.status=200'] },
    ])
  })
})
