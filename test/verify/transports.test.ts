import { describe, expect, it } from 'vitest'
import { baseUrl, check, fixtures, hiddenUnder, notAgreeing, tokens } from '../support/conformance.ts'
import { targetsFor } from '../support/targets.ts'

describe.each(targetsFor('conformance'))('$name', ({ open, seesOtherPaths }) => {
  it('keeps every rule and agrees with every assumption', async () => {
    const target = await open({ fixtures: fixtures.garden ?? [], tokens: Object.values(tokens), assume })
    const report = await check((url, init) => target.request(url.slice(baseUrl.length), init))
    await target.close()
    expect(report.rules.filter(({ outcome }) => outcome !== 'passed')).toEqual([])
    const otherPaths = seesOtherPaths ? [] : ['operation.delete']
    expect(notAgreeing(report).toSorted()).toEqual([...hiddenUnder(assume), ...otherPaths].sort())
  })
  const assume = { 'auth.tokens': 'any' } as const
})
