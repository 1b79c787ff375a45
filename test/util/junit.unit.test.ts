import { describe, expect, it } from 'vitest'
import { renderJunit } from '../../src/util/junit.ts'
import { eraseLine, painter, usesColour } from '../../src/util/terminal.ts'

describe('a JUnit report', () => {
  it('counts and times its cases, by suite and in total', () => {
    const report = renderJunit([
      {
        name: 'a <suite> & more',
        time: 1,
        cases: [
          { classname: 'c', name: 'passes', time: 0.25 },
          { classname: 'c', name: 'fails', failure: { message: 'one "two"', text: 'a\nb' } },
        ],
      },
      {
        name: 'other',
        cases: [
          { classname: 'c', name: 'is skipped', skipped: 'why' },
          { classname: 'c', name: 'prints', output: 'out\u0000 \uD800' },
        ],
      },
    ])
    expect(report.split('\n')).toEqual([
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<testsuites tests="4" failures="1" skipped="1" time="1.000">',
      '  <testsuite name="a &lt;suite&gt; &amp; more" tests="2" failures="1" skipped="0" time="1.000">',
      '    <testcase classname="c" name="passes" time="0.250"/>',
      '    <testcase classname="c" name="fails"><failure message="one &quot;two&quot;">a&#10;b</failure></testcase>',
      '  </testsuite>',
      '  <testsuite name="other" tests="2" failures="0" skipped="1">',
      '    <testcase classname="c" name="is skipped"><skipped message="why"/></testcase>',
      '    <testcase classname="c" name="prints"><system-out>out\\u0000 \uFFFD</system-out></testcase>',
      '  </testsuite>',
      '</testsuites>',
      '',
    ])
  })

  it('has no time when its suites have none', () => {
    expect(renderJunit([{ name: 's', cases: [] }])).toContain('<testsuites tests="0" failures="0" skipped="0">')
  })
})

describe('colours', () => {
  it('are used at a terminal that takes them, unless NO_COLOR is set and not empty', () => {
    expect([true, false, undefined].map((isTerminal) => usesColour(isTerminal, {}))).toEqual([true, false, false])
    expect(usesColour(true, { NO_COLOR: '' })).toBe(true)
    expect(usesColour(true, { NO_COLOR: '1' })).toBe(false)
    expect(usesColour(true, { TERM: 'dumb' })).toBe(false)
  })

  it('are switched on and off around a text', () => {
    expect([painter(true)('red', 'x'), painter(false)('red', 'x')]).toEqual(['\u001B[31mx\u001B[39m', 'x'])
    expect(eraseLine).toBe('\r\u001B[K')
  })
})
