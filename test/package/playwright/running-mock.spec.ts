import { bearer } from 'plant-mock'
import { expect, test } from 'plant-mock/playwright'
import { ask, create, openPage } from './page.ts'

const ficus = { id: 8, name: 'Ficus lyrata', tag: 'tree' }

test('a test starts with the plants of the running mock and the options of the configuration', async ({ plants }) => {
  expect(await plants.plants.all()).toMatchObject([{ id: 7 }])
  expect(await plants.assumptions()).toMatchObject({ 'create.status': 200 })
})

for (const time of ['first', 'second'])
  test(`requests of a page stay in the session of their test, ${time} run`, async ({ page, plants, plantsUrl }) => {
    await openPage(page)
    expect(await ask(page, `${plantsUrl}/plants`, create(ficus))).toMatchObject({ status: 200 })
    expect(await ask(page, `${plantsUrl.replace('127.0.0.1', 'localhost')}/plants`)).toMatchObject({
      text: expect.stringContaining('Ficus lyrata'),
    })
    expect(await plants.plants.all()).toHaveLength(2)
    expect(await plants.requests.count()).toBe(2)
  })

test('requests by `request` stay in the session of their test', async ({ request, plants, plantsUrl }) => {
  await request.post(`${plantsUrl}/plants`, { data: ficus, headers: bearer('carol') })
  expect(await plants.plants.all()).toHaveLength(2)
})

test('a redirect of the mock reaches the page', async ({ page, plants, plantsUrl }) => {
  await openPage(page)
  await plants.fail({ status: 302, headers: { Location: '/elsewhere' } })
  const response = ask(page, `${plantsUrl}/plants`, { redirect: 'manual' })
  expect(await response).toMatchObject({ status: 0 })
})

test.describe('an address without a mock', () => {
  test.use({ plantMock: { url: 'http://127.0.0.1:9' } })
  test.fail()

  test('fails the test', async ({ plants }) => {
    await plants.plants.all()
  })
})
