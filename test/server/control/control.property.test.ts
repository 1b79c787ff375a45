import fc from 'fast-check'
import { type StartedPlantMock, startPlantMock } from 'plant-mock/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { edit, edited } from '../../support/edits.ts'
import { runs } from '../../support/runs.ts'
import { openConnection, parseResponses, requestText, sendRaw } from '../../support/wire.ts'

let server: StartedPlantMock
beforeAll(async () => {
  server = await startPlantMock({ fixtures: ['garden'] })
})
afterAll(() => server.close())

const plants = { plants: [{ id: 900, name: 'a', tag: 'b', access: ['alice'] }] }
const calls: readonly (readonly [line: string, body?: object | undefined])[] = [
  ['POST /plants', plants],
  ['PUT /plants', plants],
  ['PATCH /plants', { filter: { id: 3, name: 'a', access: null }, patch: { tag: 'b', access: ['alice'] } }],
  ['PATCH /plants?callers=pseudonyms', { ...plants, patch: { id: null, access: ['caller-1'] } }],
  ['POST /plants/remove', { filter: { tag: 'succulent' } }],
  ['POST /plants/search', { filter: { tag: 'succulent' } }],
  ['DELETE /plants'],
  ['POST /requests', { method: 'GET', url: '/plants', headers: { accept: '*/*' }, caller: 'alice' }],
  ['PATCH /assumptions', { 'create.status': 200, 'list.order': 'newest' }],
  ['POST /requests/search', { operation: 'listPlants', method: 'GET', status: 200, violating: true }],
  ['POST /requests/count', { caller: 'alice', source: 'fault', problem: 'duplicate-id', fault: 'endless' }],
  [
    'POST /faults',
    { operation: 'listPlants', status: 503, body: { a: [1] }, headers: { 'Retry-After': '1' }, times: 2 },
  ],
  ['POST /faults', { caller: 'alice', endless: true, probability: 0.5, delay: [1, 2] }],
  ['POST /reset'],
  ['PUT /snapshots/one'],
  ['POST /snapshots/one/restore'],
  ['DELETE /snapshots/one'],
  ['PUT /fixtures/empty'],
  ['DELETE /requests'],
  ['DELETE /faults'],
  ['DELETE /faults/fault-1'],
  ['DELETE /sessions/one'],
  ['GET /state'],
  ['GET /plants'],
  ['GET /requests?status=200'],
  ['GET /requests/1'],
  ['GET /assumptions'],
]

const isJson = 'Content-Type: application/json'
const callText = ([line, body]: (typeof calls)[number], headers: readonly string[] = [isJson]): string => {
  const [method, path] = line.split(' ')
  const text = body === undefined ? '' : JSON.stringify(body)
  return requestText(`${method} /__plant-mock${path}`, ['Connection: close', ...headers], text)
}

const send = async (text: string) => {
  const [answer] = parseResponses(await sendRaw(server.url, text))
  return answer ?? { status: 0, headers: {}, body: '' }
}

const all = async () => {
  const { mock, url } = server
  return JSON.stringify([
    await mock.plants.all(),
    await mock.assumptions(),
    await mock.faults(),
    (await mock.requests.all()).length,
    await mock.sessions.all(),
    parseResponses(await sendRaw(url, callText(['GET /snapshots'])))[0]?.body,
  ])
}

const anyCall = fc.constantFrom(...calls)
const withBody = fc.constantFrom(...calls.filter(([, body]) => body !== undefined))

