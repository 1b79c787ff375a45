import { describe, expect, it } from 'vitest'
import { assumptionOf, check, ruleOf } from '../support/conformance.ts'
import { type Gateway, quirkyService } from '../support/quirky-service.ts'
import { wrongService } from '../support/wrong-service.ts'

describe('a refusal', () => {
  it('of requests without a token may be a redirect', async () => {
    const report = await check(wrongService(['no token redirects to a login']))
    for (const id of ['auth.list', 'auth.create']) expect(ruleOf(report, id)).toMatchObject({ outcome: 'passed' })
  })

  it('of a wrong type shows nothing when all later creates are refused too', async () => {
    const withQuota: Gateway = (next) => {
      let creates = 0
      return async (request) =>
        request.method === 'POST' && creates++ > 0 ? new Response('quota', { status: 422 }) : next(request)
    }
    const { rules } = await check(quirkyService({ gateway: withQuota }), { rules: ['robust.refusal'] })
    expect(rules).toEqual([
      {
        id: 'robust.refusal',
        section: '',
        statement: 'A create whose fields have wrong types is refused, and a refused create adds nothing.',
        reliesOnRefusals: undefined,
        outcome: 'skipped',
        reason: 'no later create succeeds, so a refusal shows nothing',
      },
    ])
  })

  it.each([
    [
      '<error>{detail}</error>',
      'application/xml',
      'application/xml that differs in more than status, title and detail',
    ],
    ['["no"]', 'application/json', 'application/json'],
    ['no', undefined, 'a body without a Content-Type'],
  ])('with the body %s as %s is reported as %s', async (body, type, found) => {
    const failure = (status: number) =>
      new Response(new TextEncoder().encode(body), { status, headers: type ? { 'content-type': type } : {} })
    const report = await check(quirkyService({ failure }), { readOnly: true, rules: [] })
    expect(assumptionOf(report, 'error.body')).toMatchObject({ outcome: 'other', found })
  })
})
