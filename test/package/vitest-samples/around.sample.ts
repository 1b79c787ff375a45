import { bearer } from 'plant-mock'
import { aroundEach, expect } from 'vitest'

const list = async () => (await fetch('https://api.example.com/plants', { headers: bearer('alice') })).json()

// A hook that stands outside, as in a set-up file, sets up the automatic fixtures before the test has a boundary.
aroundEach(async (runTest) => {
  await runTest()
})

const { test } = await import('plant-mock/vitest')

test.concurrent.for([1, 2, 3, 4])('stands inside of other hooks: %i', async (_, { plants }) => {
  await plants.seed([{ id: 1, name: 'Aloe vera', tag: 'succulent' }])
  expect(await list()).toHaveLength(1)
})
