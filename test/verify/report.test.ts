import { type ConformanceReport, renderConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { check, fixtures } from '../support/conformance.ts'
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
    const labels = { passed: 'kept', failed: 'broken', skipped: 'skipped', advised: 'advice' }
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

  it('says of each assumption what was found, and what was assumed where that differs', async () => {
    const report = await checked('plants come by id', 'a limit is required')
    const lines = linesOf(report).map((line) => line.replace(/ +/g, ' ').trim())
    expect(lines).toContain('agrees create.status = 201 (contract 4.1)')
    expect(lines).toContain(
      'differs list.order = id, assumed added: by id, smallest first, then plants without an id (contract 4.2)',
    )
    expect(lines.find((line) => line.startsWith('other list.defaultLimit'))).toMatch(
      /^other list\.defaultLimit: it responds with 400; none of .*none/,
    )
  })

  it('says how far a finding reaches', async () => {
    const report = await check(wrongService(), { readOnly: true })
    const text = renderConformance(report)
    expect(text).toMatch(/error\.body = \S+, from lists alone(?:,| )/)
    expect(renderConformance(await checked())).not.toContain(' alone')
    expect(renderConformance(await checked())).toMatch(/list\.maxLimit = none, up to \d+ plants {2}\(/)
  })

  it('says that nothing changed, or what did', async () => {
    const service = wrongService()
    const options = { rules: [], skip: [] }
    const same = await check(service, { ...options, expect: new Map([['create.status', { value: 201 }]]) })
    expect(linesOf(same)).toContain('Nothing that was seen differs from the expected assumptions.')
    expect(linesOf(same)).not.toContain('Changed')
    const other = await check(wrongService(), { ...options, expect: new Map([['create.status', { value: 200 }]]) })
    expect(linesOf(other)).not.toContain('Nothing that was seen differs from the expected assumptions.')
    expect(renderConformance(other)).toContain('\n\nChanged\n  create.status: was 200, is 201  (contract 4.1)\n')
    const without = { ...other, changes: undefined } as unknown as ConformanceReport
    expect(renderConformance(without)).not.toMatch(/Changed|Nothing that was seen/)
  })

  it('lists unusual plants, ten at most, and sums up the usual ones', async () => {
    const report = await checked()
    const lost = (id: number) => ({ id, name: 'oak', tag: 'tree', as: 'caller', certain: false }) as const
    const endOf = (plants: ConformanceReport['plants']) => {
      const lines = linesOf({ ...report, plants })
      return lines.slice(lines.findIndex((line) => line.startsWith('Read a section')) + 1)
    }
    expect(endOf([])).toEqual([''])
    expect(endOf([lost(1)])).toEqual(['', 'May have created {"id":1,"name":"oak","tag":"tree"}.', ''])
    expect(endOf([{ ...lost(1), certain: true, as: 'other' }])).toEqual([
      '',
      'Created {"id":1,"name":"oak","tag":"tree"} as other.',
      '',
    ])
    const many = endOf(Array.from({ length: 13 }, (_, id) => lost(id)))
    expect(many).toHaveLength(13)
    expect(many.at(-2)).toBe('And 3 more like these; --reporter json lists all.')
    expect(endOf(Array.from({ length: 10 }, (_, id) => lost(id)))).toHaveLength(12)
  })

  it('colours what is unseen as little as what is skipped', async () => {
    const text = renderConformance(await check(wrongService(), { readOnly: true }), 'text', true)
    expect(text).toContain('\u001B[2munseen\u001B[22m   create.status: ')
    expect(text).toContain('\u001B[2mskipped\u001B[22m  create.succeeds ')
  })
})

describe('the report as JUnit XML', () => {
  it('has a failure for a broken rule, and what was skipped or unseen', async () => {
    const service = wrongService(['limit is ignored'], fixtures.garden)
    const xml = renderConformance(
      await check(service, { readOnly: true, rules: ['list.limit', 'create.json'] }),
      'junit',
    )
    const casesNamed = (name: string) =>
      xml
        .split('<testcase ')
        .filter((text) => text.includes(`name="${name}`))
        .join('')
    expect(casesNamed('list.limit: ')).toMatch(/<failure message="[^"]+">curl /)
    expect(casesNamed('create.json: ')).toContain('<skipped message="it creates plants, and the check is read-only"/>')
    expect(casesNamed('create.status')).toContain('<skipped message="it creates plants, and the check is read-only"/>')
    expect(casesNamed('list.order')).not.toContain('<failure')
    expect(xml).not.toContain('expected assumptions')
  })
})