describe('a control call', () => {
  it('is accepted, or refused with 400 and without any effect', async () => {
    const statuses = new Map<number, number>()
    const inherited = Reflect.ownKeys(Object.prototype)
    const property = fc.asyncProperty(withBody, fc.array(edit, { maxLength: 3 }), async ([line, body], edits) => {
      const before = await all()
      const answer = await send(callText([line, edits.reduce(edited, body) as object]))
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      expect([200, 204, 400]).toContain(answer.status)
      if (answer.status === 400) {
        expect(JSON.parse(answer.body)).toMatchObject({ status: 400, detail: expect.stringMatching(/\S/) })
        expect(await all()).toBe(before)
      }
      const { mock, url } = server
      if ((await mock.faults()).every(({ name }) => !name.includes('delay'))) {
        const connection = openConnection(url)
        connection.send(requestText('GET /plants?limit=1'))
        await connection.until(/^HTTP/).catch(() => connection.wasReset)
        connection.socket.destroy()
      }
      await mock.reset()
    })
    await fc.assert(property, { numRuns: runs(400) })
    expect(Math.min(statuses.get(200) ?? 0, statuses.get(204) ?? 0, statuses.get(400) ?? 0)).toBeGreaterThan(5)
    expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited)
  })

  it('is refused without any effect when a page of another site may have sent it', async () => {
    const foreign = fc.constantFrom(
      'Host: evil.example',
      'Host: 127.0.0.1.evil.example',
      'Host: evil.example:80',
      'Host: localhost@evil.example',
      'Host: evil.example#localhost',
      'Host: 127.0.0.1, evil.example',
      'Host: 2130706433',
      'Host: 0.0.0.0',
      'Host: [::]',
      'Host: ',
      'Origin: http://evil.example',
      'Origin: null',
      'Origin: http://127.0.0.1.evil.example',
      'Origin: ',
      'Origin: http://127.0.0.1 http://evil.example',
      'Sec-Fetch-Site: cross-site',
      'Sec-Fetch-Site: same-site',
      'Sec-Fetch-Site: same-origin, cross-site',
    )
    const target = fc.constantFrom('', 'http://127.0.0.1', 'http://evil.example', 'HTTP://x:1')
    const property = fc.asyncProperty(anyCall, foreign, target, fc.boolean(), async (call, header, target, more) => {
      const before = await all()
      const text = callText(call).replace(' /__plant-mock', ` ${target}/__plant-mock`)
      const sent = header.startsWith('Host') && !more ? text.replace('Host: 127.0.0.1', header) : text
      const answer = await send(sent === text ? text.replace('\r\n', `\r\n${header}\r\n`) : sent)
      const severalHosts = header.startsWith('Host') && (more || header.includes(','))
      expect([answer.status, JSON.parse(answer.body).type]).toEqual(
        severalHosts
          ? [400, 'urn:problem-type:plant-mock:malformed-request']
          : [403, 'urn:problem-type:plant-mock:control-foreign'],
      )
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(await all()).toBe(before)
    })
    await fc.assert(property, { numRuns: runs(200) })
  })

  it('is refused without any effect for another method or media type', async () => {
    const type = fc.oneof(
      fc.constantFrom(...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']),
      fc.constantFrom(...['', 'application/jsonp', 'application/json-seq', 'text/json', 'application/*']),
    )
    const method = fc.constantFrom('OPTIONS', 'TRACE', 'PROPFIND', 'LINK', 'PURGE')
    const property = fc.asyncProperty(withBody, type, method, fc.boolean(), async (call, type, method, ofType) => {
      const before = await all()
      const text = ofType
        ? callText(call, [`Content-Type: ${type}`])
        : callText([call[0].replace(/^\w+/, method), call[1]])
      expect((await send(text)).status).toBe(ofType ? 415 : 405)
      expect(await all()).toBe(before)
    })
    await fc.assert(property, { numRuns: runs(100) })
  })

  it('has one spelling: no other spelling of its path gets past the guard', async () => {
    const spelled = fc.constantFrom(
      '/__plant-mock/../__plant-mock/state',
      '/plants/../__plant-mock/state',
      '/./__plant-mock/state',
      '//__plant-mock/state',
      '/__plant-mock//state',
      '/__plant-mock/./state',
      '/__plant-mock/state/',
      '/__plant-mock/%73tate',
      '/%5f_plant-mock/state',
      '/__plant-mock%2Fstate',
      '/__plant-mock\\state',
      '/__PLANT-MOCK/state',
      '/__plant-mock/state;x',
      '/__plant-mock;/state',
      '/plants?/__plant-mock/state',
      '/plants#/__plant-mock/state',
      'http://evil.example//__plant-mock/state',
      'http://evil.example/plants?/__plant-mock/state',
    )
    const host = fc.constantFrom('127.0.0.1', 'evil.example')
    const property = fc.asyncProperty(
      spelled,
      fc.constantFrom('GET', 'POST', 'DELETE'),
      host,
      async (path, method, host) => {
        const text = requestText(`${method} ${path}`, ['Connection: close']).replace('127.0.0.1', host)
        const answer = await send(text)
        expect(answer.status).toBeLessThan(500)
        expect(answer.body).not.toContain('"assumed"')
      },
    )
    await fc.assert(property, { numRuns: runs(120) })
  })
})
