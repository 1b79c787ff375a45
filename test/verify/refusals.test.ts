import { type FetchLike, renderConformance } from 'plant-mock/conformance'
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
        reason: 'no later create succeeds, so a refusal proves nothing',
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

describe('a create that is refused', () => {
  it('and stored gives advice', async () => {
    const ids = new Set<unknown>()
    const gateway: Gateway = (next) => async (request) => {
      const response = await next(request)
      const { id } = response.ok && request.method === 'POST' ? (JSON.parse(request.text) as { id?: unknown }) : {}
      const isTaken = id !== undefined && ids.has(id)
      ids.add(id)
      return isTaken
        ? new Response('{"error":"taken"}', { status: 409, headers: { 'content-type': 'application/json' } })
        : response
    }
    const service = quirkyService({ duplicates: 'accept', gateway })
    const report = await check(service, { now: service.now, wait: service.wait, skip: ['body.maxSize'] })
    expect(ruleOf(report, 'robust.refusal')).toMatchObject({
      outcome: 'advised',
      reason: expect.stringContaining('a create was refused with 409, but lists show its plant'),
    })
    expect(report.conforms).toBe(true)
  })

  it('because it was carried out before a lost response gives none', async () => {
    let lost = 0
    const service = quirkyService()
    const { now, wait } = service
    const fetch: FetchLike = async (url, init) => {
      const response = await service(url, init)
      if (init.method === 'POST' && response.ok && ++lost === 20) throw new TypeError('the connection was reset')
      return response
    }
    const report = await check(fetch, { now, wait })
    expect(ruleOf(report, 'robust.refusal')).toMatchObject({ outcome: 'passed' })
  })
})

describe('advice', () => {
  it('has an outcome of its own in each form of the report', async () => {
    const report = await check(wrongService(['wrong types are accepted']), { skip: ['body.maxSize'] })
    expect(renderConformance(report)).toMatch(/^Advice\n {2}robust\.refusal: /m)
    expect(renderConformance(report)).toContain('0 broken, 0 skipped. Advice: 1.')
    expect(renderConformance(report, 'json')).toContain('"outcome": "advised"')
    expect(renderConformance(report, 'junit')).toMatch(/failures="0"[\s\S]*robust\.refusal[\s\S]*Advice: /)
  })
})
