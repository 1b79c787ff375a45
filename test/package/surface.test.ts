import { readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { root } from './support/cli.ts'

type Conditions = { readonly default: string }

const entryPoints = Object.entries(packageJson.exports).filter(([, target]) => typeof target === 'object') as [
  string,
  Conditions & { import?: Conditions },
][]

describe('the public surface', () => {
  it.each(entryPoints)('%s exports exactly these names', async (entryPoint, target) => {
    const names = Object.keys((await import(`${root}${(target.import ?? target).default}`)) as object).sort()
    expect({ entryPoint, names }).toMatchSnapshot()
  })
})

const imports = (
  file: string,
  found = new Map<string, readonly string[]>(),
): ReadonlyMap<string, readonly string[]> => {
  if (found.has(file)) return found
  const text = readFileSync(file, 'utf8')
  const specifiers = [
    ...text.matchAll(/(?<=^|;)(?:import|export)\b[^'"()=]*["']([^"']+)["'];|\bimport\(["']([^"']+)["']\)/gm),
  ]
  const targets = specifiers.map(([, first, second]) => first ?? second ?? '')
  const isFile = (target: string) => target.startsWith('.')
  found.set(
    file,
    targets.filter((target) => !isFile(target)),
  )
  for (const target of targets.filter(isFile)) imports(resolve(dirname(file), target), found)
  return found
}

describe('the build', () => {
  it.each(['index', 'msw', 'data', 'control', 'fixtures', 'conformance', 'contract'])(
    'loads no module of Node.js for %s, which browsers use',
    (entryPoint) => {
      const modules = [...imports(`${root}dist/${entryPoint}.js`).values()].flat()
      expect(modules.filter((name) => isBuiltin(name))).toEqual([])
    },
  )

  it('loads modules of Node.js for the other entry points', () => {
    expect([...imports(`${root}dist/node.js`).values()].flat()).toContain('node:http')
  })

  it('loads the fixture generator only for plant-mock/fixtures', () => {
    const loads = (entryPoint: string) =>
      [...imports(`${root}dist/${entryPoint}.js`).keys()].map((file) => /factory-/.test(file))
    expect(loads('fixtures')).toContain(true)
    for (const entryPoint of ['index', 'msw', 'contract']) expect(loads(entryPoint)).not.toContain(true)
  })
})
