// The functions of a runner, which for Mocha, Jest and Vitest are global; those of Mocha differ between files.
const packages = { node: 'node:test', playwright: '@playwright/test' }
const name = packages[process.env.RUNNER]
const runner = name === undefined ? globalThis : require(name)
const testOf = () => runner.test ?? runner.it
const hookOf = (kind) => testOf()[`${kind}All`] ?? runner[`${kind}All`] ?? runner[kind]

const { createPlantMock } = require('plant-mock')
const { fetch } = createPlantMock({ fixtures: [{ id: 1, name: 'Aloe vera', tag: 'succulent' }] })
const headers = { authorization: 'Bearer alice', 'content-type': 'application/json' }
const body = '{"id":2,"name":"Hoya","tag":"climber"}'

module.exports = {
  test: (name, run) => testOf()(name, run),
  beforeAll: (run) => hookOf('before')(run),
  afterAll: (run) => hookOf('after')(run),
  list: async () => (await fetch('/plants', { headers })).json(),
  createdStatus: async () => (await fetch('/plants', { method: 'POST', headers, body })).status,
  create: async () => (await fetch('/plants', { method: 'POST', headers, body })).json(),
}
