import { expect, it } from 'vitest'
import { suiteProgress } from '../../../src/vary/suite/progress.ts'

it('shows the run in progress at a terminal, whose line can change', () => {
  const shown = (interactive: boolean): readonly string[] => {
    const texts: string[] = []
    const progress = suiteProgress({ interactive, log: (text) => void texts.push(text) }, 'alternative')
    progress.started({ keys: ['create.status=200'] })
    return texts
  }
  expect(shown(true)).toEqual([expect.stringMatching(/run 2 {2}create\.status=200$/)])
  expect(shown(false)).toEqual([])
})

it('says before the search how much is exercised, and what it costs', () => {
  const texts: string[] = []
  const log = (text: string) => void texts.push(text)
  const first = {
    milliseconds: 4_000,
    tests: undefined,
    evidence: { exchanges: 2, sightings: [], fixed: new Set<never>() },
  }
  const progress = suiteProgress({ interactive: false, log }, 'alternative')
  progress.began(first, { exercised: 13, repeated: 0, planned: 29, jobs: 2 }, [])
  progress.began(first, { exercised: 1, repeated: 0, planned: 29, jobs: 2 }, [])
  expect(texts.join('')).toContain('13 of 29 alternatives to try: 13 to 27 runs, about 28 s.\n')
  expect(texts.join('')).toContain('1 of 29 alternatives to try: 1 to 3 runs, about 4.0 s.\n')
})

it('names the few test files that exercise changes, for a faster command', () => {
  const texts: string[] = []
  const tests = ['a', 'b', 'c'].map(
    (file) => ({ id: file, name: 'one', file, outcome: 'passed', start: 0, end: 1 }) as const,
  )
  const progress = suiteProgress({ interactive: false, log: (text) => void texts.push(text) }, 'mutant')
  const first = { milliseconds: 1, tests, evidence: { exchanges: 2, sightings: [], fixed: new Set<never>() } }
  progress.began(first, { exercised: 1, repeated: 0, planned: 2, jobs: 1 }, ["b's.test.js"])
  expect(texts.at(-1)).toBe(
    "Only 1 of 3 test files exercise mutants. A command with these files alone is faster: 'b'\\''s.test.js'\n",
  )
})
