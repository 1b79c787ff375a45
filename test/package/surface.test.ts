import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { root } from './support/cli.ts'

/** The entry points, imported through the exports of package.json as users import them. */
const entryPoints = Object.entries(packageJson.exports).filter(([, target]) => typeof target === 'object') as [
  string,
  { default: string },
][]

describe('the public surface', () => {
  it.each(entryPoints)('%s exports exactly these names', async (entryPoint, target) => {
    const names = Object.keys((await import(`${root}${target.default}`)) as object).sort()
    expect({ entryPoint, names }).toMatchSnapshot()
  })

  it('has optional peers as its only dependencies', () => {
    expect(packageJson).not.toHaveProperty('dependencies')
    expect(Object.keys(packageJson.peerDependencies)).toEqual(Object.keys(packageJson.peerDependenciesMeta))
  })
})
