import { bearer } from 'plant-mock'
import { expect, test } from 'plant-mock/playwright'
import { ask, create, openPage } from './page.ts'

const ficus = { id: 8, name: 'Ficus lyrata', tag: 'tree' }

test('a test begins with the plants of the mock that runs, and with its own options', async ({ plants }) => {
  expect(await plants.plants.all()).toMatchObject([{ id: 7 }])
  expect(await plants.assumptions()).toMatchObject({ 'create.status': 200 })
})

for (const time of ['one', 'another'])
  test(`what a page does stays in its test, ${time} time`, async ({ page, plants, plantsUrl }) => {
    await openPage(page)
    expect(await ask(page, `${plantsUrl}/plants`, create(ficus))).toMatchObject({ status: 200 })
    expect(await ask(page, `${plantsUrl.replace('127.0.0.1', 'localhost')}/plants`)).toMatchObject({
      text: expect.stringContaining('Ficus lyrata'),
    })
    expect(await plants.plants.all()).toHaveLength(2)
    expect(await plants.requests.count()).toBe(2)
  })

test('what `request` does stays in its test', async ({ request, plants, plantsUrl }) => {
  await request.post(`${plantsUrl}/plants`, { data: ficus, headers: bearer('carol') })
  expect(await plants.plants.all()).toHaveLength(2)
})

test('a redirect that the mock was asked for comes to the page', async ({ page, plants, plantsUrl }) => {
  await openPage(page)
  await plants.fail({ status: 302, headers: { Location: '/elsewhere' } })
  const answer = ask(page, `${plantsUrl}/plants`, { redirect: 'manual' })
  expect(await answer).toMatchObject({ status: 0 })
})

test.describe('a mock at an address where there is none', () => {
  test.use({ plantMock: { url: 'http://127.0.0.1:9' } })
  test.fail()

  test('fails the test', async ({ plants }) => {
    await plants.plants.all()
  })
})
