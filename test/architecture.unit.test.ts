import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { needsPrograms, secondRuns } from './support/matrix.ts'

const src = fileURLToPath(new URL('../src', import.meta.url))

/** A file may import only from its own folder and from folders that are listed earlier. */
const wings = {
  util: [''],
  core: [
    'assumptions',
    'contract',
    'http',
    'operations',
    'model',
    'faults',
    'journal',
    'recording',
    'fixtures',
    'mock',
  ],
  server: ['files', 'persist', 'replication', 'listener', 'control', 'upstream', 'dashboard', 'start'],
  verify: ['read', 'ask', 'sources', 'report'],
  vary: ['evidence', 'suite', 'search', 'report'],
  integrations: [''],
  cli: [''],
}
const rooms = Object.entries(wings).flatMap(([wing, names]) =>
  names.map((name) => (name === '' ? wing : `${wing}/${name}`)),
)
const portable = rooms.filter((room) => /^(?:util|core)\b/.test(room))

const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
const textOf = (file: string): string => readFileSync(join(src, file), 'utf8')

const specifiers = (text: string): readonly string[] =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => target)
const importsOf = (file: string): readonly string[] => specifiers(textOf(file))
const runtimeImportsOf = (file: string): readonly string[] =>
  specifiers(textOf(file).replaceAll(/^(?:im|ex)port type [^']*'[^']+'/gm, ''))

const localImportsOf = (file: string, imports = importsOf): readonly string[] =>
  imports(file)
    .filter((target) => target.startsWith('.') && target.endsWith('.ts'))
    .map((target) => relative(src, resolve(src, dirname(file), target)))
const roomOf = (file: string): string =>
  rooms.find((room) => room === dirname(file)) ??
  rooms.find((room) => room.includes('/') && file.startsWith(`${room}/`)) ??
  (file.split('/')[0] as string)
const isPackage = (target: string): boolean => !target.startsWith('.')

const reachable = (file: string, seen = new Set<string>()): ReadonlySet<string> => {
  if (seen.has(file)) return seen
  seen.add(file)
  for (const target of localImportsOf(file, runtimeImportsOf)) reachable(target, seen)
  return seen
}
const packagesOf = (file: string): readonly string[] => [
  ...new Set([...reachable(file)].flatMap(runtimeImportsOf).filter(isPackage)),
]

describe('the wings of src/', () => {
  const inFolders = files.filter((file) => file.includes('/'))

  it('are those of the architecture', () => {
    expect([...new Set(inFolders.map(roomOf))].sort()).toEqual([...rooms].sort())
  })

  it('are described by src/README.md, whose paths exist', () => {
    const [list = '', ...rest] = textOf('README.md').split('\n## ')
    const described = [...list.matchAll(/^ *- \[?`([^`]+?)\/?`/gm)].map(([, room]) => room)
    expect(described).toEqual([...new Set(rooms.flatMap((room) => [room.split('/')[0], room]))])
    const paths = rest.flatMap((text) => [...text.matchAll(/`([a-z]+\/[\w/.-]*)`/g)].map(([, path = '']) => path))
    expect(paths.filter((path) => !path.startsWith('plant-mock/') && !existsSync(join(src, path)))).toEqual([])
  })

  it('have notes that name files which exist', () => {
    const notes = Object.keys(wings).filter((wing) => existsSync(join(src, wing, 'README.md')))
    const named = notes.flatMap((wing) =>
      [...textOf(`${wing}/README.md`).matchAll(/`(?:[\w-]+\/)*([\w-]+\.ts)`/g)].map(([, name = '']) => ({
        wing,
        name,
      })),
    )
    const tests = readdirSync(fileURLToPath(new URL('.', import.meta.url)), { recursive: true, encoding: 'utf8' })
    const existing = [...files, ...tests].map((file) => basename(file))
    expect(named.filter(({ name }) => !existing.includes(name))).toEqual([])
  })

  it.each(inFolders)('%s imports only from its own room and those above', (file) => {
    const position = rooms.indexOf(roomOf(file))
    const below = localImportsOf(file).filter((target) => rooms.indexOf(roomOf(target)) > position)
    expect(below).toEqual([])
    expect(localImportsOf(file).filter((target) => !target.includes('/'))).toEqual([])
  })

  it.each([
    ['vary', 'imports nothing of verify, which cli joins with it', /^vary\//, 'verify/'],
    [
      'an integration',
      'imports no server, except of Vite and Playwright',
      /^integrations\/(?!vite|playwright)/,
      'server/',
    ],
  ])('%s %s', (_, __, meant, forbidden) => {
    const imports = files.filter((file) => meant.test(file)).flatMap((file) => localImportsOf(file))
    expect(imports.filter((target) => target.startsWith(forbidden))).toEqual([])
  })

  it.each(portable)('%s/ imports neither Node.js nor msw', (room) => {
    const packages = inFolders.filter((file) => roomOf(file) === room).flatMap(importsOf)
    expect(packages.filter((name) => name.startsWith('node:') || /^@?msw/.test(name))).toEqual([])
  })

  it('are synchronous in the core, up to the mock', () => {
    const below = files.filter((file) => file.startsWith('core/') && roomOf(file) !== 'core/mock')
    expect(
      below.filter((file) => /\basync\b|\bawait\b|Promise\b/.test(textOf(file).replaceAll(/\/\*\*.*?\*\//gs, ''))),
    ).toEqual([])
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
    ['data.ts', ['@msw/data/extensions', '@msw/data/extensions/persist', 'leven']],
    ['control.ts', ['leven']],
    ['fixtures.ts', ['@faker-js/faker', 'leven']],
    ['conformance.ts', ['leven']],
    ['contract.ts', ['leven']],
  ])('%s is safe for the browser, and loads the packages %j', (entryPoint, packages) => {
    expect([...packagesOf(entryPoint)].sort()).toEqual(packages)
  })

  it.each(['index.ts', 'msw.ts', 'data.ts', 'vitest.ts', 'jest.ts', 'fixtures.ts', 'conformance.ts', 'contract.ts'])(
    '%s loads no server',
    (entryPoint) => {
      expect([...reachable(entryPoint)].filter((file) => file.startsWith('server/'))).toEqual([])
    },
  )

  it.each([
    ['vite.ts', 'only types of Vite', []],
    ['playwright.ts', 'Playwright', ['@playwright/test']],
  ])('%s loads %s', (entryPoint, _, packages) => {
    const loaded = packagesOf(entryPoint)
    expect(loaded.filter((target) => /^(@playwright|playwright|vite)\b/.test(target))).toEqual(packages)
  })
})

describe('a test file', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.ts$/.test(file) && !/samples\/|consumer|node_modules|bench/.test(file))
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

  it('with a row of the matrix that needs programs is run a second time, and no other with a row is', () => {
    const [withRow, needing] = [new Set<string>(), new Set<string>()]
    for (const { file, text } of tests)
      for (const [, behaviour = ''] of text.matchAll(/(?:targetsFor|mocksFor)\('(\w+)'\)/g)) {
        withRow.add(file.replace('.test.ts', ''))
        if (needsPrograms(behaviour)) needing.add(file.replace('.test.ts', ''))
      }
    expect([...needing].sort()).toEqual([...withRow].filter((file) => file in secondRuns).sort())
  })

  it('shares no hook of a module in support/, which would belong to the first file of a worker alone', () => {
    expect(those(/^(?:after|before)(?:Each|All)\(/m).filter((file) => file.includes('support/'))).toEqual([])
  })
})
