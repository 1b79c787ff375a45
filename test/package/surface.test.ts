import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { root } from './support/cli.ts'

/** The doors as users import them: through the package's own exports. */
const doors = Object.entries(packageJson.exports).filter(([, target]) => typeof target === 'object') as [
  string,
  { default: string },
][]

describe('the public surface', () => {
  it.each(doors)('%s exports just these names', async (door, target) => {
    const names = Object.keys((await import(`${root}${target.default}`)) as object).sort()
    expect({ door, names }).toMatchSnapshot()
  })

  it('needs no package at run time but the optional peers', () => {
    expect(packageJson).not.toHaveProperty('dependencies')
    expect(Object.keys(packageJson.peerDependencies)).toEqual(Object.keys(packageJson.peerDependenciesMeta))
  })
})
