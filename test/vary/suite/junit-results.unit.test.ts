import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { PlantMockError } from '../../../src/util/errors.ts'
import { renderJunit } from '../../../src/util/render-report.ts'
import { parseJunit } from '../../../src/vary/suite/junit-results.ts'
import { reportOf } from '../../support/report-value.ts'

const parse = async (text: string) => parseJunit(text, 'results.xml')
const brief = async (text: string) =>
  (await parse(text)).map(({ file, name, outcome, line, message }) => [file, name, outcome, line, message])

describe('parseJunit', () => {
  it('reads a report of pytest (xunit2): the module of the class name is the file', async () => {
    const text = `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" tests="3">
      <testcase classname="tests.test_api.TestPlants" name="test_a[1-x]" time="0.1"/>
      <testcase classname="tests.test_api" name="test_b" time="0.1"><failure message="AssertionError: assert 1 == 2&#10;  +  where">def test_b():
&gt;       assert 1 == 2
E       assert 1 == 2

tests/test_api.py:12: AssertionError</failure></testcase>
      <testcase classname="tests.test_api" name="test_c"><skipped type="pytest.skip" message="later">x</skipped></testcase>
    </testsuite></testsuites>`
    expect(await brief(text)).toEqual([
      ['tests/test_api.py', 'TestPlants > test_a[1-x]', 'passed', undefined, undefined],
      ['tests/test_api.py', 'test_b', 'failed', 12, 'AssertionError: assert 1 == 2\n  +  where'],
      ['tests/test_api.py', 'test_c', 'skipped', undefined, undefined],
    ])
  })

  it('reads a report of pytest (xunit1): the attributes file and line', async () => {
    const text = `<testsuites><testsuite name="pytest"><testcase classname="test_api" name="test_a" file="test_api.py" line="4" time="0"><error message="failed on setup">stack</error></testcase></testsuite></testsuites>`
    expect(await brief(text)).toEqual([['test_api.py', 'test_a', 'failed', 4, 'failed on setup']])
  })

  it('reads a report of Maven', async () => {
    const text = `<testsuite name="org.plants.StoreTest"><properties><property name="java.io" value="/tmp"/></properties>
      <testcase name="creates" classname="org.plants.StoreTest" time="0.02"/>
      <testcase name="lists" classname="org.plants.StoreTest"><failure type="AssertionError"><![CDATA[expected: <1> but was: <2>
\tat org.plants.StoreTest.lists(StoreTest.java:20)]]></failure></testcase></testsuite>`
    expect(await brief(text)).toEqual([
      ['org.plants.StoreTest', 'creates', 'passed', undefined, undefined],
      ['org.plants.StoreTest', 'lists', 'failed', undefined, expect.stringMatching(/^expected: <1> but was: <2>\n/)],
    ])
  })

  it('reads a report of go-junit-report', async () => {
    const text = `<testsuites><testsuite name="example.com/plants"><testcase classname="plants" name="TestList/empty" time="0.000"><failure message="Failed" type=""><![CDATA[list_test.go:9: no]]></failure></testcase></testsuite></testsuites>`
    expect(await brief(text)).toEqual([['plants', 'TestList/empty', 'failed', undefined, 'Failed']])
  })

  it('reads reports of Vitest and jest-junit', async () => {
    const vitest = `<testsuites name="vitest tests"><testsuite name="src/a.test.ts"><testcase classname="src/a.test.ts" name="suite &gt; one" time="0.1"><failure message="no" type="AssertionError">AssertionError: no
 ❯ src/a.test.ts:7:3</failure></testcase></testsuite></testsuites>`
    const jest = `<testsuites name="jest tests"><testsuite name="suite"><testcase classname="suite one" name="suite one" file="src/a.test.js"/></testsuite></testsuites>`
    expect(await brief(vitest)).toEqual([['src/a.test.ts', 'suite > one', 'failed', 7, 'no']])
    expect(await brief(jest)).toEqual([['src/a.test.js', 'suite one', 'passed', undefined, undefined]])
  })

  it('numbers equal names, and reads nested suites and an empty report', async () => {
    const text = `<testsuites><testsuite file="a.js"><testsuite name="inner"><testcase name="x"/><testcase name="x"/></testsuite></testsuite></testsuites>`
    expect((await parse(text)).map(({ id }) => id)).toEqual(['a.js > x', 'a.js > x (2)'])
    expect(await parse('<testsuites/>')).toEqual([])
  })

  it('reads the reports of this package', async () => {
    const report = reportOf([{ name: 'n', outcome: 'failed', section: '1', text: 'a <b> & "c" \u001B[0m' }])
    const expected = ['contract 1', 'n', 'failed', undefined, 'Relied on: a <b> & "c" \\u001b[0m']
    expect(await brief(renderJunit(report))).toEqual([expected])
  })

  it('does not expand the entities of a document', async () => {
    const text = `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(99)}"><!ENTITY c "&a;&a;">]><testsuite><testcase name="&c;"/></testsuite>`
    expect((await parse(text))[0]?.name).toBe('&c;')
  })

  it('keeps characters that XML does not allow', async () => {
    const text = '<testsuite><testcase name="a & b"><failure>\u001B[31m1 & 2</failure></testcase></testsuite>'
    expect(await brief(text)).toEqual([['', 'a & b', 'failed', undefined, '1 & 2']])
  })

  it.each([
    ['{}', /Failed to read the test results in results.xml: the text is not XML/],
    ['', /not XML/],
    ['<testsuites><testsuite>', /truncated/],
    ['<testsuites></testsuite></testsuites>', /not XML/],
    ['<testsuites>\n<testsuite name=a></testsuite></testsuites>', /line 2: Unquoted attribute value/],
    ['<html></html>', /the root element is <html>, not <testsuites>/],
  ])('refuses %s', async (text, message) => {
    const reading = parse(text)
    await expect(reading).rejects.toThrow(PlantMockError)
    await expect(reading).rejects.toThrow(message)
  })

  it('throws no other error, for any text', async () => {
    const part = fc.constantFrom(
      '<testsuites>',
      '</testsuites>',
      '<testsuite name="',
      '<testcase ',
      '/>',
      '>',
      '"',
      'name="a"',
      '<failure message="&#x110000;&#0;">',
      '</failure>',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '&lt;',
      '__proto__="x"',
    )
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.oneof(part, fc.string())).map((parts) => parts.join('')),
    )
    await fc.assert(
      fc.asyncProperty(text, async (source) => {
        try {
          expect(Array.isArray(await parse(source))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(PlantMockError)
        }
      }),
    )
  })

  it('reads a document with 100,000 levels', async () => {
    const deep = '<testsuite>'.repeat(100_000) + '</testsuite>'.repeat(100_000)
    expect(await parse(deep)).toEqual([])
  })

  it('numbers a name that comes 50,000 times', async () => {
    const tests = await parse(`<testsuite>${'<testcase name="a"/>'.repeat(50_000)}</testsuite>`)
    expect(tests.at(-1)?.name).toBe('a (50000)')
  })
})

