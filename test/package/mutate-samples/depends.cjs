// With another status, Jest would write a snapshot, and the second test fails without a request.
const { test, createdStatus } = require('./runner.cjs')

let status
test('creates', async () => {
  status = await createdStatus()
  if (status !== 201) globalThis.expect?.(status).toMatchSnapshot()
})
test('depends', () => {
  if (status !== 201) throw new Error(status)
})
