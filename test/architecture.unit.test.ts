import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

/** From the top down: a folder imports only from those above it. */
const folders = [
  'util',
  'assumptions',
  'contract',
  'http',
  'store',
  'operations',
  'service',
  'faults',
  'journal',
  'fixtures',
  'mock',
  'persist',
  'redis',
  'adapters',
  'control',
  'upstream',
  'dashboard',
  'server',
  'conformance',
  'integrations',
  'suite',
  'vary',
  'cli',
]
/** They hold no transport: neither a module of Node.js nor msw is imported there. */
const portable = folders.slice(0, folders.indexOf('fixtures'))
/** Reads a file, for callers on Node.js; no entry point for the browser reaches it. */
const exceptions = ['assumptions/load-file.ts']

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const textOf = (file: string): string => readFileSync(join(src, file), 'utf8')

const specifiers = (text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => target)
const importsOf = (file: string): readonly string[] => specifiers(textOf(file))
/** Type imports leave nothing behind at run time. */
const runtimeImportsOf = (file: string): readonly string[] =>
  specifiers(textOf(file).replaceAll(/^(?:im|ex)port type [^']*'[^']+'/gm, ''))

const localImportsOf = (file: string, imports = importsOf): readonly string[] =>
  imports(file)
    .filter((target) => target.startsWith('.') && target.endsWith('.ts'))
    .map((target) => relative(src, resolve(src, dirname(file), target)))
const folderOf = (file: string): string => file.split('/')[0] ?? ''
const isPackage = (target: string): boolean => !target.startsWith('.')

/** Every file that an entry point loads or may load. */
const reachable = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const target of localImportsOf(file, runtimeImportsOf)) reachable(target, seen)
  return seen
}
const packagesOf = (file: string): readonly string[] => [
  ...new Set([...reachable(file)].flatMap(runtimeImportsOf).filter(isPackage)),
]

describe('the folders of src/', () => {
  const inFolders = files.filter((file) => file.includes('/'))

  it('are those of the architecture', () => {
    expect([...new Set(inFolders.map(folderOf))].filter((folder) => !folders.includes(folder))).toEqual([])
  })

  it.each(inFolders)('%s imports only from its own folder and those above', (file) => {
    const position = folders.indexOf(folderOf(file))
    const below = localImportsOf(file).filter((target) => folders.indexOf(folderOf(target)) > position)
    expect(below).toEqual([])
    expect(localImportsOf(file).filter((target) => !target.includes('/'))).toEqual([])
  })

  it.each(portable)('%s/ imports neither Node.js nor msw', (folder) => {
    const packages = inFolders
      .filter((file) => folderOf(file) === folder && !exceptions.includes(file))
      .flatMap(importsOf)
    expect(packages.filter((name) => name.startsWith('node:') || /^@?msw/.test(name))).toEqual([])
  })

  it('name no variable "of", which some parsers of TypeScript refuse in a for loop', () => {
    const named = files.filter((file) => /\b(?:const|let|var|function) of\b|[([{,]\s*of\s*[,)\]}:=]/.test(textOf(file)))
    expect(named).toEqual([])
  })
})

describe('the entry points', () => {
  it.each([
    ['index.ts', ['leven']],
    ['msw.ts', ['leven', 'msw']],
    ['data.ts', []],
    ['control.ts', ['leven']],
    ['fixtures.ts', ['@faker-js/faker', 'leven']],
    ['conformance.ts', ['leven']],
    ['contract.ts', ['leven']],
  ])('%s is safe for the browser, and loads the packages %j', (entryPoint, packages) => {
    expect([...packagesOf(entryPoint)].sort()).toEqual(packages)
  })

  it.each([
    ['vite.ts', 'only types of Vite', []],
    ['playwright.ts', 'Playwright', ['@playwright/test']],
  ])('%s loads %s', (entryPoint, _, packages) => {
    const loaded = packagesOf(entryPoint)
    expect(loaded.filter((target) => /^(@playwright|playwright|vite)\b/.test(target))).toEqual(packages)
  })

  it('load the fixture generator only for plant-mock/fixtures and for the command line on demand', () => {
    const importsGenerator = (file: string) => /^import .*factory\.ts'$/m.test(textOf(file))
    expect(files.filter(importsGenerator)).toEqual(['cli/generate.ts'])
  })
})

describe('a test file', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ts$/.test(file) && !/samples\/|consumer|node_modules|bench|soak/.test(file))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))
  const those = (pattern: RegExp) => tests.filter(({ text }) => pattern.test(text)).map(({ file }) => file)

  it('that replaces a global has a process of its own', () => {
    expect(those(/^[^'`]*vi\.(?:useFakeTimers|stubGlobal)\(/m).filter((file) => !file.includes('.isolated.'))).toEqual(
      [],
    )
  })

  it('that skips tests prints the reason', () => {
    expect(those(/\.skipIf\((?!skips)/)).toEqual([])
  })

  it('shares no hook of a module in support/, which would belong to the first file of a worker alone', () => {
    expect(those(/^(?:after|before)(?:Each|All)\(/m).filter((file) => file.includes('support/'))).toEqual([])
  })
})
