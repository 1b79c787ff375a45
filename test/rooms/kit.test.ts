import { describe, expect, it } from 'vitest'
import { journalText } from '../../src/kit/journal-text.ts'
import { isPlants } from '../../src/kit/route-plants.ts'
import { sessionName } from '../../src/kit/session-name.ts'
import type { JournalLine } from '../../src/mock/journal.ts'
import { checkSessionId } from '../../src/mock/session-id.ts'

describe('the address of the plants', () => {
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
  ])('%s is at %s: %s', (url, address, expected) => {
    expect(isPlants(new URL(url), new URL(address))).toBe(expected)
  })
})

describe('the name of a session', () => {
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

  it('fits in a header, however long the title', () => {
    const name = sessionName('long '.repeat(100), '1a2b3c4d')
    expect(() => checkSessionId(name)).not.toThrow()
    expect(name).toMatch(/1a2b3c4d$/)
  })
})

describe('a journal in words', () => {
  const listed: JournalLine = {
    id: 1,
    time: '2026-11-21T08:00:00.000Z',
    milliseconds: 1.5,
    operation: 'listPlants',
    caller: 'caller-1',
    method: 'GET',
    url: '/plants?limit=3',
    status: 200,
    source: 'assumption',
    assumptions: ['list.status', 'list.order'],
    departures: [],
  }

  it.each<[string, Partial<JournalLine>, string]>([
    ['an assumption', {}, 'GET /plants?limit=3  200  caller-1  assumption list.status list.order'],
    ['the contract', { source: 'contract', assumptions: [] }, 'GET /plants?limit=3  200  caller-1  contract'],
    [
      'a fault',
      { source: 'fault', fault: 'status', status: 503 },
      'GET /plants?limit=3  503  caller-1  fault status',
    ],
    [
      'a delay',
      { source: 'contract', delay: 99.6 },
      'GET /plants?limit=3  200  caller-1  contract 100 ms late',
    ],
    [
      'a departure',
      {
        source: 'contract',
        departures: [{ in: 'request', section: '4.2', detail: 'limit is to be one number.' }],
      },
      'GET /plants?limit=3  200  caller-1  contract  departs from contract.md 4.2: limit is to be one number.',
    ],
  ])('has a line for an answer that comes of %s', (_, more, line) => {
    expect(journalText([{ ...listed, ...more }])).toBe(`${line}\n`)
  })
})
