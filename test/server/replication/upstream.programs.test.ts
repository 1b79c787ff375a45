import { bearer } from 'plant-mock'
import { type StartOptions, startPlantMock } from 'plant-mock/node'
import { sharedState } from 'plant-mock/redis'
import { describe, expect, it } from 'vitest'
import { skipsRedis, startRedis } from '../../support/redis-server.ts'
import { storeOfItsOwn } from '../../support/replicas.ts'
import { useServers } from '../../support/start.ts'
import { as, post } from '../../support/targets.ts'
import { sendJson } from '../../support/upstream.ts'

const { closers, serve } = useServers()

const secret = 'a-token-of-forty-characters-that-is-real'
const plants = [{ name: 'Aloe vera', tag: 'succulent' }]

const openPair = async (options: StartOptions) => {
  const store = await storeOfItsOwn()
  const start = async () => {
    const started = await startPlantMock({ onNotice: () => undefined, ...options, store: sharedState(store) })
    closers.push(started.close)
    return started
  }
  return [await start(), await start()] as const
}

describe.skipIf(skipsRedis)('replicas in front of an upstream', () => {
  it('forward, and share the journal and violations', async () => {
    const { url: upstream } = await serve((req, res) =>
      req.method === 'POST' ? sendJson(res, 201, { token: secret }) : sendJson(res, 200, plants, { 'x-own': '1' }),
    )
    const [one, other] = await openPair({ upstream: { url: upstream, for: 'all', check: 'report' } })
    const listed = await fetch(`${one.url}/plants`, as(secret))
    expect([await listed.json(), listed.headers.get('x-own'), listed.headers.get('plant-mock-source')]).toEqual([
      plants,
      '1',
      'upstream',
    ])
    const created = await fetch(`${other.url}/plants`, post({ id: 1, ...plants[0] }, bearer(secret)))
    expect(await created.json()).toEqual({ token: secret })
    const journals = await Promise.all([one, other].map(({ mock }) => mock.requests.all()))
    expect(journals[1]).toEqual(journals[0])
    expect(journals[0]).toMatchObject([
      { id: 1, source: 'upstream', caller: 'caller-1', response: { json: plants, headers: { 'x-own': '1' } } },
      {
        id: 2,
        source: 'upstream',
        caller: 'caller-1',
        violations: [{ in: 'response' }, { in: 'response' }, { detail: 'token is not a field of a plant.' }],
      },
    ])
    expect(JSON.stringify(journals)).not.toContain(secret)
  })

  it('pass on what the upstream did, when the store is lost meanwhile', async () => {
    const redis = await startRedis()
    closers.push(redis.close)
    let answer: () => void = () => undefined
    let arrive: () => void = () => undefined
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve
    })
    const { url: upstream } = await serve((_, res) => {
      answer = () => sendJson(res, 201, plants[0])
      arrive()
    })
    const { url, close } = await startPlantMock({
      onNotice: () => undefined,
      upstream: { url: upstream, for: 'all' },
      store: sharedState({ url: redis.url }),
    })
    closers.push(close)
    const created = fetch(`${url}/plants`, post({ id: 1, ...plants[0] }))
    await arrived
    await redis.kill()
    answer()
    expect([(await created).status, await (await created).json()]).toEqual([201, plants[0]])
  })
})
