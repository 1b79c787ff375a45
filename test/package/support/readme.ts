import { readFileSync } from 'node:fs'
import { root } from './cli.ts'

const readme = readFileSync(`${root}README.md`, 'utf8')

export type Block = { readonly language: string; readonly text: string }

/** Every fenced block of the README, in order. */
export const blocks: readonly Block[] = [...readme.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
  ([, language = '', text = '']) => ({ language, text }),
)

/** The code blocks by the file name in their first line. */
export const codeFiles: ReadonlyMap<string, string> = new Map(
  blocks
    .filter(({ language }) => language === 'ts')
    .map(({ text }) => [/^\/\/ (\S+\.ts)\n/.exec(text)?.[1] ?? `unnamed: ${text.slice(0, 40)}`, text]),
)

/** Each line of the shell blocks. */
export const commandLines: readonly string[] = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.trim().split('\n'))

/** What stands between `<!-- name -->` and `<!-- /name -->`. */
export const section = (name: string): string | undefined =>
  new RegExp(`<!-- ${name} -->\\n([\\s\\S]*?)<!-- /${name} -->`).exec(readme)?.[1]
