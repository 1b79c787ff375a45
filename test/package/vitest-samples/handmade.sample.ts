import { bearer, createPlantMock } from 'plant-mock'
import { reportCoverage } from 'plant-mock/vitest'
import { expect, test } from 'vitest'

const mock = createPlantMock()
reportCoverage(mock)

test('a mock without a fixture', async () => {
  expect((await mock.fetch('/plants', { headers: bearer('alice') })).status).toBe(200)
  expect((await mock.fetch('/plants')).status).toBe(401)
})
