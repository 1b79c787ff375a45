import { type ConformanceReport, renderConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { paintFor } from '../../src/server/start/paint.ts'
import { checkSmall as check, fixtures } from '../support/conformance.ts'
import { type Behaviour, wrongService } from '../support/wrong-service.ts'

describe('the text report', () => {
  const linesOf = (report: ConformanceReport) => renderConformance(report).split('\n')
  const verbose = (report: ConformanceReport) => renderConformance(report, 'text', undefined, true)
  const checked = (...behaviours: Behaviour[]) => check(wrongService(behaviours))

  it.each<readonly [Behaviour, string]>([
    ['limit is ignored', 'npx plant-mock contract 4.2,8'],
    ['a create returns the id', 'npx plant-mock contract 2.1,4.1'],
  ])('says where to read about the broken rules, if "%s"', async (behaviour, sections) => {
    expect(linesOf(await checked(behaviour)).at(-2)).toBe(`Read: ${sections}`)
  })

  it('says where to read about what differs, if no rule is broken', async () => {
    expect(linesOf(await checked('lists hold 10 plants')).at(-2)).toMatch(/^Read: .*\b8\b/)
  })

  it('is the verdict and the numbers, if all is seen, nothing is broken or differs, and nothing was created', async () => {
    const report = await checked()
    const assumptions = report.assumptions.filter(({ outcome }) => outcome === 'agrees')
    expect(linesOf({ ...report, assumptions, plants: [] })).toEqual([
      `${report.baseUrl} keeps the contract, as far as it was checked.`,
      expect.stringMatching(/^Rules: 14 kept, 0 broken, 0 skipped\. Assumptions: /),
      '',
    ])
  })

  it('has each rule and each assumption once if it is verbose, and otherwise no rule that is kept', async () => {
    const report = await checked('limit is ignored')
    const titles = { passed: 'Kept', failed: 'Broken', skipped: 'Not checked', advised: 'Advice' }
    const all = { ...titles, agrees: 'As assumed', differs: 'Not as assumed', other: 'Not as assumed' }
    const found = new Map<string, string>()
    for (const section of verbose(report).split('\n\n')) {
      const [title = '', ...lines] = section.split('\n')
      for (const id of lines.flatMap((line) => /^ {2}([\w.]+(?:, [\w.]+)*):/.exec(line)?.[1]?.split(', ') ?? []))
        found.set(id, title)
    }
    for (const { id, outcome } of [...report.rules, ...report.assumptions])
      expect([id, found.get(id)]).toEqual([id, outcome === 'unseen' ? 'Not checked' : all[outcome]])
    expect(renderConformance(report)).not.toMatch(/^(?:Kept|As assumed)$/m)
  })

  it('is plain text, or coloured on request', async () => {
    const report = await checked('limit is ignored')
    expect(JSON.parse(renderConformance(report, 'json'))).toMatchObject({ verdict: linesOf(report)[0] })
    expect(renderConformance(report)).not.toContain('\u001B')
    expect(renderConformance(report, 'text', paintFor(true, {}))).toContain('\n  \u001B[31mlist.limit\u001B[39m: ')
  })

  it('contains no control characters that the service sent', async () => {
    const report = await check(async () => new Response('\u001B[2J\r\nnasty', { status: 403 }))
    const text = renderConformance(report)
    expect(text).toContain('it responds with 403: \\u001b[2J nasty')
    for (const character of ['\u001B', '\r']) expect(text).not.toContain(character)
  })

  it('says what was found, what it means and what was assumed, where that differs', async () => {
    const report = await checked('plants come by id', 'a limit is required')
    expect(verbose(report)).toContain('\n  create.status: 201 (contract 4.1)\n')
    expect(linesOf(report)).toContain(
      '  list.order: id (by id, smallest first, then plants without an id); assumed added (contract 4.2)',
    )
    expect(renderConformance(report)).toMatch(
      /\n {2}list\.defaultLimit: it responds with 400; the mock has no such value; nearest: none \(contract /,
    )
  })

  it('says how far a finding reaches', async () => {
    const report = await check(wrongService(), { readOnly: true })
    expect(verbose(report)).toMatch(/error\.body: \S+ \(.+\), from lists alone;/)
    const whole = verbose(await checked())
    expect(whole).not.toContain(' alone')
    expect(whole).toMatch(/list\.maxLimit: none, up to \d+ plants \(/)
  })

  it('says that nothing changed, or what did', async () => {
    const service = wrongService()
    const options = { rules: ['list.succeeds'], skip: [] }
    const same = await check(service, { ...options, expect: new Map([['create.status', { value: 201 }]]) })
    expect(linesOf(same)[0]).toMatch(/ keeps the contract, as far as it was checked\. No change was seen\.$/)
    expect(linesOf(same)).not.toContain('Changed')
    const other = await check(wrongService(), { ...options, expect: new Map([['create.status', { value: 200 }]]) })
    expect(linesOf(other)[0]).toMatch(/ 1 change was seen\.$/)
    expect(renderConformance(other)).toContain('\n\nChanged\n  create.status: was 200, is 201 (contract 4.1)\n')
    const without = { ...other, changes: undefined } as unknown as ConformanceReport
    expect(renderConformance(without)).not.toMatch(/Changed|change was seen/)
  })

  it('tells rules that are broken newly, broken still and repaired', async () => {
    const knownBroken = ['list.limit', 'create.shape']
    const report = await check(wrongService(['limit is ignored', 'lists are declared as HTML']), {
      knownBroken,
      expect: new Map(),
    })
    const text = renderConformance(report)
    expect(text).toMatch(/ breaks 2 rules of the contract, 1 newly\. No other change was seen\./)
    expect(text).toMatch(/\n\nNewly broken\n {2}list\.json: .*\n {4}/)
    expect(text).toMatch(/\n\nStill broken\n {2}list\.limit: .*\n {4}/)
    expect(text).toMatch(/\n\nRepaired\n {2}create\.shape: .*\n\n/)
    const xml = renderConformance(report, 'junit')
    expect(xml).toMatch(
      /name="list\.limit">\s*<skipped message="Still broken: .*; The list has \d+ plants, more than limit=1"/,
    )
    expect(xml.match(/<failure/g)).toHaveLength(1)
  })

  it('is one line if nothing could be checked', async () => {
    const report = await check(async () => new Response('none', { status: 401 }))
    expect(linesOf(report)).toEqual([
      expect.stringMatching(/^Nothing was checked at http\S+: the token is not accepted: .*\.$/),
      '',
    ])
  })

  it('says to leave out /plants in one line', async () => {
    const report = await check(async () => new Response('none', { status: 404 }), {
      baseUrl: 'http://mock/api/plants/',
    })
    expect(linesOf(report)).toEqual([
      'Nothing was checked at http://mock/api/plants: no list succeeds at http://mock/api/plants/plants (404); leave out /plants at the end of the address.',
      '',
    ])
  })

  it('lists unusual plants, ten at most, and sums up the usual ones', async () => {
    const report = await checked()
    const lost = (id: number) => ({ id, name: 'oak', tag: 'tree', as: 'caller', certain: false }) as const
    const endOf = (plants: ConformanceReport['plants']) => {
      const lines = linesOf({ ...report, assumptions: [], plants })
      return lines.slice(2)
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
        .filter((text) => text.includes(`name="${name}"`))
        .join('')
    expect(casesNamed('list.limit')).toMatch(/<failure message="[^"]+">Repeat: curl /)
    expect(casesNamed('create.json')).toContain(
      '<skipped message="Not checked: it creates plants, and the check is read-only"/>',
    )
    expect(casesNamed('create.status')).toContain(
      '<skipped message="Not checked: it creates plants, and the check is read-only"/>',
    )
    expect(casesNamed('list.order')).not.toContain('<failure')
  })
})
