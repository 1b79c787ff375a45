import { describe, expect, it } from 'vitest'
import { suiteProgress } from '../../../src/vary/suite/progress.ts'

const runOf = (interactive: boolean, further: number | undefined): string => {
  const texts: string[] = []
  suiteProgress({ interactive, log: (text) => void texts.push(text) }, 'alternative').started(
    { set: ['create.status=200'], files: undefined },
    further,
  )
  return texts.join('')
}

describe('while vary works, a terminal', () => {
  it('shows how many runs are planned, where that is known', () => {
    expect(runOf(true, 3)).toMatch(/run 2 {2}create\.status=200 {2}about 3 more to go$/)
    expect(runOf(true, 0)).toMatch(/run 2 {2}create\.status=200$/)
    expect(runOf(true, undefined)).toMatch(/run 2 {2}create\.status=200$/)
  })

  it('that shows no line that changes gets none of it', () => {
    expect(runOf(false, 3)).toBe('')
  })
})
