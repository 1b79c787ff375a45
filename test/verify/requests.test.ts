import { createPlantMock, defaultAssumptions, type NewPlant } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { collectGarbage } from '../support/collect-garbage.ts'
import { assumptionOf, check, fixtures, idsOf, maxCreated, recording, tokens } from '../support/conformance.ts'
import { quirkyService } from '../support/quirky-service.ts'
import { wrongService } from '../support/wrong-service.ts'

describe('a check', () => {
  it('creates nothing with readOnly, and gives that as the reason for each skipped rule', async () => {
    const mock = createPlantMock({ fixtures: fixtures.garden ?? [] })
    const report = await check(mock.fetch, { readOnly: true })
    expect(await mock.plants.all()).toEqual(fixtures.garden)
    const skipped = report.rules.filter(({ outcome }) => outcome === 'skipped')
    expect(skipped.map(({ id }) => id)).toContain('create.succeeds')
    for (const rule of skipped) expect(rule).toMatchObject({ reason: 'it creates plants, and the check is read-only' })
    expect(report).toMatchObject({ conforms: true, created: 0 })
  })

  it('sends no create with readOnly, not even an invalid one', async () => {
    const service = recording(wrongService(['wrong types are accepted', 'creates need no token']))
    await check(service, { readOnly: true })
    expect([...new Set(service.sent.map(({ method }) => method))].sort()).toEqual(['GET', 'OPTIONS', 'PROPFIND'])
  })

  it('finds with readOnly the assumptions that show without a create', async () => {
    const assumptions = {
      ...defaultAssumptions,
      'list.defaultLimit': 20,
      'error.invalidStatus': 422,
      'list.zeroLimit': 'reject',
    } as const
    const mock = createPlantMock({ fixtures: fixtures.crowded ?? [], assume: assumptions })
    const report = await check(mock.fetch, { readOnly: true, assumptions })
    expect(report.assumptions.filter(({ outcome }) => outcome === 'differs' || outcome === 'other')).toEqual([])
    for (const id of ['list.defaultLimit', 'list.maxLimit', 'error.invalidStatus', 'list.zeroLimit', 'rate.limit'])
      expect(assumptionOf(report, id)).toMatchObject({ id, outcome: 'agrees' })
  })

  it('reports limits as unseen with readOnly if there are too few plants to tell', async () => {
    const report = await check(createPlantMock().fetch, { readOnly: true })
    expect(idsOf(report, 'failed')).toEqual([])
    expect(report.rules).toContainEqual(
      expect.objectContaining({ id: 'list.limit', reason: 'there are fewer than two plants to list' }),
    )
    for (const id of ['list.defaultLimit', 'list.maxLimit', 'list.zeroLimit'])
      expect(assumptionOf(report, id)).toMatchObject({ id, outcome: 'unseen' })
  })

  it('creates at most 125 plants at a service that accepts everything and stores nothing', async () => {
    const behaviours = ['wrong types are accepted', 'creates need no token', 'nothing is stored'] as const
    const service = recording(wrongService(behaviours))
    const { created } = await check(service)
    expect(created).toBeLessThanOrEqual(maxCreated)
    // Filling the store is useless where lists do not grow.
    expect(service.sent.filter(({ method }) => method === 'POST').length).toBeLessThan(70)
  })

  it('creates at most 125 plants at a service that accepts every create and loses plants', async () => {
    let plants: object[] = []
    let isLost = false
    const fetch = recording(async (url, init) => {
      const { method, body } = new Request(url, init)
      const limit = Number(new URL(url).searchParams.get('limit') ?? 1000)
      if (limit === 101 && !isLost) plants = []
      isLost ||= limit === 101
      if (method !== 'POST') return Response.json(plants.slice(0, limit))
      const text = await new Response(body).text()
      const { name, tag } = text.startsWith('{"id"') ? (JSON.parse(text) as NewPlant) : { name: 'x', tag: 'x' }
      plants.push({ name, tag })
      return Response.json({ name, tag }, { status: 201 })
    })
    const { created } = await check(fetch)
    expect(created).toBe(maxCreated)
    expect(fetch.sent.filter(({ method }) => method === 'POST')).toHaveLength(maxCreated)
  })

  it('sends no large body to a service that accepts invalid creates', async () => {
    const service = wrongService(['wrong types are accepted'])
    const sizes: number[] = []
    const report = await check((url, init) => {
      sizes.push((init.body as Uint8Array | undefined)?.byteLength ?? 0)
      return service(url, init)
    })
    expect(Math.max(...sizes)).toBeLessThan(20_000)
    expect(assumptionOf(report, 'body.maxSize')).toMatchObject({
      outcome: 'unseen',
      reason: 'a create with wrong types is accepted, so no large body was sent',
    })
  })

  it('says how large a body was taken if none is too large', async () => {
    const mock = createPlantMock({ assume: { 'body.maxSize': 'none' } })
    const report = await check(mock.fetch)
    expect(assumptionOf(report, 'body.maxSize')).toMatchObject({ found: 'none', upTo: 1024 * 1024 + 1 })
  })

  it('sends one request at a time, except six creates', async () => {
    const service = wrongService()
    let atOnce = 0
    let maxAtOnce = 0
    await check(async (url, init) => {
      maxAtOnce = Math.max(maxAtOnce, ++atOnce)
      const response = await service(url, init)
      atOnce--
      return response
    })
    expect(maxAtOnce).toBe(6)
  })

  it('keeps no request and no response in memory', async () => {
    const service = quirkyService()
    const used: WeakRef<object>[] = []
    const report = await check(async (url, init) => {
      const response = await service(url, init)
      for (const object of [init, init.signal ?? {}, response]) used.push(new WeakRef(object))
      return response
    })
    await collectGarbage()
    expect(used).toHaveLength(3 * report.requests)
    expect(used.filter((object) => object.deref() !== undefined).length).toBeLessThan(10)
  })

  it('sends both tokens, a made-up token, and none', async () => {
    const service = recording(wrongService())
    await check(service)
    const callers = new Set(service.sent.map(({ headers }) => headers.get('authorization')))
    for (const expected of [`Bearer ${tokens.caller}`, `Bearer ${tokens.other}`, null])
      expect(callers).toContain(expected)
    expect([...callers].filter((caller) => caller?.startsWith('Bearer plant-mock-check-'))).toHaveLength(1)
  })
})
