import { addCoverage, createPlantMock, renderCoverage } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { listPlants, mocksFor, useMock } from '../../support/mocks.ts'
import { aloe, fern } from '../../support/plants.ts'
import { as, post } from '../../support/targets.ts'

describe.each(mocksFor('coverage'))('the coverage of a mock $name', ({ open }) => {
  const start = useMock(open)

  it('counts each outcome that a client received, and lists all others', async () => {
    const mock = await start({ fixtures: [aloe, { ...aloe, id: 9 }] })
    await listPlants(mock)
    await listPlants(mock, 'alice', '?limit=1')
    await listPlants(mock, 'bob')
    await listPlants(mock, 'alice', '?limit=x')
    await mock.fetch('/plants')
    await mock.fetch('/plants', post(fern))
    await mock.fetch('/plants', post(fern))
    await mock.fetch('/plants', post(fern, { 'content-type': 'text/plain' }))
    await mock.fail({ operation: 'createPlant', malformed: true, delay: 1, times: 1 })
    await mock.fetch('/plants', post({ ...fern, id: 70 }))
    await mock.fail({ status: 500, times: 1 })
    await mock.fetch('/plants', as('alice'))
    await mock.fetch('/elsewhere', as('alice'))
    const rows = await mock.coverage()
    const received = rows
      .filter(({ count }) => count > 0)
      .map(({ operation, outcome, count }) => [operation, outcome, count])
    expect(received).toEqual([
      ['createPlant', 'success', 1],
      ['createPlant', 'conflict', 1],
      ['createPlant', 'unsupported', 1],
      ['createPlant', 'slow', 1],
      ['createPlant', 'malformed', 1],
      ['listPlants', 'complete', 1],
      ['listPlants', 'empty', 1],
      ['listPlants', 'cut', 1],
      ['listPlants', 'unauthorized', 1],
      ['listPlants', 'invalid', 1],
      ['listPlants', 'server-error', 1],
    ])
    expect(rows).toHaveLength(21)
  })

  it('survives a reset, and is zero after clearCoverage', async () => {
    const mock = await start()
    await listPlants(mock)
    await mock.reset()
    const total = async () => (await mock.coverage()).reduce((sum, { count }) => sum + count, 0)
    expect(await total()).toBe(1)
    await mock.clearCoverage()
    expect(await total()).toBe(0)
  })
})

describe('the coverage of a mock', () => {
  it('counts a broken connection as one, whatever the response would have been', async () => {
    const mock = createPlantMock({ fixtures: [aloe], faults: [{ reset: true }] })
    await mock.fetch('/plants', as('alice')).catch(() => undefined)
    const received = (await mock.coverage()).filter(({ count }) => count > 0)
    expect(received).toMatchObject([{ operation: 'listPlants', outcome: 'disconnected', count: 1 }])
  })

  it('counts a list as cut only where the limit leaves plants out', async () => {
    const mock = createPlantMock({ fixtures: [aloe, { ...aloe, id: 9 }] })
    for (const limit of [3, 2, 1]) await listPlants(mock, 'alice', `?limit=${limit}`)
    const received = (await mock.coverage()).filter(({ count }) => count > 0)
    expect(received).toMatchObject([
      { outcome: 'complete', count: 2 },
      { outcome: 'cut', count: 1 },
    ])
  })
})

describe('the coverage of several mocks', () => {
  it('adds up, and is text with the outcomes that were met and those that never were', async () => {
    const mocks = [createPlantMock({ fixtures: [aloe] }), createPlantMock()]
    for (const mock of mocks) await mock.fetch('/plants', as('alice'))
    await mocks[0]?.fetch('/plants?limit=0', as('alice'))
    const coverage = addCoverage(await Promise.all(mocks.map((mock) => mock.coverage())))
    expect(coverage.filter(({ count }) => count > 0)).toMatchObject([
      { operation: 'listPlants', outcome: 'complete', count: 1 },
      { operation: 'listPlants', outcome: 'empty', count: 1 },
      { operation: 'listPlants', outcome: 'cut', count: 1 },
    ])
    const all = coverage.filter(({ operation }) => operation === 'listPlants').map(({ outcome }) => outcome)
    const never = all.filter((outcome) => !['complete', 'empty', 'cut'].includes(outcome))
    const creates = coverage.filter(({ operation }) => operation === 'createPlant').map(({ outcome }) => outcome)
    expect(renderCoverage(coverage)).toBe(
      [
        `Outcomes of the contract that were met: 3 of ${coverage.length}`,
        `  createPlant  never  ${creates.join(', ')}`,
        '  listPlants   met    complete 1, empty 1, cut 1',
        `               never  ${never.join(', ')}`,
        '',
      ].join('\n'),
    )
  })
})
