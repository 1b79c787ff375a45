import sax from 'sax'
import { PlantMockError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'
import { errorMessage, lineInFile } from './error-text.ts'
import { type NamedTest, withIds } from './test-result.ts'

type Attributes = Readonly<Record<string, string>>

type Suite = {
  readonly name: string
  readonly file: string | undefined
  readonly path: string | undefined
  readonly isPytest: boolean
}

type Case = {
  readonly attributes: Attributes
  readonly suite: Suite
  failure: { readonly message: string | undefined; text: string } | undefined
  isSkipped: boolean
}

const noSuite: Suite = { name: '', file: undefined, path: undefined, isPytest: false }

const max = { name: 1_000, text: 64 * 1024 }

/** Supports reports of pytest, Maven, go-junit-report, Vitest and jest-junit. */
export const parseJunit = (text: string, source: string): readonly NamedTest[] => {
  try {
    return testsOf(readCases(text))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw new PlantMockError(
      `Failed to read the test results in ${source}: ${messageOf(error)}. Write a JUnit report there, such as pytest --junitxml=${source}`,
    )
  }
}

const readCases = (text: string): readonly Case[] => {
  const cases: Case[] = []
  const open: string[] = []
  const suites: Suite[] = []
  let testCase: Case | undefined
  let hasRoot = false
  const parser = sax.parser(true)
  parser.onopentag = ({ name, attributes }) => {
    const parent = open.at(-1)
    if (parent === undefined && !/^testsuites?$/.test(name))
      throw new SyntaxError(`the root element is <${name}>, not <testsuites>`)
    hasRoot = true
    open.push(name)
    if (name === 'testsuite') suites.push(suiteOf(attributes as Attributes, suites.at(-1) ?? noSuite))
    else if (name === 'testcase') {
      const suite = suites.at(-1) ?? noSuite
      testCase = { attributes: attributes as Attributes, suite, failure: undefined, isSkipped: false }
      cases.push(testCase)
    } else if (parent === 'testcase' && testCase !== undefined) {
      if (isFailure(name)) testCase.failure ??= { message: (attributes as Attributes).message, text: '' }
      else if (name === 'skipped') testCase.isSkipped = true
    }
  }
  parser.onclosetag = () => {
    if (open.pop() === 'testsuite') suites.pop()
  }
  parser.ontext = (part) => {
    const failure = isFailure(open.at(-1)) && open.at(-2) === 'testcase' ? testCase?.failure : undefined
    if (failure !== undefined) failure.text += part.slice(0, max.text - failure.text.length)
  }
  parser.oncdata = parser.ontext
  parser.onerror = ({ message }) => {
    if (isInReference(parser)) parser.resume()
    else throw notXml(`line ${parser.line + 1}: ${message.split('\n', 1)}`)
  }
  parser.write(text).close()
  if (!hasRoot) throw notXml('it has no element')
  return cases
}

/** sax reports a lone `&`, and entities that XML 1.0 does not predefine, as errors. `resume` keeps both as text. */
const isInReference = (parser: sax.SAXParser): boolean => {
  const { STATE } = sax as unknown as { readonly STATE: Readonly<Record<number, string>> }
  return STATE[(parser as unknown as { readonly state: number }).state]?.includes('ENTITY') ?? false
}

const notXml = (reason: string): SyntaxError => new SyntaxError(`the text is not XML, or is truncated: ${reason}`)

const isFailure = (name: string | undefined): boolean => name === 'failure' || name === 'error'

const clipped = (text = ''): string => text.slice(0, max.name)

const suiteOf = ({ name: whole, file, filepath }: Attributes, parent: Suite, name = clipped(whole)): Suite => ({
  name,
  file: clipped(file || filepath) || parent.file,
  path: isPath(name) ? name : parent.path,
  isPytest: parent.isPytest || name === 'pytest',
})

const testsOf = (cases: readonly Case[]): readonly NamedTest[] =>
  withIds(
    cases.map((testCase) => {
      const file = fileOf(testCase)
      return { name: nameOf(testCase, file), file, ...resultOf(testCase, file) }
    }),
  )

/** Only pytest (xunit1), jest-junit and Mocha write `file`. The class name is a path in Vitest, a module in pytest. */
const fileOf = ({ attributes, suite }: Case): string => {
  const given = clipped(attributes.file) || suite.file
  if (given) return given
  const classname = clipped(attributes.classname)
  if (isPath(classname)) return classname
  return suite.path ?? (suite.isPytest ? moduleOf(classname) : classname || suite.name)
}

const isPath = (text: string): boolean =>
  /[^\\/]\.(?:[cm]?[jt]sx?|py|go|java|rb|rs|php)$/.test(text) && !/[\s>]/.test(text)

const moduleOf = (classname: string): string => {
  const parts = classname.split('.')
  const end = parts.findLastIndex((part) => /^test_|_test$|^conftest$/.test(part))
  return end === -1 ? `${parts.join('/')}.py` : `${parts.slice(0, end + 1).join('/')}.py`
}

const nameOf = ({ attributes }: Case, file: string): string => {
  const [name, classname] = [clipped(attributes.name), clipped(attributes.classname)]
  if (classname === '' || classname === file || name.startsWith(classname)) return name
  const module = file.replace(/\.\w+$/, '').replaceAll(/[\\/]/g, '.')
  if (classname === module) return name
  return `${classname.startsWith(`${module}.`) ? classname.slice(module.length + 1) : classname} > ${name}`
}

const resultOf = ({ attributes, failure, isSkipped }: Case, file: string) => {
  const declared = Number(attributes.line)
  const at = (failure && lineInFile({ stack: failure.text }, file)) ?? declared
  const line = Number.isInteger(at) && at > 0 ? { line: at } : {}
  if (failure === undefined) return { outcome: isSkipped ? ('skipped' as const) : ('passed' as const), ...line }
  const { message, text } = failure
  return {
    outcome: 'failed' as const,
    message: errorMessage(message?.trim() ? message : text.trim() || 'failed'),
    ...line,
  }
}
