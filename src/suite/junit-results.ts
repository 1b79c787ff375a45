import { PlantMockError } from '../util/errors.ts'
import { parseXml, type XmlElement } from '../util/xml.ts'
import { errorMessage, lineInFile } from './error-text.ts'
import { type NamedTest, testId } from './test-run.ts'
import { uniqueNames } from './unique-names.ts'

/**
 * Reads a JUnit report, as pytest, Maven, go-junit-report, Vitest and jest-junit write it.
 * @param text - The XML document.
 * @param source - The name of its file, for messages.
 * @throws PlantMockError for text that is not a JUnit report.
 */
export const parseJunit = (text: string, source: string): readonly NamedTest[] => {
  const root = parseXml(text)
  if (root === undefined)
    throw new PlantMockError(
      `Failed to read the test results in ${source}: the text is not XML, or is truncated. Write a JUnit report there, such as pytest --junitxml=${source}`,
    )
  if (root.name !== 'testsuites' && root.name !== 'testsuite')
    throw new PlantMockError(
      `Failed to read the test results in ${source}: the root element is <${root.name}>, not <testsuites>. Write a JUnit report there, such as pytest --junitxml=${source}`,
    )
  const unique = uniqueNames()
  return casesIn(root).map(({ testCase, suites }) => {
    const file = fileOf(testCase, suites)
    const name = unique(file, nameOf(testCase, file))
    return { id: testId(file, name), name, file, ...resultOf(testCase, file) }
  })
}

type Case = { readonly testCase: XmlElement; readonly suites: readonly XmlElement[] }

/** The test cases below an element, with their suites, the innermost first. Walks a stack: suites may nest deeply. */
const casesIn = (root: XmlElement): readonly Case[] => {
  const cases: Case[] = []
  const open: { element: XmlElement; suites: readonly XmlElement[] }[] = [{ element: root, suites: [] }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, suites } = next
    if (element.name === 'testcase') cases.push({ testCase: element, suites })
    // Reversed, because the last of the stack is taken first. A bound, because each level lists all others.
    else if (suites.length < 100)
      for (const child of element.children.toReversed())
        open.push({ element: child, suites: element.name === 'testsuite' ? [element, ...suites] : suites })
  }
  return cases
}

/**
 * The `file` attribute of the case (pytest with xunit1, jest-junit) or suite (jest-junit, Mocha), a class name that is a path (Vitest), or
 * the module of a class name (pytest with xunit2).
 */
const fileOf = ({ attributes }: XmlElement, suites: readonly XmlElement[]): string => {
  const given = [attributes.file, ...suites.map((suite) => suite.attributes.file ?? suite.attributes.filepath)].find(
    Boolean,
  )
  if (given !== undefined) return given
  const { classname = '' } = attributes
  if (isPath(classname)) return classname
  const suite = suites.map(({ attributes: { name = '' } }) => name).find(isPath)
  return suite ?? moduleOf(classname, suites) ?? (classname || (suites[0]?.attributes.name ?? ''))
}

const isPath = (text: string): boolean => /^[^\s>]*[\\/]?[^\s>\\/]+\.(?:[cm]?[jt]sx?|py|go|java|rb|rs|php)$/.test(text)

/** pytest writes `tests.test_api.TestPlants` for a class in `tests/test_api.py`. */
const moduleOf = (classname: string, suites: readonly XmlElement[]): string | undefined => {
  if (!suites.some(({ attributes: { name } }) => name === 'pytest')) return undefined
  const parts = classname.split('.')
  const end = parts.findLastIndex((part) => /^test_|_test$|^conftest$/.test(part))
  return end === -1 ? `${parts.join('/')}.py` : `${parts.slice(0, end + 1).join('/')}.py`
}

/** Class and title. The class is left out where it repeats the file. */
const nameOf = ({ attributes: { name = '', classname = '' } }: XmlElement, file: string): string => {
  const module = file.replace(/\.\w+$/, '').replaceAll(/[\\/]/g, '.')
  if (classname === '' || classname === file || classname === module || name.startsWith(classname)) return name
  return `${classname.startsWith(`${module}.`) ? classname.slice(module.length + 1) : classname} > ${name}`
}

const resultOf = (testCase: XmlElement, file: string): Pick<NamedTest, 'outcome' | 'line' | 'message'> => {
  const child = (name: string) => testCase.children.find((element) => element.name === name)
  const failure = child('failure') ?? child('error')
  const declared = Number(testCase.attributes.line)
  const line = (place?: number) => place ?? (Number.isInteger(declared) && declared > 0 ? declared : undefined)
  if (failure === undefined) {
    const at = line()
    return { outcome: child('skipped') ? 'skipped' : 'passed', ...(at !== undefined && { line: at }) }
  }
  const { message } = failure.attributes
  const at = line(lineInFile({ stack: failure.text }, file))
  return {
    outcome: 'failed',
    message: errorMessage(message?.trim() ? message : failure.text.trim() || 'failed'),
    ...(at !== undefined && { line: at }),
  }
}
