// For .ci/consumers: CommonJS without any compiler, and tests that are meant to fail.
const { http, HttpResponse } = require('msw')
const { bearer } = require('plant-mock')
const { test: plantTest } = require('plant-mock/jest')

const url = 'https://api.example.com/plants'
const headers = { ...bearer('a-token-that-nobody-may-see'), 'Content-Type': 'application/json' }
/** A client that swallows its errors. */
const fetchQuietly = (address, init) => fetch(address, init).catch(() => undefined)

plantTest('fails by an assertion', async ({ plants }) => {
  await plants.fail({ operation: 'createPlant', status: 503, times: 2 })
  await fetch(`${url}?limit=2`, { headers })
  await fetch(url, { method: 'POST', headers, body: '{"id":1,"name":"Aloe vera","tag":"succulent"}' })
  expect([1]).toEqual([2])
})

plantTest('fails without a request', () => {
  expect(1).toBe(2)
})

plantTest('fails for requests without a handler', async () => {
  await fetch(url, { headers })
  await fetchQuietly('https://api.example.com/plantz', { headers })
  await fetchQuietly('https://api.example.com/plantz', { headers })
  await fetchQuietly('https://count.example/?access_token=a-token-that-nobody-may-see', { method: 'POST' })
})

plantTest('fails for an override that violates the contract', async ({ server }) => {
  server.use(http.get('*/plants', () => HttpResponse.json([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])))
  await (await fetch(url, { headers })).json()
})

plantTest('fails for both', async () => {
  await fetchQuietly('https://api.example.com/plantz')
  expect(1).toBe(2)
})

test('a plain test fails for requests without a handler', async () => {
  await fetchQuietly('https://api.example.com/plantz')
})

// Refused, because there is no mock yet or any longer.
let refused
beforeAll(async () => {
  refused = await fetch(url, { headers }).catch(String)
})
afterAll(() => expect(fetch(url, { headers })).rejects.toThrow('The mock exists only inside tests'))

plantTest('a request of beforeAll was refused, and the module loads again', () => {
  expect(refused).toContain('Failed to fetch')
  jest.resetModules()
  expect(require('plant-mock/jest').test).toBeDefined()
})

plantTest('journal beside a frozen error', async () => {
  await fetch(url, { headers })
  throw Object.freeze(new Error('frozen'))
})

plantTest('journal beside a string', async () => {
  await fetch(url, { headers })
  throw 'a string'
})

plantTest(
  'journal beside the end of time',
  async () => {
    await fetch(url, { headers })
    await new Promise(() => {})
  },
  200,
)

plantTest('journal in an inline snapshot', async () => {
  expect((await fetch(url, { headers })).status).toMatchInlineSnapshot('201')
})

plantTest('passes', async ({ plants }) => {
  expect((await plants.fetch('/plants')).status).toBe(401)
})
