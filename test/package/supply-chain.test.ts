import { accessSync, constants, readdirSync, readFileSync, statSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { root } from './support/cli.ts'
import { packedFiles } from './support/packed.ts'

const peersOf: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    ['index', 'node', 'redis', 'control', 'fixtures', 'contract', 'conformance'].map((name) => [name, []]),
  ),
  msw: ['msw'],
  data: ['@msw/data'],
  vite: ['vite'],
  playwright: ['@playwright/test'],
  jest: ['msw'],
  vitest: ['msw', 'vitest'],
}

const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8')

const licencesOtherThanMit: Readonly<Record<string, string>> = { sax: 'BlueOak-1.0.0', yaml: 'ISC' }

describe('the package', () => {
  it('has no dependencies but optional peers, and no install scripts', () => {
    for (const kind of ['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies'])
      expect(packageJson).not.toHaveProperty(kind)
    expect(Object.keys(packageJson.peerDependencies)).toEqual(Object.keys(packageJson.peerDependenciesMeta))
    for (const script of ['preinstall', 'install', 'postinstall'])
      expect(packageJson.scripts).not.toHaveProperty(script)
  })

  it('contains the build, the fixtures and the documents', async () => {
    const files = await packedFiles()
    const others = files.filter((file) => !/^(?:dist|fixtures)\/|^src\/guides\/[\w-]+\.md$/.test(file))
    expect([...others].sort()).toEqual([
      '.github/SECURITY.md',
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'package.json',
      'src/core/contract/contract.md',
      'src/guides/mutate.svg',
      'src/guides/vary.svg',
      'src/server/dashboard/page/screenshot.png',
      'test/bench/results.svg',
    ])
    expect(files.filter((file) => /\.map$|(?<!\.d)\.ts$|\.test\./.test(file))).toEqual([])
  })

  it('takes at most 2.5 MB', async () => {
    const sizes = (await packedFiles()).map((file) => statSync(`${root}${file}`).size)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(2_500_000)
  })

  it('declares its types without any package but the optional peers', async () => {
    const declarations = (await packedFiles()).filter((file) => file.endsWith('.d.ts'))
    const packages = declarations.flatMap((file) =>
      [...read(file).matchAll(/\b(?:from |import\()['"]([^.'"][^'"]*)['"]/g)].map(([, specifier = '']) => specifier),
    )
    const others = packages.filter((name) => !isBuiltin(name) && !(packageOf(name) in packageJson.peerDependencies))
    expect(packages).toContain('msw')
    expect(others).toEqual([])
  })

  it.each(Object.entries(peersOf))('declares the types of %s with the peers %j alone', (name, peers) => {
    const imported = [...typeImports(`dist/${name}.d.ts`)].filter((specifier) => !isBuiltin(specifier)).map(packageOf)
    expect([...new Set(imported)].sort()).toEqual(peers)
  })

  it('includes the licence of each bundled package, which are those that the source imports', () => {
    const named = [...read('dist/THIRD-PARTY-NOTICES.md').matchAll(/^## (\S+) (\S+) \((\S+)\)$/gm)]
    const imported = [...importedPackages()].filter((name) => name !== '@babel/core') // Jest has it.
    expect(named.map(([, name]) => name).sort()).toEqual([...imported, ...helpersOfBabel].sort())
    for (const name of imported) expect(packageJson.devDependencies).toHaveProperty([name])
    for (const [, name = '', version, licence] of named) {
      expect(lock.packages).toHaveProperty([`node_modules/${name}`, 'version'], version)
      expect(licence).toBe(licencesOtherThanMit[name] ?? 'MIT')
    }
  })
})

const helpersOfBabel = ['module-imports', 'module-transforms', 'plugin-utils', 'validator-identifier'].map(
  (name) => `@babel/helper-${name}`,
)

const typeImports = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return new Set()
  seen.add(file)
  const specifiers = [...read(file).matchAll(/\b(?:from |import\()['"]([^'"]+)['"]/g)].map(([, name = '']) => name)
  return new Set(
    specifiers.flatMap((name) =>
      name.startsWith('.') ? [...typeImports(join(dirname(file), name.replace(/\.ts$/, '.d.ts')), seen)] : [name],
    ),
  )
}

const packageOf = (specifier: string): string => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')

const importedPackages = (): ReadonlySet<string> => {
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  const specifiers = files
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => [
      ...read(`src/${file}`).matchAll(
        /^(?:import|export) (?!type )[^'`]*?from '([^.'][^']*)'|import\('([^.'][^']*)'\)/gm,
      ),
    ])
    .map(([, named, loaded]) => named ?? loaded ?? '')
  const names = specifiers.filter((specifier) => !isBuiltin(specifier)).map(packageOf)
  return new Set(names.filter((name) => !(name in packageJson.peerDependencies) && name !== packageJson.name))
}

type Locked = {
  readonly resolved?: string
  readonly integrity?: string
  readonly optional?: boolean
  readonly os?: readonly string[]
  readonly cpu?: readonly string[]
  readonly hasInstallScript?: boolean
}
const locked = Object.entries(lock.packages as Record<string, Locked>).filter(([path]) => path !== '')

describe('package-lock.json', () => {
  it('has the hash of each package, and no address of a registry', () => {
    expect(read('.npmrc')).toContain('omit-lockfile-registry-resolved=true')
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
    // npm records no hash for binaries of other platforms, which it never downloads.
    const unknown = locked.filter(([, { integrity }]) => integrity === undefined)
    expect(unknown.filter(([, { optional, os, cpu }]) => !optional || (os ?? cpu) === undefined)).toEqual([])
    expect(unknown.length).toBeLessThanOrEqual(37)
  })

  it('names packages by version, and none has an unknown install script', () => {
    const ranges = Object.values({ ...packageJson.devDependencies, ...packageJson.peerDependencies })
    expect(ranges.filter((range) => !/^[\^~]?\d[\d.]*(?: \|\| \^?\d[\d.]*)*$/.test(range))).toEqual([])
    const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
    // msw's script copies a worker into the folder that package.json names; this package.json names no folder.
    const known = ['node_modules/msw']
    expect(running.filter(([, { optional }]) => !optional).map(([path]) => path)).toEqual(known)
  })
})

describe('the workflows', () => {
  const files = readdirSync(`${root}.github/workflows`)

  it.each(files)('%s pins other actions to a commit', (file) => {
    const uses = [...read(`.github/workflows/${file}`).matchAll(/uses: *(.*)$/gm)].map(([, action]) => action)
    expect(uses).not.toEqual([])
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it.each(files)('%s runs existing scripts, and interpolates nothing into a command', (file) => {
    const commands = [...read(`.github/workflows/${file}`).matchAll(/run: *(.*)$/gm)].map(([, line = '']) => line)
    expect(commands).not.toEqual([])
    for (const command of commands) {
      expect(command).not.toContain('${{')
      const [, script] = /^npm run (\S+)/.exec(command) ?? []
      if (script !== undefined) expect(packageJson.scripts).toHaveProperty([script])
      const [program = ''] = command.split(' ')
      if (program.startsWith('.')) accessSync(`${root}${program}`, constants.X_OK)
      else expect(['npm', 'node', 'test']).toContain(program)
    }
  })

  it.each(files)('%s has read access to the repository; publishing may also sign', (file) => {
    const text = read(`.github/workflows/${file}`)
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m)
    const granted = [...text.matchAll(/^ +[\w-]+: *write$/gm)].map(([line]) => line.trim())
    expect(granted).toEqual(file === 'publish.yml' ? ['id-token: write'] : [])
    expect(text).not.toContain('secrets.')
  })
})
