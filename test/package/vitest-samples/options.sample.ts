import { bearer } from 'plant-mock'
import { test } from 'plant-mock/vitest'
import { describe, expect } from 'vitest'

const misspelt = { baseURL: 'https://api.example.com' } as object

describe('a misspelt option', () => {
  test.override({ plantMock: misspelt })
  test('fails the test', () => undefined)
})

describe('a name of a shipped fixture', () => {
  test.override({ plantMock: { fixtures: 'crowded' } })
  test('gives its plants', async () => {
    const response = await fetch('https://api.example.com/plants?limit=5', { headers: bearer('alice') })
    expect(await response.json()).toHaveLength(5)
  })
})
