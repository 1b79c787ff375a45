import { createPlantMock, defaultAssumptions, PlantMockError } from 'plant-mock'
import { checkConformance } from 'plant-mock/conformance'
import { describe, expect, it } from 'vitest'
import { baseUrl, check, hiddenUnder, idsOf, recording, tokens } from '../support/conformance.ts'
import { quirkyService } from '../support/quirky-service.ts'
import { wrongService } from '../support/wrong-service.ts'

describe('options', () => {
  it('select rules', async () => {
    const { rules } = await check(wrongService(), { rules: ['list.limit', 'auth.list'] })
    expect(rules.map(({ id }) => id).sort()).toEqual(['auth.list', 'list.limit'])
    expect((await check(wrongService(), { rules: [] })).rules).toEqual([])
  })

  it('skip rules and assumptions', async () => {
    const skip = ['list.access', 'list.order'] as const
    const { rules, assumptions } = await check(wrongService(['callers see everything']), { skip })
    expect(rules.filter(({ outcome }) => outcome === 'failed')).toEqual([])
    const ids = [...rules, ...assumptions].map(({ id }) => id)
    const all = await check(wrongService())
    const others = [...all.rules, ...all.assumptions]
      .map(({ id }) => id)
      .filter((id) => !skip.some((left) => left === id))
    expect(ids).toEqual(others)
  })

  it('without the token of another caller skip the rule that needs it', async () => {
    const report = await check(quirkyService({ leaks: () => true }), { tokens: { caller: tokens.caller } })
    expect(report.rules).toContainEqual(
      expect.objectContaining({ id: 'list.access', reason: 'the token of a second caller is missing' }),
    )
    expect(report.conforms).toBe(true)
  })

  it('give the assumptions to compare with', async () => {
    const assumptions = { ...defaultAssumptions, 'create.status': 200 } as const
    const report = await check(createPlantMock().fetch, { assumptions })
    const hidden = hiddenUnder(assumptions)
    const others = report.assumptions.filter(({ id, outcome }) => outcome !== 'agrees' && !hidden.includes(id))
    expect(others).toEqual([
      expect.objectContaining({ id: 'create.status', outcome: 'differs', assumed: 200, found: 201 }),
    ])
  })

  it('add headers to every request', async () => {
    const service = recording(wrongService())
    await check(service, { headers: { 'X-Team': 'frontend', 'Content-Type': 'text/plain' } })
    expect(service.sent.filter(({ headers }) => headers.get('x-team') !== 'frontend')).toEqual([])
    // A header that is set twice would have two values, joined by a comma.
    const types = service.sent.map(({ headers }) => headers.get('content-type') ?? '')
    expect(types.filter((type) => type.includes(','))).toEqual([])
  })

  it('receive each rule and assumption as progress, and the sweep of limits', async () => {
    const progressed: (readonly [string, number, number])[] = []
    const { rules, assumptions } = await check(wrongService(), {
      onProgress: (...progress) => progressed.push(progress),
    })
    const ids = [...rules, ...assumptions].map(({ id }) => id)
    expect(progressed.map(([id]) => id).sort()).toEqual([...ids, 'delete.missingStatus', 'limits'].sort())
    const counted = progressed.filter(([id]) => id !== 'limits').map(([, done, total]) => [done, total])
    expect(counted).toEqual(counted.map((_, i) => [i, counted.length]))
  })

  it.each(['http://plants.example/v1', 'http://plants.example/v1/', 'HTTP://plants.example:80/v1//'])(
    'accept the address %s',
    async (baseUrl) => {
      const service = recording(wrongService())
      const report = await check(service, { baseUrl, rules: ['list.succeeds'] })
      expect(report.baseUrl).toBe('http://plants.example/v1')
      const paths = service.sent.map(({ url }) => url.split('?')[0]?.replace(/\d+$/, '7'))
      expect([...new Set(paths)].sort()).toEqual(
        ['/plant-mock-check', '/plants', '/plants/7'].map((path) => report.baseUrl + path),
      )
    },
  )

  it.each([
    ['an option of another name', { url: 'http://plants.example' } as object, /baseUrl/],
    [
      'an unknown rule',
      { rules: ['list.limt'] },
      /^Unknown rule "list\.limt"\. Did you mean "list\.limit"\? The rules are list\.succeeds, /,
    ],
    [
      'an unknown id to skip',
      { skip: ['list.ordr'] },
      /^Unknown rule or assumption "list\.ordr" in skip\. Did you mean "list\.order"\?$/,
    ],
    ['the same token twice', { tokens: { caller: 'secret-a', other: 'secret-a' } }, /tokens are the same/],
    ['an invalid token', { tokens: { caller: 'secret a' } }, /not a valid bearer token/],
    ['an empty token', { tokens: { caller: 'secret-a', other: '' } }, /not a valid bearer token/],
    ['an address without a scheme', { baseUrl: 'plants.example' }, /"plants\.example" is not an HTTP address/],
    ['an address that is not HTTP', { baseUrl: 'ftp://plants.example' }, /is not an HTTP address/],
    [
      'a password in an invalid address',
      { baseUrl: 'https://me:secret@host:99999' },
      /"https:\/\/…@host:99999" is not/,
    ],
    ['a password with a space', { baseUrl: 'https://me:secret pw@host:99999' }, /"https:\/\/…@host:99999" is not/],
    ['a password of FTP', { baseUrl: 'ftp://me:secret@host' }, /"ftp:\/\/…@host" is not an HTTP address/],
    ['a password without a scheme', { baseUrl: '//me:secret@host' }, /"\/\/…@host" is not an HTTP address/],
    ['a password alone', { baseUrl: 'me:secret/@@host/p' }, /"…@host\/p" is not an HTTP address/],
    ['a query', { baseUrl: 'http://plants.example/?x=secret' }, /Remove the part from \? on/],
    ['an empty query', { baseUrl: 'http://plants.example/?' }, /Remove the part from \? on/],
    ['a fragment', { baseUrl: 'http://plants.example/#secret' }, /Remove the part from # on/],
    ['a password', { baseUrl: 'http://me:secret@plants.example/?x' }, /contains a user name or password/],
    ['a header Authorization', { headers: { AUTHORIZATION: 'Basic secret' } }, /header Authorization cannot be set/],
    ['an invalid header value', { headers: { 'X-Key': 'secret\u20AC' } }, /The header "X-Key" cannot be sent/],
    ['a timeout of 0', { timeout: 0 }, /timeout must be a number of milliseconds/],
    ['a timeout longer than that of a timer', { timeout: 2 ** 31 }, /timeout must be a number of milliseconds/],
    [
      'a first id with a fraction',
      { plant: { id: 0.5 } },
      /plant needs at least one of: name \(text\), tag \(text\), id/,
    ],
    [
      'a first id beyond what a number holds',
      { plant: { id: 2 ** 53 - 1 } },
      /plant needs at least one of: name \(text\)/,
    ],
    ['a plant with a colour', { plant: { colour: 'green' } as object }, /plant needs at least one of: name \(text\)/],
    ['a plant whose name is a number', { plant: { name: 1 } as object }, /plant needs at least one of: name \(text\)/],
  ])('are refused with %s, before any request and without repeating secrets', async (_, options, message) => {
    const service = recording(wrongService())
    const error = await check(service, options).catch((error: unknown) => error)
    expect(error).toBeInstanceOf(PlantMockError)
    expect((error as Error).message).toMatch(message)
    expect((error as Error).message).not.toContain('secret')
    expect(service.sent).toEqual([])
  })
})

describe('a signal', () => {
  it('stops a check, which reports the results so far', async () => {
    const stop = new AbortController()
    const service = recording(wrongService(['lists are declared as HTML']))
    const report = await check(service, {
      signal: stop.signal,
      onProgress: (id) => id === 'create.stored' && stop.abort(),
    })
    expect(idsOf(report, 'failed')).toEqual(['list.json'])
    expect(report.rules.at(-1)).toMatchObject({
      id: 'create.stored',
      outcome: 'skipped',
      reason: 'the check was stopped',
    })
    expect(report.assumptions).toEqual([])
    expect(service.sent.filter(({ method }) => method === 'PROPFIND')).toEqual([])
  })

  it('that was aborted before the check gives an empty report', async () => {
    const service = recording(wrongService())
    const report = await check(service, { signal: AbortSignal.abort() })
    expect([report.rules, report.assumptions, service.sent]).toEqual([[], [], []])
  })

  it('stops a check that waits for its first response, which gives an empty report', async () => {
    const stop = new AbortController()
    const report = await check(
      () => {
        stop.abort()
        return new Promise(() => undefined)
      },
      { signal: stop.signal },
    )
    expect([report.rules, report.requests]).toEqual([[], 1])
  })

  it('stops a check in the middle of a request, which breaks no rule, and reports a plant that may have been created', async () => {
    const stop = new AbortController()
    const service = wrongService()
    const report = await check(
      async (url, init) => {
        const text = new TextDecoder().decode(init.body as Uint8Array | undefined)
        if (!text.includes('of wrong types')) return service(url, init)
        stop.abort()
        return new Promise(() => undefined)
      },
      { signal: stop.signal, rules: ['robust.input'] },
    )
    expect(report.rules).toMatchObject([{ id: 'robust.input', outcome: 'skipped', reason: 'the check was stopped' }])
    expect(report.plants.at(-1)).toMatchObject({ tag: 'plant-mock check of wrong types', certain: false })
  })

  it('counts no request that was not sent', async () => {
    const stop = new AbortController()
    const service = recording(wrongService())
    const report = await check(service, {
      signal: stop.signal,
      rules: ['create.succeeds'],
      onProgress: (id) => id === 'create.succeeds' && stop.abort(),
    })
    expect(report.requests).toBe(service.sent.length)
    expect(report.plants).toEqual([])
  })

  it('stops a check that waits because of a rate limit', async () => {
    const stop = new AbortController()
    const service = wrongService()
    const report = await checkConformance({
      baseUrl,
      tokens,
      signal: stop.signal,
      fetch: async (url, init) => {
        if (init.method !== 'POST') return service(url, init)
        // The wait begins after the client has read the body.
        setImmediate(() => setImmediate(() => stop.abort()))
        return new Response('', { status: 429, headers: { 'retry-after': '50' } })
      },
    })
    expect(report.rules.at(-1)).toMatchObject({ outcome: 'skipped', reason: 'the check was stopped' })
  })
})

it.each<readonly [unknown, string]>([
  ['no network', 'no network'],
  [new TypeError('fetch failed', { cause: new Error('wrong version number\n') }), 'wrong version number'],
  [undefined, 'undefined'],
])('the reason of a fetch that rejects with %o is in the message', async (thrown, reason) => {
  const check = checkConformance({
    baseUrl: 'http://127.0.0.1:9',
    tokens: { caller: 'alice' },
    fetch: () => Promise.reject(thrown),
  })
  await expect(check).rejects.toThrow(`http://127.0.0.1:9 cannot be reached: ${reason}.`)
  await expect(check).rejects.toMatchObject({ cause: { message: reason, cause: thrown } })
})
