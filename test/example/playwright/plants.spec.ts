import { expect, test } from 'plant-mock/playwright'

test('shows the plants of the fixtures', async ({ page, plants }) => {
  await page.goto('/')
  await expect(page.getByRole('listitem')).toHaveCount(10)
  expect(await plants.violations()).toEqual([])
})

test('says that the service is unavailable', async ({ page, plants }) => {
  await plants.fail({ operation: 'listPlants', status: 503 })
  await page.goto('/')
  await expect(page.getByRole('alert')).toContainText('503')
  expect(await plants.requests.count({ operation: 'listPlants' })).toBe(1)
})

for (const name of ['Ficus lyrata', 'Aloe vera'])
  test(`shares no plants with other tests: ${name}`, async ({ page, plants }) => {
    await plants.replaceFixtures([{ id: 1, name, tag: 'mine' }])
    await page.goto('/')
    await expect(page.getByRole('listitem')).toHaveText([name])
  })
