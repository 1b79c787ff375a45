import type { Page } from '@playwright/test'
import { expect, test } from 'plant-mock/playwright'

// Each test has its own session of the mock, which starts with the fixtures `garden`.

const addPlant = async (page: Page, { id, name, tag }: { id: number; name: string; tag: string }) => {
  await page.getByLabel('Number').fill(String(id))
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Tag').fill(tag)
  await page.getByRole('button', { name: 'Add' }).click()
}

test.afterEach(async ({ plants }) => expect(await plants.violations()).toEqual([]))

test.describe('the list', () => {
  test('shows as many plants as selected', async ({ page, plants }) => {
    await page.goto('/')
    await expect(page.getByRole('listitem')).toHaveCount(10)
    await page.getByLabel('Show at most').selectOption('3')
    await expect(page.getByRole('listitem')).toHaveCount(3)
    expect((await plants.requests.last({ operation: 'listPlants' }))?.url).toBe('/plants?limit=3')
  })

  test('shows a message when no plants exist', async ({ page, plants }) => {
    await plants.replaceFixtures([])
    await page.goto('/')
    await expect(page.getByText('No plants yet.')).toBeVisible()
  })

  test('shows only plants that the caller has access to', async ({ page, plants }) => {
    await plants.replaceFixtures([
      { id: 1, name: 'Aloe vera', tag: 'succulent' },
      { id: 2, name: 'Ficus lyrata', tag: 'tree', access: ['alice'] },
      { id: 3, name: 'Secret rose', tag: 'flower', access: ['bob'] },
    ])
    await page.goto('/')
    await expect(page.getByRole('listitem')).toHaveText(['Aloe vera, succulent', 'Ficus lyrata, tree'])
  })

  test('shows that it is loading while the service is slow', async ({ page, plants }) => {
    await plants.fail({ operation: 'listPlants', delay: 2_000 })
    await page.goto('/')
    await expect(page.getByRole('status')).toHaveText('Loading…')
    await expect(page.getByRole('listitem')).toHaveCount(10)
    await expect(page.getByRole('status')).toBeHidden()
  })

  test('shows why the service failed, and retries on request', async ({ page, plants }) => {
    await plants.fail({ operation: 'listPlants', status: 503, times: 1 })
    await page.goto('/')
    await expect(page.getByRole('alert')).toContainText('503')
    await page.getByRole('button', { name: 'Try again' }).click()
    await expect(page.getByRole('listitem')).toHaveCount(10)
    expect(await plants.pending()).toEqual([])
  })

  test('shows that the service cannot be reached', async ({ page, plants }) => {
    await plants.fail({ operation: 'listPlants', reset: true })
    await page.goto('/')
    await expect(page.getByRole('alert')).toContainText('Failed to fetch')
  })
})

test.describe('the form', () => {
  const rose = { id: 700, name: 'Rosa gallica', tag: 'flower' }

  test('adds a plant', async ({ page, plants }) => {
    await plants.replaceFixtures([])
    await page.goto('/')
    await addPlant(page, rose)
    await expect(page.getByRole('listitem')).toHaveText(['Rosa gallica, flower'])
    const [request] = await plants.requests.all({ operation: 'createPlant' })
    expect(request).toMatchObject({ status: 201, request: { json: rose } })
    expect(await plants.plants.visibleTo('alice')).toMatchObject([rose])
    expect(await plants.plants.visibleTo('bob')).toEqual([])
  })

  test('shows why the service refuses a plant', async ({ page, plants }) => {
    await plants.replaceFixtures([{ ...rose, access: ['alice'] }])
    await page.goto('/')
    await addPlant(page, { ...rose, name: 'Rosa canina' })
    await expect(page.getByRole('alert')).toContainText('700')
    await expect(page.getByRole('listitem')).toHaveText(['Rosa gallica, flower'])
    expect(await plants.requests.count({ problem: 'duplicate-id' })).toBe(1)
  })
})
