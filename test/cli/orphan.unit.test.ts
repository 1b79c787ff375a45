import { describe, expect, it } from 'vitest'
import { belongsToParent } from '../../src/cli/terminal.ts'

describe('a program stops with its parent', () => {
  it.each([
    ["'plant-mock'"],
    ['plant-mock run -- vite'],
    ['plant-mock --port 4010'],
    ['npm run build && plant-mock --quiet 2>&1'],
    ['concurrently "plant-mock" vite'],
  ])('if an npm script starts it: %s', (script) => {
    expect(belongsToParent({ npm_lifecycle_script: script })).toBe(true)
  })

  it.each([['plant-mock & vite'], ['nohup plant-mock'], ['setsid plant-mock --quiet'], ['vitest run'], [undefined]])(
    'but not otherwise, such as in the background: %s',
    (script) => {
      expect(belongsToParent({ npm_lifecycle_script: script })).toBe(false)
    },
  )
})
