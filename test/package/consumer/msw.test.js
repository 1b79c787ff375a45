import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { afterEach, test } from 'node:test'
import { setupServer } from 'msw/node'
import { bearer, createPlantMock } from 'plant-mock'
import { handlers, plantHandlers, unhandled } from 'plant-mock/msw'

const baseUrl = 'https://api.example.com/v1'
const create = {
  method: 'POST',
  headers: { ...bearer('alice'), 'Content-Type': 'application/json' },
  body: '{"id":7,"name":"Nephrolepis exaltata","tag":"fern"}',
}
const shown = { name: 'Nephrolepis exaltata', tag: 'fern' }

let server
const listen = (...used) => {
  server = setupServer(...used)
  server.listen(unhandled('error'))
}
afterEach(() => {
  server?.close()
  server = undefined
})

test('a created plant is listed only for its creator', async () => {
  listen(...plantHandlers(createPlantMock(), { baseUrl }))
  const created = await fetch(`${baseUrl}/plants`, create)
  assert.equal(created.status, 201)
  assert.deepEqual(await created.json(), shown)
  assert.deepEqual(await (await fetch(`${baseUrl}/plants`, { headers: bearer('alice') })).json(), [shown])
  assert.deepEqual(await (await fetch(`${baseUrl}/plants`, { headers: bearer('bob') })).json(), [])
})

test('a request without a token gets a 401', async () => {
  listen(...plantHandlers(createPlantMock(), { baseUrl }))
  const refused = await fetch(`${baseUrl}/plants`)
  assert.equal(refused.status, 401)
  assert.match(refused.headers.get('WWW-Authenticate'), /^Bearer/)
})

test('the ready-made handlers match any address and start with the garden', async () => {
  listen(...handlers)
  const listed = await fetch('https://elsewhere.example/plants?limit=1', { headers: bearer('alice') })
  assert.deepEqual(await listed.json(), [{ name: 'Monstera deliciosa', tag: 'tropical' }])
})

test("unhandled('error') refuses a request without a handler before it reaches the network", async (t) => {
  let requests = 0
  const real = createServer((_, res) => {
    requests++
    res.end('real')
  })
  await once(real.listen(0, '127.0.0.1'), 'listening')
  t.after(() => real.close())
  const address = `http://127.0.0.1:${real.address().port}/orders`
  assert.equal(await (await fetch(address)).text(), 'real')

  listen(...plantHandlers(createPlantMock(), { baseUrl }))
  await assert.rejects(fetch(address))
  assert.equal(requests, 1)
})

test('plant-mock --handlers responds with handlers of this project first, then with the mock', async (t) => {
  const args = ['--handlers', 'handlers.js', '--fixtures', 'empty', '--port', '0', '--quiet']
  const child = spawn('node_modules/.bin/plant-mock', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  t.after(() => child.kill())
  const [url] = await once(createInterface(child.stdout), 'line')
  assert.deepEqual(await (await fetch(`${url}/orders`)).json(), ['an order'])
  const sent = await fetch(`${url}/orders`, { method: 'POST', body: '{"id":7}' })
  assert.deepEqual([sent.status, await sent.json()], [202, { id: 7 }])
  assert.equal((await fetch(`${url}/plants`, create)).status, 201)
  child.kill()
  assert.deepEqual(await ended, [0, null])
})
