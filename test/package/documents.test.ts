import { existsSync, readFileSync, statSync } from 'node:fs'
import { posix } from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { root } from './support/cli.ts'
import { documents, excerpts } from './support/guides.ts'
import { packedFiles } from './support/packed.ts'

type Link = { readonly file: string; readonly target: string; readonly path: string; readonly anchor: string }

const wordsOf = (text: string): readonly string[] => text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word))

const withoutCode = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '')

const linksOf = ({ file, text }: (typeof documents)[number]): readonly Link[] =>
  [...withoutCode(text).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [name = '', anchor = ''] = target.split('#')
      return { file, target, path: name === '' ? file : posix.join(posix.dirname(file), name), anchor }
    })

const anchorsIn = (path: string): readonly string[] =>
  [...withoutCode(readFileSync(`${root}${path}`, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

const links = documents.flatMap(linksOf)

describe('the links of the documents', () => {
  it.each(documents)('of $file lead to files and headings that exist', (document) => {
    const broken = linksOf(document).filter(
      ({ path, anchor }) => !existsSync(`${root}${path}`) || (anchor !== '' && !anchorsIn(path).includes(anchor)),
    )
    expect(broken).toEqual([])
  })

  it('of packed files lead to packed files', async () => {
    const packed = await packedFiles()
    const isPacked = (path: string) =>
      packed.includes(path) ||
      (statSync(`${root}${path}`).isDirectory() && packed.some((file) => file.startsWith(`${path}/`)))
    const outside = links.filter(
      ({ file, path }) => packed.includes(file) && existsSync(`${root}${path}`) && !isPacked(path),
    )
    expect(outside).toEqual([])
  })
})

describe('the documents', () => {
  it('show the examples as they are', () => {
    const changed = excerpts.filter(({ file, parts }) => {
      const text = readFileSync(`${root}${file}`, 'utf8')
      return parts.some((part) => !text.includes(part))
    })
    expect(changed).toEqual([])
  })

  it('name npm scripts that exist', () => {
    const named = documents.flatMap(({ text }) => [...text.matchAll(/\bnpm run ([\w:]+)/g)])
    expect(named.filter(([, script = '']) => !(script in packageJson.scripts))).toEqual([])
  })

  it('name every entry point in a guide', () => {
    const guides = documents.filter(({ file }) => file.startsWith('src/guides/')).map(({ text }) => text)
    const named = guides.flatMap((text) => [...text.matchAll(/[`']plant-mock(\/[\w-]+)?[`']/g)])
    const exported = Object.entries(packageJson.exports).filter(([, target]) => typeof target === 'object')
    expect([...new Set(named.map(([, path = '']) => `.${path}`))].sort()).toEqual(exported.map(([path]) => path).sort())
  })

  it('lead from the README to every guide', () => {
    const guides = documents.map(({ file }) => file).filter((file) => file.startsWith('src/guides/'))
    const led = links.filter(({ file }) => file === 'README.md').map(({ path }) => path)
    expect(guides.filter((guide) => !led.includes(guide))).toEqual([])
  })

  it('keep every guide below 1,500 words, beside what is generated', () => {
    const long = documents
      .filter(({ file }) => file.startsWith('src/guides/'))
      .map(({ file, text }) => ({
        file,
        words: text.replaceAll(/<!-- ([\w-]+) -->[\s\S]*?<!-- \/\1 -->/g, '').split(/\s+/),
      }))
      .filter(({ words }) => words.length > 1_500)
    expect(long.map(({ file }) => file)).toEqual([])
  })

  it('have at most 16,000 words beside the contract', () => {
    const own = documents.filter(({ file }) => !file.endsWith('/contract.md'))
    expect(own.flatMap(({ text }) => wordsOf(text)).length).toBeLessThanOrEqual(16_000)
  })

  it('keep the README below 160 lines and 700 words that hold a letter, with pictures of vary and of the dashboard', () => {
    const readme = documents.find(({ file }) => file === 'README.md')?.text ?? ''
    expect(readme.split('\n').length).toBeLessThan(160)
    expect(wordsOf(readme).filter((word) => /[a-z]/i.test(word)).length).toBeLessThanOrEqual(700)
    for (const picture of ['src/server/dashboard/page/screenshot.png', 'src/guides/vary.svg'])
      expect(readme).toContain(`](${picture})`)
  })
})
