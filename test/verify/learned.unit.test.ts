import { describe, expect, it } from 'vitest'
import type { Entries, Entry } from '../../src/core/assumptions/file.ts'
import { type AssumptionId, defaultAssumptions, findAssumption } from '../../src/core/assumptions/registry.ts'
import type { ProbeFinding } from '../../src/verify/read/finding.ts'
import { type AssumptionResult, assumptionResult, entryOf } from '../../src/verify/read/finding.ts'
import { compareWith, learn } from '../../src/verify/read/learned.ts'

const earlier = { host: 'plants.example', date: '2026-01-02' }
const today = { host: 'plants.example', date: '2026-01-03' }

type Findings = Readonly<Partial<Record<AssumptionId, ProbeFinding>>>

const resultsOf = (findings: Findings): readonly AssumptionResult[] =>
  Object.entries(findings).flatMap(([id, finding]) => {
    const row = findAssumption(id)
    return row === undefined ? [] : [assumptionResult(row, defaultAssumptions[row.id], entryOf(finding))]
  })

const learnAll = (findings: Findings, previous: Entries = new Map(), observed = today) =>
  learn(resultsOf(findings), previous, observed).assumptions

const entriesOf = (assumptions: object): Entries => new Map(Object.entries(assumptions)) as Entries
const learnedBefore = (findings: Findings): Entries => entriesOf(learnAll(findings, new Map(), earlier))

const compare = (before: Findings | Entries, after: Findings) => {
  const expected = before instanceof Map ? before : learnedBefore(before as Findings)
  const { changes, refinements } = compareWith(resultsOf(after), expected)
  return { changed: changes.map(({ id }) => id), refined: refinements.map(({ id }) => id) }
}

describe('the entry that a check learns', () => {
  it.each<readonly [string, AssumptionId, ProbeFinding, Entry]>([
    ['a value', 'create.status', 200, { value: 200, observed: today }],
    [
      'a value from a part of the inputs',
      'error.invalidStatus',
      { value: 422, evidence: 'lists' },
      { value: 422, evidence: 'lists', observed: today },
    ],
    [
      'no limit up to a number of plants',
      'list.maxLimit',
      { value: 'none', upTo: 120 },
      { value: 'none', upTo: 120, observed: today },
    ],
    [
      'other behaviour',
      'create.status',
      { other: 'it responds with 207' },
      { other: 'it responds with 207', observed: today },
    ],
    [
      'other behaviour from one caller',
      'create.status',
      { other: 'it responds with 207', evidence: 'one caller' },
      { other: 'it responds with 207', evidence: 'one caller', observed: today },
    ],
    ['nothing', 'create.status', { unseen: 'no create succeeds' }, { unseen: 'no create succeeds' }],
  ])('holds %s', (_, id, finding, entry) => {
    expect(learnAll({ [id]: finding })).toStrictEqual({ [id]: entry })
  })

  it('is missing for an assumption that was not checked', () => {
    expect(learnAll({ 'create.status': 200 })).not.toHaveProperty(['list.order'])
  })
})

describe('an entry of the previous file', () => {
  const kept: readonly (readonly [string, AssumptionId, ProbeFinding, ProbeFinding | undefined])[] = [
    ['the same value', 'create.status', 200, 200],
    ['nothing any more', 'create.status', 200, { unseen: 'no create succeeds' }],
    ['nothing, for another reason', 'create.status', { unseen: 'one reason' }, { unseen: 'another' }],
    ['nothing, because it was left out', 'create.status', 200, undefined],
    ['nothing again, because it was left out', 'create.status', { unseen: 'one reason' }, undefined],
    ['less', 'list.maxLimit', 'clamp:120', { value: 'none', upTo: 101 }],
  ]
  it.each(kept)('stays when a check sees %s', (_, id, before, after) => {
    const previous = learnedBefore({ [id]: before })
    const learned = learnAll(after === undefined ? {} : { [id]: after }, previous)
    expect(learned[id]).toBe(previous.get(id))
  })

  const replaced: readonly (readonly [string, AssumptionId, ProbeFinding, ProbeFinding])[] = [
    ['another value', 'create.status', 200, 201],
    ['a value for the first time', 'create.status', { unseen: 'no create succeeds' }, 201],
    ['more', 'list.maxLimit', { value: 'none', upTo: 101 }, 'clamp:120'],
    ['the limit of larger bodies', 'body.maxSize', { value: 'none', upTo: 1_048_577 }, 5_000_000],
    ['the same value from all inputs', 'error.invalidStatus', { value: 422, evidence: 'lists' }, 422],
  ]
  it.each(replaced)('is replaced when a check sees %s', (_, id, before, after) => {
    const learned = learnAll({ [id]: after }, learnedBefore({ [id]: before }))
    expect(learned).toStrictEqual(learnAll({ [id]: after }))
  })
})

