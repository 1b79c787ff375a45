import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const src = fileURLToPath(new URL('../src', import.meta.url))

/** The rooms from the top down; a room imports only from those above it. */
const rooms = [
  'contract',
  'store',
  'service',
  'behaviour',
  'mock',
  'fixtures',
  'adapters',
  'control',
  'dashboard',
  'upstream',
  'server',
  'conformance',
  'kit',
  'cli',
]
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

const importsOf = (file: string): readonly string[] => {
  const text = readFileSync(join(src, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => target)
}
/** What is there at run time: types leave no import behind. */
const runtimeImportsOf = (file: string): readonly string[] => {
  const text = readFileSync(join(src, file), 'utf8').replaceAll(/^(?:im|ex)port type [^']*'[^']+'/gm, '')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => target)
}
const inSrc = (file: string, target: string): string => relative(src, resolve(src, dirname(file), target))
const local = (file: string, imports = importsOf): readonly string[] =>
  imports(file)
    .filter((target) => target.startsWith('.') && target.endsWith('.ts'))
    .map((target) => inSrc(file, target))
const roomOf = (file: string): string => file.split('/')[0] ?? ''

/** All files that a door brings with it. */
const reachable = (door: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(door)) return seen
  seen.add(door)
  for (const target of local(door, runtimeImportsOf)) reachable(target, seen)
  return seen
}
const packagesOf = (door: string): readonly string[] => [
  ...new Set(
    [...reachable(door)].flatMap((file) => importsOf(file)).filter((target) => !target.startsWith('.')),
  ),
]

describe('the house', () => {
  const inRooms = files.filter((file) => file.includes('/'))

  it('has no rooms but those of the design', () => {
    expect([...new Set(inRooms.map(roomOf))].filter((room) => !rooms.includes(room))).toEqual([])
  })

  it.each(inRooms)('%s imports only from its own room and those above', (file) => {
    const below = local(file).filter((target) => rooms.indexOf(roomOf(target)) > rooms.indexOf(roomOf(file)))
    expect(below).toEqual([])
    expect(local(file).filter((target) => !target.includes('/'))).toEqual([])
  })

  it.each(['contract', 'store', 'service', 'behaviour', 'mock'])(
    '%s/ knows no transport: no node: module, no msw',
    (room) => {
      const packages = inRooms
        .filter((file) => roomOf(file) === room)
        .flatMap(importsOf)
        .filter((target) => !target.startsWith('.'))
      expect(packages.filter((name) => name.startsWith('node:') || /^@?msw/.test(name))).toEqual([])
    },
  )
})

describe('the doors', () => {
  it.each([
    ['index.ts', ['leven', 'valibot']],
    ['msw.ts', ['leven', 'msw', 'valibot']],
    ['data.ts', []],
    ['control.ts', []],
    ['fixtures.ts', ['@faker-js/faker']],
    ['conformance.ts', ['valibot']],
    ['contract.ts', ['@valibot/to-json-schema', 'leven', 'valibot']],
  ])('%s is safe for the browser, and brings %j', (door, packages) => {
    expect([...packagesOf(door)].sort()).toEqual(packages)
  })

  it.each([
    ['vite.ts', 'nothing of vite but its types', []],
    ['playwright.ts', 'Playwright', ['@playwright/test']],
  ])('%s needs %s', (door, _, packages) => {
    const loaded = new Set([...reachable(door)].flatMap(runtimeImportsOf))
    expect([...loaded].filter((target) => /^(@playwright|playwright|vite)\b/.test(target))).toEqual(packages)
  })

  it('the generator is loaded by no door but its own, and by the command line when it is asked for', () => {
    const statically = (file: string) =>
      readFileSync(join(src, file), 'utf8').match(/^import .*factory\.ts'$/m) !== null
    expect(files.filter(statically)).toEqual(['cli/generate.ts'])
  })
})
