import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { toBaseline, toOther } from './compare.js'
import { openGates } from './gate.js'
import { band, isTrusted, mayRepeat, noiseCheck, noiseOf } from './noise.js'
import { spreadOf } from './numbers.js'
import { renderPage } from './page.js'
import { refusalOf, verdict } from './report.js'
import { benchFile } from './server.js'

const best = 100
const within = best * (1 + band) - 0.1
const loop = (wall: number, cpu = wall) => ({ wall, cpu })

describe('the noise of a round', () => {
  it.each([
    ['loops within the band', { loops: [loop(best), loop(within)] }, undefined],
    ['a slow loop on one core', { loops: [loop(best), loop(120)] }, 'the fixed loop was 20 % slower than its best'],
    [
      'a loop that waited for its core as all others did',
      { loops: [loop(best, 50)] },
      'the fixed loop was 100 % slower than its best',
    ],
    ['baselines within the band', { loops: [loop(best)], floors: [1000, 1050] as const }, undefined],
    [
      'baselines that differ',
      { loops: [loop(best)], floors: [930, 1070] as const },
      'the baseline before and after differed by 14 %',
    ],
    ['no loop, as in a smoke test', { loops: [] }, 'the fixed loop did not run'],
  ])('%s', (_, evidence, reason) => {
    expect(noiseOf(evidence, best)).toBe(reason)
  })
})

describe('the number of repeats', () => {
  it.each([
    { rounds: 0, repeated: 4, may: true },
    { rounds: 0, repeated: 5, may: false },
    { rounds: 20, repeated: 24, may: true },
    { rounds: 20, repeated: 25, may: false },
  ])('after $repeated repeats in $rounds rounds: $may', ({ may, ...counts }) => {
    expect(mayRepeat(counts)).toBe(may)
  })
})

describe('the noise check of a group', () => {
  const counted = [{ loops: [loop(114)] }, { loops: [loop(100)] }]

  it.each([
    { best: 114, noisy: 0, of: 'as good as both' },
    { best: 102, noisy: 0, of: 'a little better than one was when it was admitted' },
    { best: 100, noisy: 1, of: 'much better' },
  ])('has $noisy noisy rounds if the best loop turns out to be $of', ({ best, noisy }) => {
    expect(noiseCheck(counted, 3, best)).toMatchObject({ rounds: 2, repeated: 3, noisy })
  })
})

describe('a group', () => {
  it.each([
    { rounds: 30, noisy: 3, trusted: true },
    { rounds: 30, noisy: 4, trusted: false },
    { rounds: 5, noisy: 1, trusted: false },
    { rounds: 5, noisy: 0, trusted: true },
  ])('with $noisy of $rounds rounds noisy may be published: $trusted', ({ trusted, ...noise }) => {
    expect(isTrusted(noise)).toBe(trusted)
  })
})

/** Opens a gate, whose loop takes its best time unless `slow` has times for the next runs. */
const openGate = async () => {
  const slow: number[] = []
  const notices: string[] = []
  const openNext = await openGates({
    runLoops: async () => [loop(slow.shift() ?? best)],
    pause: async () => {},
    notify: (text) => notices.push(text),
  })
  return { ...openNext(), slow, notices }
}

describe('a gate', () => {
  it('returns the value of a quiet round', async () => {
    const { round, noise } = await openGate()
    expect(await round(async () => 'measured')).toBe('measured')
    expect(noise()).toMatchObject({ rounds: 1, repeated: 0, noisy: 0 })
  })

  it('waits for a quiet machine before a round', async () => {
    const { round, noise, slow } = await openGate()
    slow.push(150, 130, 120)
    await round(async () => expect(slow).toEqual([]))
    expect(noise()).toMatchObject({ rounds: 1, repeated: 0, noisy: 0 })
  })

  it('repeats a noisy round, counts that and says why', async () => {
    const { round, noise, slow, notices } = await openGate()
    const values = ['noisy', 'noisy', 'quiet']
    const measured = await round(async () => {
      const value = values.shift()
      if (value === 'noisy') slow.push(130)
      return value
    })
    expect(measured).toBe('quiet')
    expect(noise()).toMatchObject({ rounds: 1, repeated: 2, noisy: 0 })
    expect(notices).toEqual(Array(2).fill('repeats a round: the fixed loop was 30 % slower than its best'))
  })

  it('repeats a round that was noisy in the middle only', async () => {
    const { round, noise, slow } = await openGate()
    slow.push(best, 130)
    await round(({ check }) => check())
    expect(noise()).toMatchObject({ rounds: 1, repeated: 1, noisy: 0 })
  })

  it('repeats a round whose baselines differ', async () => {
    const { round, noise } = await openGate()
    const rates = [80, 100]
    await round(async ({ floors }) => floors(rates.shift() ?? 0, 100))
    expect(noise()).toMatchObject({ rounds: 1, repeated: 1, noisy: 0 })
  })

  it('gives up a group on a machine that stays noisy, so that its results are not written', async () => {
    const { round, noise, slow, notices } = await openGate()
    for (const _ of [1, 2, 3]) await round(async () => slow.push(130))
    expect(noise()).toMatchObject({ rounds: 3, repeated: 5, noisy: 3 })
    expect(notices.at(-1)).toMatch(/^The machine is too busy for this group: .* after 5 repeats/)
    expect(refusalOf([{ name: 'start', noise: noise() }], ['start'])).toMatch(/too busy during start/)
  })
})

