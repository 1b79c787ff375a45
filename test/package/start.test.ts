import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import nodeModule from 'node:module'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { openFolder, openTestFolder } from '../support/folder.ts'
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
    // Node.js 12 lacks optional chaining, nullish coalescing and top-level await.
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

const startRecorded = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const file = join(await openTestFolder(), 'loaded.json')
  const { url } = await serve(args, { env: { ...recordLoaded(file), ...env } })
  const loaded = async (path = '/plants?limit=20'): Promise<Loaded> => {
    await (await fetch(url + path, as('alice'))).text()
    const { files, builtins } = JSON.parse(await readFile(file, 'utf8')) as Loaded
    // Removes the hash from a chunk's name: chunks/core-Ab12Cd34.js becomes core.
    const names = files.map((url) => url.replace(/^.*\/|(?:-[\w-]{8})?\.js$/g, ''))
    // A module that is imported on demand may have a second chunk, which only re-exports the first.
    return { builtins, files: [...new Set(names)].sort() }
  }
  return loaded
}

describe('plant-mock serve', () => {
  it('has loaded four files at its first response, and the control interface at the first request to that', async () => {
    const loaded = await startRecorded([])
    expect((await loaded()).files).toEqual(['bin', 'core', 'rolldown-runtime', 'serve'])
    const { files } = await loaded('/__plant-mock/state')
    expect(files).toEqual(['bin', 'control', 'core', 'documents', 'rolldown-runtime', 'serve'])
  })

  it('has not loaded the modules of Node.js for files and streams of files at its first response', async () => {
    const { builtins } = await (await startRecorded(['--quiet']))()
    expect(builtins).toContain('http')
    for (const avoided of ['fs/promises', 'internal/fs/streams', 'readline']) expect(builtins).not.toContain(avoided)
  })

  it('loads the fixture generator when plants are generated', async () => {
    const { files } = await (await startRecorded(['--plants', '3']))()
    expect(files).toEqual(['bin', 'core', 'factory', 'faker', 'rolldown-runtime', 'serve'])
  })

  it('loads the parser of YAML for a file of YAML alone', async () => {
    const fixtures = join(folder, 'plants.yaml')
    await writeFile(fixtures, 'plants: [{ name: Monstera, tag: indoor }]')
    const { files } = await (await startRecorded(['--fixtures', fixtures]))()
    expect(files).toContain('yaml')
  })

  it.skipIf(skipsRedis)('loads the shared state for --store, which no other server does', async () => {
    const redis = await startRedis()
    const { files } = await (await startRecorded([], { PLANT_MOCK_STORE: redis.url }))()
    expect(files.filter((name) => !['bin', 'core', 'rolldown-runtime', 'serve'].includes(name))).toEqual([
      'caller-key',
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
