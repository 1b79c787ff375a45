import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { toCommonJs } from '../../src/integrations/jest-transform.ts'
import { transform, transformIgnorePatterns } from '../../src/jest-preset.ts'

const modules = fileURLToPath(new URL('../../node_modules/', import.meta.url))

/** Evaluates what was compiled; `required` holds the modules that it requires. */
const evaluate = (source: string, required: Readonly<Record<string, unknown>> = {}): Record<string, unknown> => {
  const exports: Record<string, unknown> = {}
  const load = (name: string) => required[name] ?? expect.fail(`requires ${name}`)
  new Function('require', 'exports', '__filename', toCommonJs(source, '/module.js'))(load, exports, '/module.js')
  return exports
}

describe('an ES module as CommonJS', () => {
  it.each([
    ['export const a = 1', { a: 1 }],
    ['const a = 1, b = 2\nexport { a, b as c };', { a: 1, c: 2 }],
    ['export let a = 1\na = 2', { a: 2 }],
    ['export function a() {\n  return 1\n}\nexport const b = a()', { a: expect.any(Function), b: 1 }],
    ['export async function a() {}', { a: expect.any(Function) }],
    ['export class A {}', { A: expect.any(Function) }],
    ['export default 1', { default: 1 }],
    ['import { a } from "m"\nexport const b = a', { b: 'a of m' }],
    ['import { a as b, default as d } from "m";\nexport { b, d }', { b: 'a of m', d: 'default of m' }],
    ['import {\n  a,\n} from "m"\nexport { a }', { a: 'a of m' }],
    ['import d, { a } from "m"\nexport const both = [d, a]', { both: ['default of m', 'a of m'] }],
    ['import * as all from "m"\nexport const a = all.a', { a: 'a of m' }],
    ['import d from "plain"\nexport const b = d.b', { b: 'b of plain' }],
    ['import "m"\nexport {}', {}],
    ['export { a as b } from "m"', { b: 'a of m' }],
    ['export * from "m"', { a: 'a of m' }],
    ['export * as all from "plain"', { all: { b: 'b of plain' } }],
    ['export const url = import.meta.url', { url: 'file:///module.js' }],
    ['const text = `\n  export { a }\n`\nimport_a.x\nexport { text }\nvar import_a = 1', undefined],
  ])('exports the same: %j', (source, expected) => {
    const m = { __esModule: true, default: 'default of m', a: 'a of m' }
    const exports = evaluate(source.replace('import_a.x\n', ''), {
      m,
      plain: { b: 'b of plain' },
      'node:url': { pathToFileURL: (path: string) => ({ href: `file://${path}` }) },
    })
    if (expected !== undefined) expect(exports).toEqual(expected)
  })

  it('keeps its lines', () => {
    const compiled = toCommonJs('import {\n  a,\n} from "m"\n\nthrow new Error(a)', '/module.js')
    expect(compiled.split('\n')[4]).toBe('throw new Error(a)')
  })

  it('is unchanged if it is CommonJS already', () => {
    const source = 'const import_m = require("m")\nimport_m.a()\nmodule.exports = import("x")'
    expect(toCommonJs(source, '/module.js')).toBe(source)
  })

  it('is refused by file and line when a statement is unknown', () => {
    expect(() => toCommonJs('const a = 1\nexport const { b } = a', '/module.js')).toThrow(
      'plant-mock/jest-preset cannot compile line 2 of /module.js',
    )
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
  // For the command line of msw, and types.
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
      const code = toCommonJs(readFileSync(path, 'utf8'), path)
      expect(() => new Function('require', 'exports', code)).not.toThrow()
    }
  })

  it('knows packages below msw', () => {
    expect(modulesBelowMsw).toContain('rettime')
    expect(existsSync(`${modules}rettime`)).toBe(true)
  })
})