describe('the ratio of a round', () => {
  const rate = (perSecond: number, core: number) => ({ perSecond, core, failed: 0 })
  const roundOf = (before: number, own: number, after: number) => ({
    before: rate(before, 10),
    rate: rate(own, 25),
    after: rate(after, 30),
  })

  it('is that to the mean of the baseline before and after, by rate and by core', () => {
    expect(toBaseline([roundOf(100, 90, 200)])).toEqual({
      ...{ ratio: 0.6, range: [0.6, 0.6] },
      ...{ coreRatio: 0.8, coreRange: [0.8, 0.8] },
    })
  })

  it('has no part by core on systems that do not tell CPU times', () => {
    const round = roundOf(100, 90, 200)
    expect(toBaseline([{ ...round, rate: rate(90, Number.NaN) }])).toEqual({ ratio: 0.6, range: [0.6, 0.6] })
  })

  it('of two servers is that of their ratios, by round', () => {
    const rounds = [roundOf(100, 90, 100), roundOf(200, 100, 200)]
    const others = [roundOf(100, 60, 100), roundOf(200, 200, 200)]
    expect(toOther(rounds, others)).toMatchObject({ ratio: 1, range: [0.5, 1.5] })
  })
})

describe('the spread of rounds', () => {
  it.each([
    { values: [3], median: 3, range: [3, 3] },
    { values: [5, 1, 3], median: 3, range: [1, 5] },
    { values: [1, 4, 2, 3], median: 2.5, range: [1, 4] },
  ])('of $values is $median within $range', ({ values, ...spread }) => {
    expect(spreadOf(values)).toEqual(spread)
  })
})

describe('the verdict about an aim', () => {
  const row = { group: '', what: '', server: '', unit: '' as const, value: 3, ratio: 1, coreRatio: 0.9 }

  it.each([
    [{ of: 'value', atMost: 3 } as const, 'ok'],
    [{ of: 'value', atMost: 2.9 } as const, 'missed'],
    [{ of: 'ratio', atLeast: 0.95, atMost: 1.05 } as const, 'ok'],
    [{ of: 'coreRatio', atLeast: 0.95, atMost: 1.05 } as const, 'missed'],
  ])('%o is %s', (aim, expected) => {
    expect(verdict(aim, row)).toBe(expected)
  })

  it('misses a figure that could not be measured', () => {
    const { ratio: _, ...rest } = row
    expect(verdict({ of: 'ratio', atMost: 1 }, rest)).toBe('missed')
  })
})

describe('the results', () => {
  it('are the same on the page and in the JSON beside it', async () => {
    const [page, run] = await Promise.all(
      ['RESULTS.md', 'results.json'].map((name) => readFile(benchFile(name), 'utf8')),
    )
    expect(renderPage(JSON.parse(run ?? ''))).toBe(page)
  })

  const noise = { rounds: 5, repeated: 2, noisy: 0, slowdown: 0, difference: 0 }
  const groups = [
    { name: 'start', noise },
    { name: 'large', noise: { ...noise, noisy: 1 } },
  ]

  it.each([
    [['start'], ['start'], undefined],
    [['start'], ['start', 'large'], 'The results are not written: they lack the groups large.'],
    [['start', 'large'], ['start', 'large'], 'The results are not written: the machine was too busy during large.'],
    [
      ['large'],
      ['start', 'large'],
      'The results are not written: they lack the groups start, and the machine was too busy during large.',
    ],
  ])('of %j are published if a complete run has %j: %s', (measured, names, refusal) => {
    const present = groups.filter(({ name }) => measured.includes(name))
    expect(refusalOf(present, names)).toBe(refusal)
  })
})