describe('a value that stands for another', () => {
  it('is compared by what it stands for', () => {
    const before = { 'error.body': 'json', 'error.authBody': 'html' } as const
    const after = { 'error.body': 'html', 'error.authBody': 'same' } as const
    expect(compare(before, after)).toEqual({ changed: ['error.body'], refined: [] })
    expect(compare(after, before)).toEqual({ changed: ['error.body'], refined: [] })
  })

  it('is a change where it stands for something else', () => {
    const before = { 'error.body': 'json', 'error.authBody': 'html' } as const
    expect(compare(before, { 'error.body': 'json', 'error.authBody': 'same' }).changed).toEqual(['error.authBody'])
  })

  it('tells less than a value where its base was not seen', () => {
    const [before, after] = [{ 'error.authBody': 'same' }, { 'error.body': 'json', 'error.authBody': 'html' }] as const
    expect(compare(before, after)).toEqual({ changed: [], refined: ['error.authBody'] })
    expect(learnAll(after, learnedBefore(before))).toStrictEqual(learnAll(after))
    expect(compare(after, before)).toEqual({ changed: [], refined: [] })
    const previous = learnedBefore(after)
    expect(learnAll(before, previous)['error.authBody']).toBe(previous.get('error.authBody'))
  })

  it('is written as what it stood for where its base changes and it is not seen', () => {
    const previous = learnedBefore({
      'error.body': 'json',
      'error.authBody': 'same',
      'error.invalidStatus': 400,
      'create.contentType': 'invalid',
    })
    expect(learnAll({ 'error.body': 'html', 'error.invalidStatus': 422 }, previous)).toStrictEqual({
      'create.contentType': { other: 'it responds with 400', observed: earlier },
      'error.body': { value: 'html', observed: today },
      'error.authBody': { value: 'json', observed: earlier },
      'error.invalidStatus': { value: 422, observed: today },
    })
  })

  it('is written as it is where it is seen for the first time', () => {
    const previous = learnedBefore({ 'error.body': 'json', 'error.authBody': 'html' })
    const learned = learnAll({ 'error.body': 'text', 'error.authBody': 'same' }, previous)
    expect(learned['error.authBody']).toStrictEqual({ value: 'same', observed: today })
  })

  it('is written so without a date where the file has none', () => {
    const previous = entriesOf({ 'error.body': { value: 'json' }, 'error.authBody': { value: 'same' } })
    expect(learnAll({ 'error.body': 'html' }, previous)['error.authBody']).toStrictEqual({ value: 'json' })
  })

  it('stays as it is where its base stays, or changes with it', () => {
    const previous = learnedBefore({ 'error.body': 'json', 'error.authBody': 'same' })
    const entry = previous.get('error.authBody')
    expect(learnAll({ 'error.body': 'json' }, previous)['error.authBody']).toBe(entry)
    expect(learnAll({ 'error.body': 'html', 'error.authBody': 'same' }, previous)['error.authBody']).toBe(entry)
  })
})

describe('a comparison', () => {
  it('takes a limit of larger bodies than before for more, and of smaller ones for a change', () => {
    const before = { 'body.maxSize': { value: 'none', upTo: 1_048_577 } } as const
    expect(compare(before, { 'body.maxSize': 5_000_000 })).toEqual({ changed: [], refined: ['body.maxSize'] })
    expect(compare(before, { 'body.maxSize': 5_000 })).toEqual({ changed: ['body.maxSize'], refined: [] })
  })

  it('names what was and what is, with how far each reaches, and the section', () => {
    const before = learnedBefore({ 'list.maxLimit': { value: 'none', upTo: 150 }, 'create.status': 200 })
    const after = resultsOf({
      'list.maxLimit': 'clamp:120',
      'create.status': { other: 'it responds with 207', evidence: 'one caller' },
    })
    expect(compareWith(after, before)).toEqual({
      changes: [
        { id: 'create.status', section: '4.1', was: '200', is: 'it responds with 207, from one caller alone' },
        { id: 'list.maxLimit', section: '8', was: 'none, up to 150 plants', is: 'clamp:120', value: 'clamp:120' },
      ],
      refinements: [],
      newlySeen: [],
    })
  })

  it('names nothing that either did not see', () => {
    expect(compare({ 'create.status': { unseen: 'why' } }, { 'create.status': 201 }).changed).toEqual([])
    expect(compare({ 'create.status': 200 }, { 'create.status': { unseen: 'why' } }).changed).toEqual([])
    expect(compare({}, { 'create.status': 201 }).changed).toEqual([])
  })
})
