import { execFile } from 'node:child_process'
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { maxHeaderSize } from 'node:http'
import { isBuiltin } from 'node:module'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import lock from '../../package-lock.json' with { type: 'json' }
import { root } from './support/cli.ts'

const read = (file: string): string => readFileSync(`${root}${file}`, 'utf8')

describe('what ships', () => {
  it('brings no other package along, and runs nothing when it is installed', () => {
    for (const kind of ['dependencies', 'optionalDependencies', 'bundleDependencies', 'bundledDependencies'])
      expect(packageJson).not.toHaveProperty(kind)
    for (const script of ['preinstall', 'install', 'postinstall'])
      expect(packageJson.scripts).not.toHaveProperty(script)
  })

  it('is the build, the fixtures and what tells of them', async () => {
    // By node and npm's own file where it is known: npm of Windows is no program.
    const npm = process.env.npm_execpath
    const [program, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm']
    const { stdout } = await promisify(execFile)(
      program ?? 'npm',
      [...first, 'pack', '--dry-run', '--json', '--ignore-scripts'],
      { cwd: root, maxBuffer: 2 ** 24 },
    )
    const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[]
    const others = packed?.files.map(({ path }) => path).filter((path) => !/^(?:dist|fixtures)\//.test(path))
    expect(others?.sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'])
    expect(packed?.files.filter(({ path }) => /(?:^|\/)\.|\.map$|(?<!\.d)\.ts$|\.test\./.test(path))).toEqual(
      [],
    )
  })

  it('keeps the licence of each package that is bundled, which are those that the source imports', () => {
    const named = [...read('dist/THIRD-PARTY-NOTICES.md').matchAll(/^## (\S+) (\S+) \((\S+)\)$/gm)]
    expect(named.map(([, name]) => name).sort()).toEqual([...importedPackages()].sort())
    for (const [, name = '', version, licence] of named) {
      expect(packageJson.devDependencies).toHaveProperty([name])
      expect(lock.packages).toHaveProperty([`node_modules/${name}`, 'version'], version)
      expect(licence).toBe('MIT')
    }
  })
})

/** Packages that the source takes values from, but for the peers, which are the user's own. */
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
  const names = specifiers
    .filter((specifier) => !isBuiltin(specifier))
    .map((specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/'))
  return new Set(names.filter((name) => !(name in packageJson.peerDependencies)))
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
  it('says what is installed by its hash, and not where it is from', () => {
    expect(read('.npmrc')).toContain('omit-lockfile-registry-resolved=true')
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
    // Binaries for other machines, of which the machine that wrote the lockfile has seen no hash.
    const unknown = locked.filter(([, { integrity }]) => integrity === undefined)
    expect(unknown.filter(([, { optional, os, cpu }]) => !optional || (os ?? cpu) === undefined)).toEqual([])
    expect(unknown.length).toBeLessThanOrEqual(37)
  })

  it('takes packages by version alone, and none with an install script that is not known', () => {
    const ranges = Object.values({ ...packageJson.devDependencies, ...packageJson.peerDependencies })
    expect(ranges.filter((range) => !/^[\^~]?\d[\d.]*(?: \|\| \^?\d[\d.]*)*$/.test(range))).toEqual([])
    const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
    // It copies a worker into a folder that package.json names, which ours does not.
    const known = ['node_modules/msw']
    expect(running.filter(([, { optional }]) => !optional).map(([path]) => path)).toEqual(known)
  })
})

describe('the workflows', () => {
  const files = readdirSync(`${root}.github/workflows`)

  it.each(files)('%s takes other actions by their commit', (file) => {
    const uses = [...read(`.github/workflows/${file}`).matchAll(/uses: *(.*)$/gm)].map(([, action]) => action)
    expect(uses).not.toEqual([])
    for (const action of uses) expect(action).toMatch(/^[\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
  })

  it.each(files)('%s runs scripts that exist, and puts nothing from outside into a command', (file) => {
    const commands = [...read(`.github/workflows/${file}`).matchAll(/run: *(.*)$/gm)].map(
      ([, line = '']) => line,
    )
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

  it.each(files)('%s may read the repository alone, but for the statement of a release', (file) => {
    const text = read(`.github/workflows/${file}`)
    expect(text).toMatch(/^permissions:\n {2}contents: read\n\n/m)
    const granted = [...text.matchAll(/^ +[\w-]+: *write$/gm)].map(([line]) => line.trim())
    expect(granted).toEqual(file === 'publish.yml' ? ['id-token: write'] : [])
    expect(text).not.toContain('secrets.')
  })
})

describe('the limits in the README', () => {
  const limits = /\*\*What is limited\.\*\*([\s\S]*?)\n\n\*\*/.exec(read('README.md'))?.[1]

  it.each([
    ['1 MiB (`body.maxSize`), then 413', 'src/service/body-limit.ts', "'1MiB': 1024 * 1024"],
    ['64 MiB below `/__plant-mock/`', 'src/control/listener.ts', 'largestBody = 64 * 1024 * 1024'],
    ['16 MiB, then 413', 'src/service/body-limit.ts', 'mostHeld = 16 * 1024 * 1024'],
    ['10 s for the headers', 'src/server/start.ts', 'headersTimeout = 10_000'],
    ['30 s for the whole request, then 408', 'src/server/start.ts', 'requestTimeout = 30_000'],
    ['the last 1000 requests', 'src/mock/journal.ts', 'defaultJournalSize = 1_000'],
    ['16 Mi characters in all', 'src/mock/body-budget.ts', 'defaultBodyBudget = 16 * 1024 * 1024'],
    ['256; then the one unused for longest', 'src/mock/instances.ts', 'defaultSessions = 256'],
    ['5 s for what is in flight', 'src/server/start.ts', 'grace = 5_000'],
  ])('"%s" is what %s says', (phrase, file, text) => {
    expect(limits).toContain(phrase)
    expect(read(file)).toContain(text)
  })

  it('of headers are those of Node.js', () => {
    expect(limits).toContain('16 KiB together, then 431')
    expect(maxHeaderSize).toBe(16 * 1024)
  })
})
