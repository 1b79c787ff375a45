import { describe, expect, it } from 'vitest'
import { fern } from '../../support/plants.ts'
import { problemOf } from '../../support/problem.ts'
import { as, post, targetsFor } from '../../support/targets.ts'
import { useTarget } from '../../support/use-target.ts'

type Case = readonly [title: string, init: RequestInit, status: number, problem: string]

const invalidTokens: readonly Case[] = [
  ['no Authorization', {}, 401, 'missing-token'],
  ['another scheme', { headers: { authorization: 'Basic YWxpY2U6c2VjcmV0' } }, 401, 'missing-token'],
  ['a token without a scheme', { headers: { authorization: 'alice' } }, 401, 'missing-token'],
  ['a longer scheme', { headers: { authorization: 'Bearers alice' } }, 401, 'missing-token'],
  ['a scheme without a token', { headers: { authorization: 'Bearer' } }, 401, 'invalid-token'],
  ['two tokens', { headers: { authorization: 'Bearer alice bob' } }, 401, 'invalid-token'],
  ['a quoted token', { headers: { authorization: 'Bearer "alice"' } }, 401, 'invalid-token'],
  ['a comma in the token', { headers: { authorization: 'Bearer alice,bob' } }, 401, 'invalid-token'],
  ['a token that begins with an equals sign', { headers: { authorization: 'Bearer =alice' } }, 401, 'invalid-token'],
  ['a token with a letter beyond ASCII', { headers: { authorization: 'Bearer \u00E9mile' } }, 401, 'invalid-token'],
]

describe.each(targetsFor('authentication'))('authentication on $name', ({ open }) => {
  const target = useTarget(open)

  it.each(invalidTokens)('refuses a list with %s', async (_, init, status, type) => {
    const response = await target.request('/plants', init)
    expect(response.status).toBe(status)
    expect(response.headers.get('www-authenticate')).toBe(
      type === 'missing-token' ? 'Bearer realm="plants"' : 'Bearer realm="plants", error="invalid_token"',
    )
    expect((await problemOf(response)).type).toBe(`urn:problem-type:plant-mock:${type}`)
  })

  it.each(invalidTokens)('refuses a create with %s and stores nothing', async (_, init) => {
    const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string>) }
    const response = await target.request('/plants', { method: 'POST', headers, body: JSON.stringify(fern) })
    expect(response.status).toBe(401)
    expect(await target.mock.plants.all()).toEqual([])
  })

  it.each(['Bearer alice', 'bearer alice', 'BEARER alice', 'Bearer   alice'])(
    'reads "%s" as the caller alice',
    async (authorization) => {
      await target.request('/plants', post(fern))
      expect(await (await target.request('/plants', { headers: { authorization } })).json()).toHaveLength(1)
    },
  )

  it('accepts every character of a bearer token (RFC 6750, 2.1)', async () => {
    const caller = 'aZ09-._~+/=='
    await target.request('/plants', post(fern, { authorization: `Bearer ${caller}` }))
    expect(await target.mock.plants.visibleTo(caller)).toEqual([{ ...fern, access: [caller] }])
  })

  it('accepts only the configured tokens and those that plants name', async () => {
    await target.reopen({ tokens: ['alice'], fixtures: [{ ...fern, access: ['bob'] }] })
    const status = async (caller: string) => (await target.request('/plants', as(caller))).status
    expect([await status('alice'), await status('bob'), await status('carol')]).toEqual([200, 200, 401])
  })

  it('accepts a token that plants name only as long as one does', async () => {
    await target.reopen({ assume: { 'auth.tokens': 'listed' }, fixtures: [{ ...fern, access: ['alice'] }] })
    const status = async (caller: string) => (await target.request('/plants', as(caller))).status
    await target.mock.plants.update({ id: fern.id }, { access: ['bob'] })
    expect([await status('alice'), await status('bob')]).toEqual([401, 200])
    await target.mock.plants.remove({})
    expect(await status('bob')).toBe(401)
  })
})
