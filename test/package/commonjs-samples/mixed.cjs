// For commonjs.test.ts: a CommonJS file whose packages come from `require` and from `import()`.
const assert = require('node:assert/strict')
const { createServer } = require('node:http')
const { bearer, createPlantMock, PlantMockError } = require('plant-mock')
const { startPlantMock } = require('plant-mock/node')

const run = async () => {
  const { plantHandlers, handlers } = await import('plant-mock/msw')
  const { setupServer } = await import('msw/node')
  const { plantMiddleware } = await import('plant-mock/node')
  const { connectPlantMock } = await import('plant-mock/control')
  const headers = bearer('alice')
  const mock = createPlantMock({ fixtures: [{ name: 'Aloe vera', tag: 'succulent' }] })

  const server = setupServer(...plantHandlers(mock, { baseUrl: 'https://api.example.com' }), ...handlers)
  server.listen({ onUnhandledRequest: 'bypass' })
  const listed = await fetch('https://api.example.com/plants', { headers })
  assert.equal((await listed.json()).length, 1)
  assert.ok((await (await fetch('https://other.example/plants', { headers })).json()).length > 1)
  assert.equal(await require('plant-mock/msw').plantMock.requests.count(), 1)
  server.close()

  const started = await startPlantMock({ mock: (await import('plant-mock')).createPlantMock() })
  await assert.rejects(connectPlantMock(started.url).seed([{ tag: 'fern' }]), PlantMockError)
  await started.close()

  const http = createServer(plantMiddleware(mock))
  await new Promise((done) => http.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${http.address().port}`
  assert.equal((await fetch(`${url}/plants`, { headers })).status, 200)
  http.close()
  assert.equal(await mock.requests.count(), 2)
  console.log('passed')
}
run()
