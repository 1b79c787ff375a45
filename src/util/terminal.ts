export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'magenta' | 'cyan'

export type Paint = (style: Style, text: string) => string

export const plain: Paint = (_, text) => text

export const eraseLine = '\r\u001B[K'

/** Matches control characters, line separators and bidirectional controls, which command a terminal or hide text. */
export const unprintable = /[\p{Cc}\u061C\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF]/gu

/** Matches the start of commands that CI systems read from output: `::`, `##[`, `##vso[` and `##teamcity[`. */
const command = /^\s*:(?=:)|#(?=#\w*\[)/g

const escaped = (match: string): string =>
  `${match.slice(0, -1)}\\u${match
    .charCodeAt(match.length - 1)
    .toString(16)
    .padStart(4, '0')}`

export const withoutCommands = (line: string): string => line.replaceAll(command, escaped)

export const lineWidth = 79

export const wrap = (text: string, width: number): readonly string[] =>
  text.length <= width ? [text] : (text.match(new RegExp(`\\S.{0,${width - 1}}(?= |$)|\\S{1,${width}}`, 'g')) ?? [])

/** Makes text safe for a terminal and a CI log, and joins its lines by spaces. */
export const printable = (text: string): string =>
  withoutCommands(text.replaceAll(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ').replaceAll(unprintable, escaped))

export const printableLines = (text: string): string => text.split(/\r?\n/).map(printable).join('\n')

/** Makes JSON safe for a terminal and a CI log, because `JSON.stringify` escapes only characters below U+0020. */
export const printableJson = (value: unknown, indent?: number): string =>
  withoutCommands(JSON.stringify(value, null, indent)).replaceAll(/[\x7F-\u{10FFFF}]/gu, (character) =>
    character.length === 1 ? character.replace(unprintable, escaped) : character,
  )

export type ReportedTest = {
  readonly file: string
  readonly name: string
  readonly line?: number
  readonly message?: string
}

export const messageLines = ({ message = '' }: Pick<ReportedTest, 'message'>): readonly string[] =>
  message.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trimEnd()]))

export const nameOf = ({ file, line, name }: Pick<ReportedTest, 'file' | 'line' | 'name'>): string =>
  `${file}${line === undefined ? '' : `:${line}`}  ${name === file ? '(the file)' : name}`
