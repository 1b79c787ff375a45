import { describe, expect, it } from 'vitest'
import { renderJunit } from '../../src/util/junit.ts'

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
