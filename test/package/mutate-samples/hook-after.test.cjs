const assert = require('node:assert')
const { afterAll, create, list, test } = require('./runner.cjs')

let created
test('creates', async () => {
  created = await create()
  await list()
})
afterAll(() => assert.equal(created.tag, 'climber'))
