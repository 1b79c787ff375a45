import { printable } from './terminal.ts'

/** A test as its report names it. */
export type ReportedTest = {
  readonly file: string
  readonly name: string
  readonly line?: number
  readonly message?: string
}

/** More are in the other formats. */
const maxTests = 10
/** Of a message: a difference of two objects must not end before what was received. */
const maxLines = 40

/** Lines for tests that failed: place, name and message of each. */
export const testTexts = (tests: readonly ReportedTest[]): readonly string[] => [
  ...tests.slice(0, maxTests).flatMap(({ message = '', ...test }) => {
    const lines = message.split('\n').filter((line) => line.trim() !== '')
    const shown = [...lines.slice(0, maxLines), ...(lines.length > maxLines ? ['…'] : [])]
    return [`    ${printable(nameOf(test))}`, ...shown.map((line) => `      ${printable(line.trimEnd())}`)]
  }),
  ...(tests.length > maxTests ? [`    and ${tests.length - maxTests} more`] : []),
]

/** `test/list.test.ts:12  lists > shows the first plant` */
export const nameOf = ({ file, line, name }: Pick<ReportedTest, 'file' | 'line' | 'name'>): string =>
  `${file}${line === undefined ? '' : `:${line}`}  ${name === file ? '(the file)' : name}`
