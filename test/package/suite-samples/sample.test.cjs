// For Mocha and Jest, which share these globals.
const assert = require('node:assert')
const same = 'same'

describe('suite', () => {
  it('passes', async () => {
    await new Promise((resolve) => setTimeout(resolve, 5))
  })
  it('fails', () => {
    assert.equal(1, 2)
  })
  it(same, () => {})
  it(same, () => {
    throw new Error('second')
  })
  it.skip('skipped', () => {})
})

describe('hooks', () => {
  beforeEach(() => {
    throw new Error('no setup')
  })
  it('is not run', () => {})
})
