import { type ConformanceReport, renderConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { check } from '../support/conformance.ts'
import { type Behaviour, wrongService } from '../support/wrong-service.ts'

describe('the text report', () => {
  const linesOf = (report: ConformanceReport) => renderConformance(report).split('\n')
  const checked = (...behaviours: Behaviour[]) => check(wrongService(behaviours))

  it.each<readonly [Behaviour, string]>([
    ['limit is ignored', '4.2,8'],
    ['a create returns the id', '2.1,4.1'],
    ['lists hold 10 plants', '8'],
  ])('says where to read about the first difference, if "%s"', async (behaviour, section) => {
    expect(linesOf(await checked(behaviour))).toContain(
      `Read a section of the contract: npx plant-mock contract ${section}`,
    )
  })

  it('ends with the numbers if nothing is broken, nothing differs and nothing was created', async () => {
    const report = await checked()
    const assumptions = report.assumptions.filter(({ outcome }) => outcome === 'agrees')
    const lines = renderConformance({ ...report, assumptions, plants: [] })
      .trimEnd()
      .split('\n')
    expect(lines.at(-1)).toMatch(/^Rules: 14 kept, 0 broken, 0 skipped\. Assumptions: /)
  })

  it('says of each rule whether it is kept, broken or skipped', async () => {
    const report = await checked('limit is ignored')
    const lines = renderConformance(report).split('\n')
    const labels = { passed: 'kept', failed: 'broken', skipped: 'skipped' }
    for (const { id, outcome } of report.rules) {
      const line = lines.find((line) => new RegExp(`^  \\w+ +${id}  `).test(line))
      expect([id, line?.trim().split(' ')[0]]).toEqual([id, labels[outcome]])
    }
  })

  it('is plain text, or coloured on request', async () => {
    const report = await checked('limit is ignored')
    expect(renderConformance(report)).not.toContain('\u001B')
    expect(renderConformance(report, 'text', true)).toContain('\u001B[31mbroken\u001B[39m   list.limit')
  })

  it('contains no control characters that the service sent', async () => {
    const report = await check(async () => new Response('\u001B[2J\r\nnasty', { status: 403 }))
    const text = renderConformance(report)
    expect(text).toContain('it responds with 403: \\u001b[2J nasty')
    for (const character of ['\u001B', '\r']) expect(text).not.toContain(character)
  })
})
