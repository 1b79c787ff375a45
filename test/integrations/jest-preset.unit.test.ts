import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { getCacheKey, process } from '../../src/integrations/jest-babel.ts'
import { transform, transformIgnorePatterns } from '../../src/jest-preset.ts'

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url))

const compile = (source: string): string => process(source, '/app/node_modules/rettime/index.js').code

describe('the transformer for packages below msw', () => {
  it('compiles an ES module to CommonJS, and keeps its lines', () => {
    const code = compile(
      'import {\n  a,\n} from "m"\n\nexport const lines = new Error(a).stack\nexport default import.meta.url',
    )
    const exports: Record<string, unknown> = {}
    const modules: Readonly<Record<string, unknown>> = { m: { a: 'a of m' }, 'node:url': { pathToFileURL } }
    new Function('require', 'exports', '__filename', code)((name: string) => modules[name], exports, '/module.js')
    expect(exports).toEqual({ lines: expect.stringContaining('a of m'), default: 'file:///module.js' })
    expect(code.split('\n')[4]).toContain('new Error')
  })

  it('leaves CommonJS as it is, and ES modules that Jest loads as such', () => {
    const script = 'module.exports = function () { return this }'
    expect(compile(script).replaceAll(/[\s;]/g, '')).toBe(script.replaceAll(' ', ''))
    const source = 'export const a = 1'
    expect(process(source, '/module.js', { supportsStaticESM: true }).code).toBe(source)
  })

  it('has another key in the cache of Jest for another text, path or kind of module', () => {
    const keys = [
      getCacheKey('a', '/a.js', {}),
      getCacheKey('b', '/a.js', {}),
      getCacheKey('a', '/b.js', {}),
      getCacheKey('a', '/a.js', { supportsStaticESM: true }),
      getCacheKey('a', '/a.js', { configString: '{}' }),
    ]
    expect(new Set(keys).size).toBe(keys.length)
    expect(getCacheKey('a', '/a.js', {})).toBe(keys[0])
  })
})

const matches = (patterns: readonly string[], path: string): boolean =>
  patterns.some((pattern) => new RegExp(pattern).test(path))
const compiles = (path: string): boolean =>
  Object.entries(transform)
    .find(([pattern]) => new RegExp(pattern).test(path))?.[1]
    .endsWith('.cjs') === true && !matches(transformIgnorePatterns, path)

describe('the preset for Jest', () => {
  it.each([
    '/app/node_modules/until-async/lib/index.js',
    '/app/node_modules/rettime/build/index.mjs',
    '/app/node_modules/@open-draft/deferred-promise/build/index.mjs',
    '/app/node_modules/.pnpm/rettime@0.11.12/node_modules/rettime/build/index.mjs',
    '/app/node_modules/msw/node_modules/until-async/lib/index.js',
  ])('compiles %s', (path) => {
    expect(compiles(path)).toBe(true)
  })

  it.each([
    '/app/src/msw/index.js',
    '/app/node_modules/react/index.js',
    '/app/node_modules/msw-storybook-addon/index.js',
    '/app/node_modules/.pnpm/react@19.0.0/node_modules/react/index.js',
  ])('leaves %s', (path) => {
    expect(compiles(path)).toBe(false)
  })

  type Manifest = { type?: string; main?: string; exports?: unknown; dependencies?: Record<string, string> }
  const manifestOf = (name: string): Manifest =>
    JSON.parse(readFileSync(`${modules}${name}/package.json`, 'utf8')) as Manifest
  const isModuleOnly = (name: string): boolean => {
    const { type, exports, main } = manifestOf(name)
    return type === 'module' && !/"require"|\.cjs"/.test(JSON.stringify(exports ?? main ?? ''))
  }
  // Only the command line of msw and the types of msw need these packages.
  const notLoaded = ['@inquirer/confirm', 'type-fest', 'yargs', 'picocolors']
  const belowMsw = ['msw', '@mswjs/interceptors'].flatMap((name) => Object.keys(manifestOf(name).dependencies ?? {}))
  const modulesBelowMsw = belowMsw.filter((name) => !notLoaded.includes(name) && isModuleOnly(name))

  it.each(modulesBelowMsw)('compiles each file of %s, a package below msw', (name) => {
    const { resolve: find } = createRequire(`${modules}msw/package.json`)
    const folder = dirname(find(name))
    const files = readdirSync(folder).filter((file) => /\.m?js$/.test(file))
    expect(files).not.toEqual([])
    for (const file of files) {
      const path = resolve(folder, file)
      expect(compiles(path)).toBe(true)
      const code = process(readFileSync(path, 'utf8'), path).code
      expect(() => new Function('require', 'exports', code)).not.toThrow()
    }
  })

  it('knows packages below msw', () => {
    expect(modulesBelowMsw).toContain('rettime')
    expect(existsSync(`${modules}rettime`)).toBe(true)
  })
})
