import { readdirSync, readFileSync } from 'node:fs'
import { root } from './cli.ts'

export type Document = { readonly file: string; readonly text: string }

const markdownIn = (folder: string, recursive: boolean): readonly string[] =>
  readdirSync(`${root}${folder}`, { encoding: 'utf8', recursive })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}${file.replaceAll('\\', '/')}`)
    .sort()

export const documents: readonly Document[] = [
  ...markdownIn('', false),
  ...markdownIn('.github/', false),
  ...markdownIn('src/', true),
  ...markdownIn('test/', false),
  ...markdownIn('test/bench/', false),
  ...markdownIn('test/example/', true),
].map((file) => ({ file, text: readFileSync(`${root}${file}`, 'utf8') }))

/** `.ci/consumers` runs the commands and code blocks of environments.md instead. */
const guides: readonly Document[] = documents.filter(
  ({ file }) => /^(?:src\/.*)?README\.md$|^src\/guides\//.test(file) && file !== 'src/guides/environments.md',
)

export type Block = {
  readonly guide: string
  readonly language: string
  readonly text: string
  readonly next: Pick<Block, 'language' | 'text'> | undefined
}

export const blocks: readonly Block[] = guides.flatMap(({ file, text }) => {
  const matches = [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```$/gm)]
  return matches.map((match, i) => {
    const [fenced, language = '', code = ''] = match
    const following = matches[i + 1]
    const gap = text.slice(match.index + fenced.length, following?.index)
    const [, nextLanguage = '', nextCode = ''] = following ?? []
    const next = /\S/.test(gap) ? undefined : { language: nextLanguage, text: nextCode }
    return { guide: file, language, text: code, next }
  })
})

/** The first line of an excerpt names the file, and `…` stands for omitted lines. */
export const excerpts = blocks.flatMap(({ guide, text }) => {
  const [, file = '', shown = ''] = /^(?:\/\/|#) (test\/example\/\S+)\n([\s\S]*)$/.exec(text) ?? []
  return file === '' ? [] : [{ guide, file, text, parts: shown.split(/^ *(?:\/\/|#) …\n/m) }]
})
const isExcerpt = ({ text }: Pick<Block, 'text'>) => excerpts.some((excerpt) => excerpt.text === text)

export type CodeBlock = { readonly guide: string; readonly name: string; readonly text: string }

export const codeBlocks: readonly CodeBlock[] = blocks
  .filter((block) => /^(?:[jt]sx?)$/.test(block.language) && !isExcerpt(block))
  .map(({ guide, text }) => {
    const name = /^\/\/ ([\w.-]+)\n/.exec(text)?.[1]
    if (name === undefined) throw new Error(`A code block of ${guide} does not name its file:\n${text}`)
    return { guide, name, text }
  })

export const codeFiles: ReadonlyMap<string, string> = new Map(codeBlocks.map(({ name, text }) => [name, text]))

export const yamlFiles: ReadonlyMap<string, string> = new Map(
  blocks
    .filter(({ language }) => language === 'yaml')
    .flatMap(({ text }) => {
      const name = /^# ([\w.-]+)\n/.exec(text)?.[1]
      return name === undefined ? [] : [[name, text] as const]
    }),
)

export type Command = {
  readonly text: string
  readonly env: Readonly<Record<string, string>>
  readonly words: readonly string[]
  readonly output: string | undefined
}

export const commandsIn = (block: string): readonly Command[] =>
  block
    .replaceAll(/\\\n\s*/g, '')
    .split(/\n|&&/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map(parseCommand)

const parseCommand = (text: string): Command => {
  const words = [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''),
  )
  const comment = words.indexOf('#')
  const kept = comment < 0 ? words : words.slice(0, comment)
  const redirection = kept.indexOf('>')
  const first = kept.findIndex((word) => !/^[A-Z_]+=/.test(word))
  const env = kept.slice(0, first).map((word) => [word.split('=', 1)[0] ?? '', word.replace(/^[^=]+=/, '')])
  return {
    text,
    env: Object.fromEntries(env),
    words: kept.slice(first, redirection < 0 ? undefined : redirection),
    output: redirection < 0 ? undefined : kept[redirection + 1],
  }
}
