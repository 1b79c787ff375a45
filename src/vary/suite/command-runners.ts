import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeRegExp } from '../../util/escape-reg-exp.ts'
import { type OptionTable, parseWords } from './command-words.ts'
import {
  jestOptions,
  mochaOptions,
  nodeOptions,
  playwrightOptions,
  pytestOptions,
  vitestOptions,
} from './runner-options.ts'

type Request = {
  /** The words after the name of the runner. */
  readonly words: readonly string[]
  /** Absolute paths. */
  readonly files: readonly string[]
  readonly cwd: string
}

/** A runner that takes files as arguments. Returns the words after its name, or `undefined` when it cannot be sure. */
type NarrowedWords = (request: Request) => readonly string[] | undefined

/** The command without its files, and then these. */
const replaceFiles =
  (table: OptionTable): NarrowedWords =>
  ({ words, files }) => {
    const parsed = parseWords(words, table)
    return parsed && [...parsed.options, ...files]
  }

/** An absolute path selects the one file; the part of a path would also select others. */
const vitest: NarrowedWords = ({ words, ...rest }) => {
  const [first = ''] = words
  const hasCommand = /^(?:run|watch|dev)$/.test(first)
  if (/^(?:related|bench|list|init|typecheck)$/.test(first)) return undefined
  const narrowed = replaceFiles(vitestOptions)({ words: hasCommand ? words.slice(1) : words, ...rest })
  return narrowed && [...(hasCommand ? [first] : []), ...narrowed]
}

const jest: NarrowedWords = ({ words, files }) => {
  const parsed = parseWords(words, jestOptions)
  return parsed && [...parsed.options.filter((word) => word !== '--runTestsByPath'), '--runTestsByPath', ...files]
}

/** Playwright takes regular expressions of absolute paths; in front, because `--project` takes all words that follow. */
const playwright: NarrowedWords = ({ words: [command, ...words], files }) => {
  const parsed = command === 'test' ? parseWords(words, playwrightOptions) : undefined
  return parsed && ['test', ...files.map((file) => `^${escapeRegExp(file)}$`), ...parsed.options]
}

/** Mocha adds the files of its configuration to those of the command. */
const mocha: NarrowedWords = (request) => {
  const { words, cwd } = request
  if (words.some((word) => /^--(?:config|package)\b/.test(word)) || hasConfiguredFiles(cwd)) return undefined
  return replaceFiles(mochaOptions)(request)
}

const hasConfiguredFiles = (folder: string): boolean => {
  if (!existsSync(folder)) return false
  const texts = readdirSync(folder)
    .filter((name) => /^\.mocharc\./.test(name))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
  const manifest = join(folder, 'package.json')
  if (existsSync(manifest)) texts.push(/"mocha"\s*:\s*\{[^}]*/.exec(readFileSync(manifest, 'utf8'))?.[0] ?? '')
  return texts.some((text) => /\bspec\b/.test(text))
}

/** `node --test`. From version 21 on, its arguments are glob patterns. */
export const nodeTest: NarrowedWords = ({ words, files, ...rest }) => {
  if (!words.includes('--test') || files.some((file) => /[*?[\]{}()!]/.test(file))) return undefined
  return replaceFiles(nodeOptions)({ words, files, ...rest })
}

/** The runners that take files, by the name of their program. */
export const narrowedWords: ReadonlyMap<string, NarrowedWords> = new Map([
  ['vitest', vitest],
  ['jest', jest],
  ['playwright', playwright],
  ['mocha', mocha],
  ['pytest', replaceFiles(pytestOptions)],
  ['py.test', replaceFiles(pytestOptions)],
])
