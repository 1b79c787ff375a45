import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJunit } from '../../src/suite/junit-results.ts'
import { PlantMockError } from '../../src/util/errors.ts'
import { renderJunit } from '../../src/util/junit.ts'

const parse = (text: string) => parseJunit(text, 'results.xml')
const brief = (text: string) =>
  parse(text).map(({ file, name, outcome, line, message }) => [file, name, outcome, line, message])

describe('parseJunit', () => {
  it('reads a report of pytest (xunit2): the module of the class name is the file', () => {
    const text = `<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" tests="3">
      <testcase classname="tests.test_api.TestPlants" name="test_a[1-x]" time="0.1"/>
      <testcase classname="tests.test_api" name="test_b" time="0.1"><failure message="AssertionError: assert 1 == 2&#10;  +  where">def test_b():
&gt;       assert 1 == 2
E       assert 1 == 2

tests/test_api.py:12: AssertionError</failure></testcase>
      <testcase classname="tests.test_api" name="test_c"><skipped type="pytest.skip" message="later">x</skipped></testcase>
    </testsuite></testsuites>`
    expect(brief(text)).toEqual([
      ['tests/test_api.py', 'TestPlants > test_a[1-x]', 'passed', undefined, undefined],
      ['tests/test_api.py', 'test_b', 'failed', 12, 'AssertionError: assert 1 == 2\n  +  where'],
      ['tests/test_api.py', 'test_c', 'skipped', undefined, undefined],
    ])
  })

  it('reads a report of pytest (xunit1): the attributes file and line', () => {
    const text = `<testsuites><testsuite name="pytest"><testcase classname="test_api" name="test_a" file="test_api.py" line="4" time="0"><error message="failed on setup">stack</error></testcase></testsuite></testsuites>`
    expect(brief(text)).toEqual([['test_api.py', 'test_a', 'failed', 4, 'failed on setup']])
  })

  it('reads a report of Maven', () => {
    const text = `<testsuite name="org.plants.StoreTest"><properties><property name="java.io" value="/tmp"/></properties>
      <testcase name="creates" classname="org.plants.StoreTest" time="0.02"/>
      <testcase name="lists" classname="org.plants.StoreTest"><failure type="AssertionError"><![CDATA[expected: <1> but was: <2>
\tat org.plants.StoreTest.lists(StoreTest.java:20)]]></failure></testcase></testsuite>`
    expect(brief(text)).toEqual([
      ['org.plants.StoreTest', 'creates', 'passed', undefined, undefined],
      ['org.plants.StoreTest', 'lists', 'failed', undefined, expect.stringMatching(/^expected: <1> but was: <2>\n/)],
    ])
  })

  it('reads a report of go-junit-report', () => {
    const text = `<testsuites><testsuite name="example.com/plants"><testcase classname="plants" name="TestList/empty" time="0.000"><failure message="Failed" type=""><![CDATA[list_test.go:9: no]]></failure></testcase></testsuite></testsuites>`
    expect(brief(text)).toEqual([['plants', 'TestList/empty', 'failed', undefined, 'Failed']])
  })

  it('reads reports of Vitest and jest-junit', () => {
    const vitest = `<testsuites name="vitest tests"><testsuite name="src/a.test.ts"><testcase classname="src/a.test.ts" name="suite &gt; one" time="0.1"><failure message="no" type="AssertionError">AssertionError: no
 ❯ src/a.test.ts:7:3</failure></testcase></testsuite></testsuites>`
    const jest = `<testsuites name="jest tests"><testsuite name="suite"><testcase classname="suite one" name="suite one" file="src/a.test.js"/></testsuite></testsuites>`
    expect(brief(vitest)).toEqual([['src/a.test.ts', 'suite > one', 'failed', 7, 'no']])
    expect(brief(jest)).toEqual([['src/a.test.js', 'suite one', 'passed', undefined, undefined]])
  })

  it('numbers equal names, and reads nested suites and an empty report', () => {
    const text = `<testsuites><testsuite file="a.js"><testsuite name="inner"><testcase name="x"/><testcase name="x"/></testsuite></testsuite></testsuites>`
    expect(parse(text).map(({ id }) => id)).toEqual(['a.js > x', 'a.js > x (2)'])
    expect(parse('<testsuites/>')).toEqual([])
  })

  it('reads the reports of this package', () => {
    const failure = { message: 'a <b> & "c"', text: '\u001B[31mred\u001B[0m' }
    const suite = { name: 's', cases: [{ classname: 'c', name: 'n', failure }] }
    expect(brief(renderJunit([suite]))).toEqual([['c', 'n', 'failed', undefined, 'a <b> & "c"']])
  })

  it('does not expand the entities of a document', () => {
    const text = `<!DOCTYPE x [<!ENTITY a "${'b'.repeat(99)}"><!ENTITY c "&a;&a;">]><testsuite><testcase name="&c;"/></testsuite>`
    expect(parse(text)[0]?.name).toBe('&c;')
  })

  it.each([
    ['{}', /Failed to read the test results in results.xml: the text is not XML, or is truncated/],
    ['', /not XML/],
    ['<testsuites><testsuite>', /truncated/],
    ['<testsuites></testsuite></testsuites>', /not XML/],
    ['<html></html>', /the root element is <html>, not <testsuites>/],
  ])('refuses %s', (text, message) => {
    expect(() => parse(text)).toThrow(PlantMockError)
    expect(() => parse(text)).toThrow(message)
  })

  it('throws no other error, for any text', () => {
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
    fc.assert(
      fc.property(text, (source) => {
        try {
          expect(Array.isArray(parse(source))).toBe(true)
        } catch (error) {
          expect(error).toBeInstanceOf(PlantMockError)
        }
      }),
    )
  })

  it('reads a document with a million levels in bounded time', () => {
    const deep = '<testsuite>'.repeat(100_000) + '</testsuite>'.repeat(100_000)
    expect(parse(deep)).toEqual([])
  })
})
