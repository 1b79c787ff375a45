import { describe, expect, it } from 'vitest'
import { checkSessionId } from '../../src/core/mock/sessions.ts'
import { isPlants, sessionName } from '../../src/integrations/playwright-session.ts'

describe('isPlants', () => {
  it.each([
    ['https://api.example.com/plants', 'https://api.example.com', true],
    ['https://api.example.com/plants?limit=3', 'https://api.example.com/', true],
    ['https://api.example.com/v1/plants', 'https://api.example.com/v1/', true],
    ['https://api.example.com/plants', 'https://api.example.com/v1', false],
    ['https://api.example.com/plants/7', 'https://api.example.com', false],
    ['https://api.example.com/plantsman', 'https://api.example.com', false],
    ['http://api.example.com/plants', 'https://api.example.com', false],
    ['https://other.example.com/plants', 'https://api.example.com', false],
    ['http://localhost:5173/api/plants', 'http://127.0.0.1:5173/api', true],
    ['http://[::1]:5173/api/plants', 'http://localhost:5173/api', true],
    ['http://localhost:5174/api/plants', 'http://127.0.0.1:5173/api', false],
    ['http://localhost:5173/api/plants', 'http://192.0.2.1:5173/api', false],
  ])('of %s below %s is %s', (url, address, expected) => {
    expect(isPlants(new URL(url), new URL(address))).toBe(expected)
  })
})

describe('sessionName', () => {
  it.each([
    ['adds a plant', 'adds a plant 1a2b'],
    ['  says "no" – twice', 'says "no" ? twice 1a2b'],
    ['植物', '?? 1a2b'],
    ['🌱 grows', '? grows 1a2b'],
    ['line\nbreak', 'line?break 1a2b'],
    ['', '1a2b'],
  ])('of %j is %j', (title, name) => {
    expect(sessionName(title, '1a2b')).toBe(name)
    expect(() => checkSessionId(name)).not.toThrow()
  })

  it('truncates a long title and keeps the unique suffix', () => {
    const name = sessionName('long '.repeat(100), '1a2b3c4d')
    expect(() => checkSessionId(name)).not.toThrow()
    expect(name).toMatch(/1a2b3c4d$/)
  })
})
