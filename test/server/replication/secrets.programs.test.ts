import { plantMiddleware, startPlantMock } from 'plant-mock/node'
import { sharedState } from 'plant-mock/redis'
import { describe, expect, it } from 'vitest'
import { listen } from '../../support/conformance.ts'
import { skipsRedis, startRedis } from '../../support/redis-server.ts'
import { storeOfItsOwn } from '../../support/replicas.ts'
import { useServers } from '../../support/start.ts'
import { openConnection } from '../../support/wire.ts'

const { closers } = useServers()

const token = 'the-token-of-a-caller-0123456789'
const other = 'another-callers-token-9876543210'
const configured = 'a-configured-token-5555555555555'
const cookie = 'cookie-value-that-is-secret-4711'
const password = 'correct-horse-battery-staple'
const secrets = [token, other, configured, cookie, btoa(password)]

const sendCreate = async (url: string, body: Uint8Array<ArrayBuffer>) => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/plants`, { method: 'POST', headers, body })
  return [response.status, response.headers.get('plant-mock-source'), await response.text()]
}

describe.skipIf(skipsRedis)('a body of another size than its text', () => {
  it.each<[string, Uint8Array<ArrayBuffer>]>([
    ['with a byte order mark', Buffer.from('\uFEFF{"id":1,"name":"Fern","tag":"t"}')],
    ['that is large and not UTF-8', Buffer.alloc(20_000, 0xff)],
  ])('%s is answered as in memory', async (_, body) => {
    const store = sharedState(await storeOfItsOwn())
    const [alone, shared] = [await startPlantMock(), await startPlantMock({ store })]
    closers.push(alone.close, shared.close)
    expect(await sendCreate(shared.url, body)).toEqual(await sendCreate(alone.url, body))
    expect(await shared.mock.violations()).toEqual(await alone.mock.violations())
  })
})

describe.skipIf(skipsRedis)('a repeated header', () => {
  it('is ignored where the server in front of the mock ignores it', async () => {
    const { mock, close } = await startPlantMock({ store: sharedState(await storeOfItsOwn()) })
    closers.push(close)
    const middleware = plantMiddleware(mock)
    const { url, close: closeServer } = await listen((req, res) => middleware(req, res, () => undefined))
    closers.push(closeServer)
    const { send, ended } = openConnection(url)
    const fields = ['Host: x', 'Connection: close', `Authorization: Bearer ${token}`, 'Content-Length: 32']
    const types = ['Content-Type: application/json', 'Content-Type: text/plain']
    send(['POST /plants HTTP/1.1', ...fields, ...types, '', '{"id":1,"name":"Fern","tag":"t"}'].join('\r\n'))
    expect(await ended).toMatch(/^HTTP\/1.1 201 /)
  })
})

describe.skipIf(skipsRedis)('what reaches the store', () => {
  it('has no token: neither of headers, query, path and body, nor of fixtures, faults and changes', async () => {
    const redis = await startRedis()
    closers.push(redis.close)
    const { url, mock, controlUrl, close } = await startPlantMock({
      fixtures: [{ id: 1, name: 'Fern', tag: 't', access: [token, configured] }],
      tokens: [token, other],
      assume: { 'auth.tokens': 'any' },
      callers: { ann: configured },
      // A small log makes the replica write a snapshot.
      store: sharedState({ url: redis.url, maxLogSize: 20_000 }),
    })
    closers.push(close)
    const bearer = { authorization: `Bearer ${token}` }
    const json = { ...bearer, 'content-type': 'application/json' }
    for (let round = 0; round < 12; round++) {
      await fetch(`${url}/plants?access_token=${other}&limit=1`, { headers: bearer })
      await fetch(`${url}/plants?x=${encodeURIComponent(`${token}`)}`, {
        headers: { ...bearer, cookie: `a=${cookie}` },
      })
      await fetch(`${url}/plants`, { headers: { authorization: `bearer   ${configured}` } })
      await fetch(`${url}/plants`, { headers: { authorization: `Basic ${btoa(password)}` } })
      await fetch(`${url}/plants`, { headers: { authorization: `Bearer ${token} and more` } })
      await fetch(`${url}/elsewhere/${token}/x`, { headers: { 'x-auth-token': other, 'x-other': `see ${token}` } })
      for (const body of [
        { id: round + 10, name: 'Aloe', tag: 't', token, nested: { configured } },
        { id: round + 30, name: 'Fern', tag: 't', [`of ${token}`]: other },
        { id: `${token}`, name: 7 },
        `{"id": ${round + 50}, "name": "x", "tag": "y", "note": "${token}"`,
        [token, other],
      ])
        await fetch(`${url}/plants`, {
          method: 'POST',
          headers: json,
          body: typeof body === 'string' ? body : JSON.stringify(body),
        })
    }
    await mock.seed([{ name: 'Mint', tag: 't', access: [other] }])
    await mock.plants.update({ access: [other] }, { access: [token] })
    await mock.plants.update(({ name }) => name === 'Mint', { access: [other, token] })
    await mock.plants.remove({ access: [other, token] })
    await mock.fail({ caller: other, status: 503 })
    await mock.replaceFixtures([{ name: 'Sage', tag: 't', access: [configured] }])
    await fetch(`${controlUrl}plants?callers=pseudonyms`)
    const stored = await redis.everything()
    expect(stored).toContain('\r\nsnapshot\r\n')
    expect(secrets.filter((secret) => stored.includes(secret))).toEqual([])
    expect(stored).toContain('Sage')
    expect(stored).toMatch(/sha256\.[\w-]{43}/)
    const [first] = await mock.requests.all()
    expect(first?.caller).toMatch(/^caller-\d$/)
  })

  it('has no short secret of a header either', async () => {
    const redis = await startRedis()
    closers.push(redis.close)
    const { url, mock, close } = await startPlantMock({ store: sharedState({ url: redis.url }) })
    closers.push(close)
    const headers: readonly Record<string, string>[] = [
      { 'x-api-key': 'shortkey-A1', cookie: 'sid=shortck-B2', 'x-auth-token': 'short-C3' },
      { authorization: 'Basic dTpwdw==' },
      { authorization: 'shortpw-D4' },
      { authorization: 'Bearer' },
    ]
    const statuses: number[] = []
    for (const sent of headers) statuses.push((await fetch(`${url}/plants`, { headers: sent })).status)
    const stored = await redis.everything()
    const journal = JSON.stringify(await mock.requests.all())
    for (const secret of ['shortkey-A1', 'shortck-B2', 'short-C3', 'dTpwdw==', 'shortpw-D4'])
      expect([secret, stored.includes(secret), journal.includes(secret)]).toEqual([secret, false, false])
    expect(statuses).toEqual([401, 401, 401, 401])
  })

  it('comes back in the journal without a token of fixtures or requests, in any encoding', async () => {
    const escaped = 'aB+cD/eF1234567890=='
    const { url, mock, close } = await startPlantMock({
      fixtures: [{ id: 1, name: `of ${token}`, tag: 't', access: [token] }],
      assume: { 'auth.tokens': 'any' },
      store: sharedState(await storeOfItsOwn()),
    })
    closers.push(close)
    const list = async (path: string, caller: string) =>
      (await fetch(url + path, { headers: { authorization: `Bearer ${caller}` } })).text()
    await list('/plants', token)
    await list(`/plants?limit=%74${token.slice(1)}`, token)
    await fetch(`${url}/plants`, {
      method: 'POST',
      headers: { authorization: `Bearer ${escaped}`, 'content-type': 'application/json' },
      body: `{"id":5,"name":"${escaped.replaceAll('+', '\\u002B')}","tag":"x"}`,
    })
    await list('/plants', escaped)
    const journal = JSON.stringify(await mock.requests.all())
    expect([token, escaped].filter((secret) => journal.includes(secret))).toEqual([])
  })

  it('has no token of a caller whom the replica knows, in a later request of another one', async () => {
    const { url, mock, close } = await startPlantMock({ store: sharedState(await storeOfItsOwn()) })
    closers.push(close)
    for (const [path, caller] of [
      ['/plants', token],
      [`/plants?of=${token}`, other],
    ])
      await fetch(url + path, { headers: { authorization: `Bearer ${caller}` } })
    expect((await mock.requests.last())?.url).toBe('/plants?of=caller-1')
  })
})
