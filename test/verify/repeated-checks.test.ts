import { type ConformanceOptions, type ConformanceReport, learn, parseEntries } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { check, idsOf, numbers } from '../support/conformance.ts'
import { nightly } from '../support/quirks.ts'
import { type Quirks, quirkyService } from '../support/quirky-service.ts'
import { runs } from '../support/runs.ts'

const checkNights = async (behaviour: Quirks, nights: number) => {
  const service = quirkyService(behaviour)
  const random = numbers(7)
  const checkTonight = (options: Partial<ConformanceOptions> = {}) => {
    service.advance(24 * 3_600_000)
    return check(service, { now: service.now, wait: service.wait, random, skip: ['body.maxSize'], ...options })
  }
  const first = await checkTonight()
  const file = learn(first.assumptions, new Map(), { host: 'plants.example', date: '2026-01-02' })
  const expect = parseEntries(JSON.stringify(file), 'learned.json')
  const reports: ConformanceReport[] = []
  for (let night = 1; night < nights; night++) reports.push(await checkTonight({ expect }))
  return { first, reports }
}

const isSeen = ({ outcome }: { readonly outcome: string }): boolean => outcome !== 'unseen'

describe('night after night', () => {
  it.each(Object.entries(nightly))('nothing changes where %s', async (_, { service, hides = [], breaksFirst = [] }) => {
    const { first, reports } = await checkNights(service, runs(12))
    expect(reports.flatMap(({ changes = [] }, night) => changes.map((change) => ({ night, ...change })))).toEqual([])
    const broken = idsOf(first, 'failed').filter((id) => !breaksFirst.includes(id))
    expect(reports.flatMap((report) => idsOf(report, 'failed'))).toEqual(reports.flatMap(() => broken))
    const last = reports.at(-1)?.assumptions ?? []
    const lost = first.assumptions.filter(
      (result) => isSeen(result) && last.some(({ id, outcome }) => id === result.id && outcome === 'unseen'),
    )
    expect(lost.map(({ id }) => id).filter((id) => !hides.includes(id))).toEqual([])
  })
})
