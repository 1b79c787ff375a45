import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import nodeModule from 'node:module'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { openFolder } from '../support/folder.ts'
import { skipsRedis, startRedis } from '../support/redis-server.ts'
import { skipsUnless } from '../support/skips.ts'
import { as } from '../support/targets.ts'
import { finish, preloaded, root, serve, stopAll } from './support/cli.ts'

const folder = await openFolder()
afterEach(stopAll)

it('names the limit of headers that Node.js has', async () => {
  const { url } = await serve([], { env: { NODE_OPTIONS: '--max-http-header-size=4096' } })
  const response = await fetch(`${url}/plants`, { headers: { 'x-long': 'y'.repeat(5_000) } })
  expect([response.status, await response.json()]).toMatchObject([
    431,
    { detail: 'The headers together are limited to 4 KiB.' },
  ])
})

describe('an unsupported Node.js', () => {
  const setVersion = (version: string) =>
    preloaded(`Object.defineProperty(process.versions, 'node', { value: '${version}' })`)

  it.each([
    ['12.22.12', [], false],
    ['18.20.8', ['verify', 'http://127.0.0.1:9'], false],
    ['20.18.3', ['--version'], false],
    ['20.19.0', ['--version'], true],
    ['22.1.0', ['--version'], true],
  ])('is refused in words, before anything else loads: %s %j', async (version, args, isSupported) => {
    const { code, error } = await finish(args, { env: setVersion(version) })
    const minimum = packageJson.engines.node.replace('>=', '')
    const message = `plant-mock: Node.js ${version} is too old. Use Node.js ${minimum} or later.\n`
    expect([code, error]).toEqual(isSupported ? [0, ''] : [2, message])
  })

  it('can read the program', async () => {
    const text = await readFile(`${root}dist/bin.js`, 'utf8')
    // Node.js 12 has no optional chaining, nullish coalescing and top-level await.
    expect(text).not.toMatch(/\?\.\D|\?\?|^import\b/m)
    expect(() => new Function(text.slice(text.indexOf('\n')).replace('import(', 'load('))).not.toThrow()
  })
})

type Loaded = { readonly files: readonly string[]; readonly builtins: readonly string[] }

const recordLoaded = (file: string): Record<string, string> =>
  preloaded(`
    const { getBuiltinModule: builtin } = process
    const urls = []
    const session = new (builtin('node:inspector').Session)()
    session.connect()
    session.on('Debugger.scriptParsed', ({ params }) => urls.push(params.url))
    session.post('Debugger.enable')
    const response = builtin('node:http').ServerResponse.prototype
    const { writeHead } = response
    response.writeHead = function (...parts) {
      const files = urls.filter((url) => url.includes('/dist/') && !url.includes('/node_modules/'))
      const builtins = process.moduleLoadList.map((name) => name.replace('NativeModule ', ''))
      builtin('node:fs').writeFileSync(${JSON.stringify(file)}, JSON.stringify({ files, builtins }))
      return writeHead.apply(this, parts)
    }`)

const loadedIn = async (file: string): Promise<Loaded> => {
  const { files, builtins } = JSON.parse(await readFile(file, 'utf8')) as Loaded
  // chunks/core-Ab12Cd34.js is core.
  const names = files.map((url) => url.replace(/^.*\/|(?:-[\w-]{8})?\.js$/g, ''))
  // A module that is imported on demand may have a second file, which only exports it.
  return { builtins, files: [...new Set(names)].sort() }
}

describe('plant-mock serve', () => {
  it('has loaded four files at its first response, and the control interface at the first request to that', async () => {
    const file = join(folder, 'default.json')
    const { url } = await serve([], { env: recordLoaded(file) })
    await (await fetch(`${url}/plants?limit=20`, as('alice'))).text()
    expect((await loadedIn(file)).files).toEqual(['bin', 'core', 'rolldown-runtime', 'serve'])
    await (await fetch(`${url}/__plant-mock/state`)).text()
    expect((await loadedIn(file)).files).toEqual(['bin', 'control', 'core', 'documents', 'rolldown-runtime', 'serve'])
  })

  it('has not loaded the modules of Node.js for files and streams of files at its first response', async () => {
    const file = join(folder, 'quiet.json')
    const { url } = await serve(['--quiet'], { env: recordLoaded(file) })
    await (await fetch(`${url}/plants?limit=20`, as('alice'))).text()
    const avoided = ['fs/promises', 'internal/fs/streams', 'readline']
    const { builtins } = await loadedIn(file)
    expect(builtins).toContain('http')
    expect(builtins.filter((name) => avoided.includes(name))).toEqual([])
  })

  it('loads the fixture generator when plants are generated', async () => {
    const file = join(folder, 'generated.json')
    const { url } = await serve(['--plants', '3'], { env: recordLoaded(file) })
    await (await fetch(`${url}/plants`, as('alice'))).text()
    expect((await loadedIn(file)).files).toEqual(['bin', 'core', 'factory', 'faker', 'rolldown-runtime', 'serve'])
  })

  it('loads the parser of YAML for a file of YAML alone', async () => {
    const [file, fixtures] = [join(folder, 'yaml.json'), join(folder, 'plants.yaml')]
    await writeFile(fixtures, 'plants: [{ name: Monstera, tag: indoor }]')
    const { url } = await serve(['--fixtures', fixtures], { env: recordLoaded(file) })
    await (await fetch(`${url}/plants`, as('alice'))).text()
    expect((await loadedIn(file)).files).toContain('yaml')
  })
})

describe.skipIf(skipsRedis)('plant-mock serve --store', () => {
  it('loads the shared state, which no other server does', async () => {
    const redis = await startRedis()
    const file = join(folder, 'store.json')
    const { url } = await serve([], { env: { ...recordLoaded(file), PLANT_MOCK_STORE: redis.url } })
    await (await fetch(`${url}/plants?limit=20`, as('alice'))).text()
    expect((await loadedIn(file)).files).toEqual([
      'bin',
      'caller-key',
      'core',
      'rolldown-runtime',
      'serve',
      'shared-state',
      'shared-store',
    ])
    stopAll()
    await redis.close()
  })
})

describe('the compile cache of Node.js', () => {
  const skipsCache = skipsUnless('enableCompileCache' in nodeModule, 'the compile cache of Node.js 22.8')

  it.skipIf(skipsCache)('is in the temporary folder', async () => {
    const TMPDIR = join(folder, 'cached')
    await mkdir(TMPDIR)
    await finish(['--version'], { env: { TMPDIR } })
    expect(existsSync(join(TMPDIR, 'node-compile-cache'))).toBe(true)
  })

  it.skipIf(skipsCache)('is off with NODE_DISABLE_COMPILE_CACHE', async () => {
    const TMPDIR = join(folder, 'uncached')
    await mkdir(TMPDIR)
    await finish(['--version'], { env: { TMPDIR, NODE_DISABLE_COMPILE_CACHE: '1' } })
    expect(existsSync(join(TMPDIR, 'node-compile-cache'))).toBe(false)
  })

  it('creates no temporary folder', async () => {
    const TMPDIR = join(folder, 'missing')
    expect(await finish(['--version'], { env: { TMPDIR } })).toMatchObject({ code: 0, error: '' })
    expect(existsSync(TMPDIR)).toBe(false)
  })
})
