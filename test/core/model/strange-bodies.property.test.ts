import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { createPlantMock } from 'plant-mock'
import { plantMiddleware, startPlantMock } from 'plant-mock/node'
import { describe, expect, it } from 'vitest'
import { runs } from '../../support/runs.ts'
import { useServers } from '../../support/start.ts'
import { as, post, type Target, targetsFor } from '../../support/targets.ts'

const { closers, serve } = useServers()

const levels = fc.oneof(fc.integer({ min: 1, max: 100_000 }), fc.constantFrom(400, 501, 4_200, 10_000, 100_000))

const strings = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\0', '\ud800', '\udc00x', '__proto__', 'hunter2hunter2hunter2'),
  fc
    .tuple(fc.constantFrom('x', 'é', '%41', '\ud83c', 'aA0+/'), fc.integer({ min: 1, max: 100_000 }))
    .map(([unit, n]) => unit.repeat(n)),
)
const quoted = strings.map((text) => JSON.stringify(text))
const name = fc.oneof(
  fc
    .constantFrom('id', 'name', 'tag', 'password', 'token', 'secret', '__proto__', 'constructor')
    .map((key) => `"${key}"`),
  quoted,
)
const nested = fc
  .tuple(fc.constantFrom(['[', ']'], ['{"a":', '}'], ['{"token":[', ']}'], ['[', '']), levels)
  .map(([[open = '', close = ''], count]) => `${open.repeat(count)}1${close.repeat(count)}`)
const numbers = fc.constantFrom('1e999', '-0', '9007199254740993', '1'.repeat(5_000), '0.1e-400')
const value = fc.oneof(nested, quoted, numbers, fc.json())
const object = fc
  .array(fc.tuple(name, value), { maxLength: 5 })
  .map((members) => `{"name":"n","tag":"t",${members.map((member) => `${member.join(':')},`).join('')}"id":1}`)
const body = fc.oneof({ weight: 3, arbitrary: object }, { weight: 1, arbitrary: value })

const forwarding: Target['open'] = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plant-mock-'))
  const service = await startPlantMock()
  const record = join(folder, 'recorded.har')
  const proxy = await startPlantMock({ upstream: { url: service.url, for: 'all', check: 'report', record } })
  return {
    mock: proxy.mock,
    request: (path, init) => fetch(`${proxy.url}${path}`, init),
    async close() {
      await proxy.close()
      await service.close()
      await rm(folder, { recursive: true })
    },
  }
}

const middleware: Target['open'] = async () => {
  const mock = createPlantMock()
  const handle = plantMiddleware(mock)
  const { url } = await serve((req, res) => void handle(req, res, () => res.writeHead(404).end()))
  return { mock, request: (path, init) => fetch(`${url}${path}`, init), close: async () => undefined }
}

const carriers = [
  ...targetsFor('strangeBodies').map(({ name, open }): Pick<Target, 'open'> & { name: string } => ({ name, open })),
  { name: 'an upstream, with a recording', open: forwarding },
  { name: 'the middleware', open: middleware },
]

describe.each(carriers)('through $name, a strange body', ({ open }) => {
  it('gets a response, and so does a plain request after it', async () => {
    const { mock, request, close } = await open()
    closers.push(close)
    const type = fc.constantFrom('application/json', 'text/plain')
    await fc.assert(
      fc.asyncProperty(body, type, async (sent, contentType) => {
        const response = await request('/plants', post(sent, { 'content-type': contentType }))
        await response.text()
        expect(response.status).toBeLessThan(500)
        expect((await request('/plants?limit=1', as('alice'))).status).toBe(200)
      }),
      { numRuns: runs(60) },
    )
    expect((await mock.requests.all()).length).toBeGreaterThan(0)
  })

  it.each([
    ['arrays', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('with a secret beside deep %s creates its plant', async (_, opening, closing) => {
    const { request, close } = await open()
    closers.push(close)
    for (const [id, count] of [4_200, 100_000].entries()) {
      const deep = `${opening.repeat(count)}1${closing.repeat(count)}`
      const sent = `{"id":${id},"name":"n","tag":"t","password":"hunter2hunter2hunter2","x":${deep}}`
      expect((await request('/plants', post(sent))).status).toBe(201)
    }
  })
})
