const assert = require('node:assert')
const { beforeAll, list, test } = require('./runner.cjs')

let plants
beforeAll(async () => {
  plants = await list()
})
test('shows names', () => {
  assert.ok(plants.every(({ name }) => name !== undefined))
})
