import { bearer } from 'plant-mock'
import { aroundEach, expect } from 'vitest'

const list = async () => (await fetch('https://api.example.com/plants', { headers: bearer('alice') })).json()

// An outer hook, as in a setup file, installs automatic fixtures before the test enters its msw boundary.
aroundEach(async (runTest) => {
  await runTest()
})

const { test } = await import('plant-mock/vitest')

test.concurrent.for([1, 2, 3, 4])('has its mock inside of other hooks: %i', async (_, { plants }) => {
  await plants.seed([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])
  expect(await list()).toHaveLength(1)
})
