import { describe, expect, it } from 'vitest'
import { suiteProgress } from '../../../src/vary/suite/progress.ts'

const runOf = (interactive: boolean, further: number): string => {
  const texts: string[] = []
  suiteProgress({ interactive, log: (text) => void texts.push(text) }, 'alternative').started(
    { keys: ['create.status=200'] },
    further,
  )
  return texts.join('')
}

describe('while vary works, a terminal', () => {
  it('shows how many runs are planned, where that is known', () => {
    expect(runOf(true, 3)).toMatch(/run 2 {2}create\.status=200 {2}about 3 more to go$/)
    expect(runOf(true, 0)).toMatch(/run 2 {2}create\.status=200$/)
  })

  it('that shows no line that changes gets none of it', () => {
    expect(runOf(false, 3)).toBe('')
  })
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
  progress.began(first, { exercised: 13, planned: 29, jobs: 2 })
  progress.began(first, { exercised: 1, planned: 29, jobs: 2 })
  expect(texts.join('')).toContain('13 of 29 alternatives are exercised: about 13 runs, 28 s.\n')
  expect(texts.join('')).toContain('1 of 29 alternatives is exercised: about 1 run, 4.0 s.\n')
})