describe('parseJunit reads no character more than a few times', () => {
  const size = 200_000
  const many = (text: string, rest = 0) => text.repeat((size - rest) / text.length)
  const testCase = (attributes: string, content = '') =>
    `<testsuite name="pytest"><testcase ${attributes}><failure>${content}</failure></testcase></testsuite>`

  it.each<[string, string]>([
    ['comments that do not end', `<testsuites>${many('<!--')}`],
    ['comments', `<testsuites>${many('<!---->')}</testsuites>`],
    ['CDATA sections that do not end', `<testsuites>${many('<![CDATA[')}`],
    ['CDATA sections', `<testsuites>${many('<![CDATA[]]>')}</testsuites>`],
    ['processing instructions', many('<?')],
    ['tags that do not end', many('<a')],
    ['closing tags', many('</')],
    ['a long name of an attribute', `<testsuites ${many('a')}/>`],
    ['many attributes', `<testsuites ${many('a="" ')}/>`],
    ['an attribute that does not end', `<testsuites a="${many("'")}`],
    ['quotes', `<testsuites ${many('"')}`],
    ['spaces in a tag', `<testsuites${many(' ')}`],
    ['equals signs', `<testsuites ${many('a = ')}`],
    ['a document type that does not end', `<!DOCTYPE a [${many('<!ENTITY a "b">')}`],
    ['quotes in a document type', `<!DOCTYPE a [${many("'")}`],
    ['comments in a document type', `<!DOCTYPE a [${many('<!--')}`],
    ['ampersands', testCase('', many('&'))],
    ['long references', testCase('', many('&#1111111111'))],
    ['references in attributes', testCase(`name="${many('&lt;')}"`)],
    ['elements within each other', `${many('<testsuite>', size / 2)}${many('</testsuite>', size / 2)}`],
    ['a class name of many parts', testCase(`classname="${many('a.')}"`)],
    ['a class name of dots', testCase(`classname="${many('.')}"`)],
    ['a file of many folders', testCase(`file="${many('a/')}.py"`, many('a/', size / 2))],
    ['a failure of many lines', testCase('file="a.py"', many('a.py:\n'))],
    ['a message of escape characters', testCase('', many('\u001B[;'))],
    [
      'a long name of a suite with many cases',
      `<testsuite file="${many('a', size / 2)}">${many('<testcase/>', size / 2)}</testsuite>`,
    ],
  ])('%s', async (_, text) => {
    const { work, parsed } = await countWork(() => parse(text).catch((error: unknown) => error))
    expect(Array.isArray(parsed) || parsed instanceof PlantMockError).toBe(true)
    expect(work / text.length).toBeLessThan(20)
  })
})

/** Sums the lengths of all searched texts, an upper bound for the work of linear searches. */
const countWork = async <T>(run: () => Promise<T>) => {
  let work = 0
  const { indexOf } = String.prototype
  const { exec } = RegExp.prototype
  const spies = [
    vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, text, from = 0) {
      const found = indexOf.call(this, text, from)
      work += (found === -1 ? this.length : found) - from
      return found
    }),
    vi.spyOn(RegExp.prototype, 'exec').mockImplementation(function (this: RegExp, text) {
      const from = this.global || this.sticky ? this.lastIndex : 0
      const match = exec.call(this, text)
      work += match === null ? (this.sticky ? 1 : text.length - from) : match.index - from + match[0].length
      return match
    }),
  ]
  try {
    const parsed = await run()
    return { parsed, work }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
