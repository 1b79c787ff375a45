import { type ConformanceOptions, type Entries, learn, parseEntries, renderConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { assumptionOf, check, numbers, tokens } from '../support/conformance.ts'
import { type Quirks, quirkyService, strictLimit } from '../support/quirky-service.ts'

const observed = { host: 'plants.example', date: '2026-01-02' }
const readOnly: Partial<ConformanceOptions> = { readOnly: true }
const oneCaller: Partial<ConformanceOptions> = { tokens: { caller: tokens.caller } }

const fillingOrLarge = ['body.maxSize', 'list.maxLimit', 'list.defaultLimit']
const whole: Partial<ConformanceOptions> = { skip: ['body.maxSize'] }

const checked = (behaviour: Quirks, options: Partial<ConformanceOptions> = {}) => {
  const service = quirkyService(behaviour)
  return check(service, {
    now: service.now,
    wait: service.wait,
    random: numbers(3),
    skip: fillingOrLarge,
    ...options,
  })
}

const entriesIn = (assumptions: object): Entries => parseEntries(JSON.stringify({ assumptions }), 'learned.json')

const compare = async (
  [before, beforeOptions]: readonly [Quirks, Partial<ConformanceOptions>?],
  [after, afterOptions]: readonly [Quirks, Partial<ConformanceOptions>?],
) => {
  const first = learn((await checked(before, beforeOptions)).assumptions, new Map(), observed)
  const previous = entriesIn(first.assumptions)
  const report = await checked(after, { ...afterOptions, expect: previous })
  const relearned = learn(report.assumptions, previous, { ...observed, date: '2026-01-03' })
  const idsOf = (changes: readonly { readonly id: string }[] = []) => changes.map(({ id }) => id)
  return { report, first, relearned, changed: idsOf(report.changes), refined: idsOf(report.refinements) }
}

const codesByInput: Quirks = {
  failure: (status, message, kind) =>
    Response.json({ code: kind === 'limit' ? 'bad_limit' : 'bad_plant', message }, { status }),
  limitStatus: 422,
}
const everywhere: Quirks = { duplicates: 'everywhere' }

describe('evidence from a part of the inputs or callers', () => {
  it.each<readonly [string, Quirks, Partial<ConformanceOptions>]>([
    ['with readOnly', codesByInput, readOnly],
    ['without the other token', everywhere, oneCaller],
    ['with readOnly, where lists take any token', { unguarded: 'GET' }, readOnly],
  ])('is no change after a whole check, and replaces none of it: %s', async (_, service, options) => {
    const { changed, refined, first, relearned } = await compare([service], [service, options])
    expect([changed, refined]).toEqual([[], []])
    expect(relearned).toEqual(first)
  })

  it.each<readonly [string, Quirks, Partial<ConformanceOptions>, readonly string[]]>([
    ['with readOnly', codesByInput, readOnly, ['error.body', 'error.invalidStatus']],
    ['without the other token', everywhere, oneCaller, ['create.duplicateId']],
  ])('gives way to a whole check, which is no change either: %s', async (_, service, options, ids) => {
    const { changed, refined, relearned } = await compare([service, options], [service])
    expect(changed).toEqual([])
    expect([...refined].sort()).toEqual(ids)
    const whole = learn((await checked(service)).assumptions, new Map(), { ...observed, date: '2026-01-03' })
    for (const id of ids) expect(relearned.assumptions).toHaveProperty([id], Object(whole.assumptions)[id])
  })

  it('is a change where it contradicts a whole check', async () => {
    const { changed } = await compare([{}], [{ limitStatus: 422 }, readOnly])
    expect(changed).toEqual(['error.limitStatus'])
  })

  it('is no change where limits have their own status', async () => {
    const { changed } = await compare([{ meaningStatus: 422 }], [{ meaningStatus: 422 }, readOnly])
    expect(changed).toEqual([])
  })

  it('is named in the report and in the file', async () => {
    const report = await checked(codesByInput, readOnly)
    expect(assumptionOf(report, 'error.invalidStatus')).toMatchObject({ found: 422, evidence: 'a bad limit' })
    expect(renderConformance(report)).toContain(
      'error.invalidStatus: 422 (Unprocessable Content), from a bad limit alone; assumed 400',
    )
    const file = learn(report.assumptions, new Map(), observed)
    expect(file.assumptions['error.invalidStatus']).toEqual({ value: 422, evidence: 'a bad limit', observed })
    expect(entriesIn(file.assumptions).get('error.invalidStatus')).toEqual(file.assumptions['error.invalidStatus'])
  })
})

describe('a limit above the number of plants', () => {
  const limited = (max: number): Quirks => ({
    limit: (values) => {
      const limit = strictLimit(values)
      return limit === undefined ? undefined : Math.min(limit, max)
    },
    initial: 150,
  })

  it('is known later, which is no change, and is learned then', async () => {
    const { changed, refined, report, first, relearned } = await compare([{}, whole], [limited(120), whole])
    expect([changed, refined]).toEqual([[], ['list.maxLimit']])
    expect(first.assumptions['list.maxLimit']).toMatchObject({ value: 'none', upTo: expect.any(Number) })
    expect(relearned.assumptions['list.maxLimit']).toMatchObject({ value: 'clamp:120' })
    expect(renderConformance(report)).toMatch(
      /Now known.*\n {2}list\.maxLimit: before: none, up to \d+ plants; now: clamp:120 /,
    )
  })
})

describe('values that stand for others', () => {
  const failing =
    (body: (message: string) => object, kinds: readonly string[]): NonNullable<Quirks['failure']> =>
    (status, message, kind) =>
      Response.json(kinds.includes(kind) ? body(message) : { error: { code: status, message } }, { status })

  it.each<readonly [string, Quirks, string]>([
    [
      'the body of invalid requests',
      { failure: failing((message) => ({ message }), ['limit', 'meaning']) },
      'error.body',
    ],
    ['the status of a missing token', { missing: 403 }, 'auth.status'],
    ['the status of invalid requests', { meaningStatus: 422, limitStatus: 422 }, 'error.invalidStatus'],
  ])('are no change where %s changes alone', async (_, service, id) => {
    const { changed, relearned } = await compare([{}], [service])
    expect(changed.filter((other) => other !== 'auth.malformedStatus')).toEqual([id])
    const again = await checked(service, { expect: entriesIn(relearned.assumptions) })
    expect(again.changes).toEqual([])
    const afresh = learn((await checked(service)).assumptions, new Map(), observed)
    const valuesIn = (assumptions: object) =>
      Object.entries(assumptions).map(([id, entry]) => [id, entry.value ?? entry.other])
    expect(valuesIn(relearned.assumptions)).toEqual(valuesIn(afresh.assumptions))
  })
})

describe('members that a service makes for each response', () => {
  it('are no change from a file of an earlier version, which has them as constants or as text', async () => {
    const failure: NonNullable<Quirks['failure']> = (status, message) =>
      Response.json({ message, requestId: 'ab12cd34ef56', day: '2026-11-21', took: 1 }, { status })
    for (const [requestId, day, took] of [
      ['0011aabbccdd', '2026-11-20', 0],
      ['{detail}', '{detail}', 7],
    ]) {
      const value = JSON.stringify({ message: '{detail}', requestId, day, took })
      const expected = entriesIn({ 'error.body': { value, observed } })
      expect((await checked({ failure }, { expect: expected })).changes).toEqual([])
    }
  })

  it('are a change where they are missing', async () => {
    const failure =
      (body: object): NonNullable<Quirks['failure']> =>
      (status, message) =>
        Response.json({ message, ...body }, { status })
    const { changed } = await compare([{ failure: failure({ requestId: 'ab12cd34ef56' }) }], [{ failure: failure({}) }])
    expect(changed).toEqual(['error.body'])
  })
})

describe('the media type of failures', () => {
  it('is a change, for the same body', async () => {
    const failure =
      (type: string): NonNullable<Quirks['failure']> =>
      (status, message) =>
        Response.json({ message }, { status, headers: { 'content-type': type } })
    const json = failure('application/json')
    expect((await compare([{ failure: json }], [{ failure: failure('application/vnd.error+json') }])).changed).toEqual([
      'error.body',
    ])
    expect((await compare([{ failure: json }], [{ failure: failure('text/json') }])).changed).toContain('error.body')
  })
})
