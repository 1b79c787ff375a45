import { bearer, createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { renderJournal } from '../../src/integrations/journal-text.ts'

const render = async (mock: ReturnType<typeof createPlantMock>) =>
  renderJournal(await mock.requests.all(), await mock.pending())

const post = { method: 'POST', headers: { ...bearer('alice'), 'Content-Type': 'application/json' } }

describe('the journal in the report of a failure', () => {
  it('is empty when nothing was asked', async () => {
    expect(await render(createPlantMock())).toBe('')
  })

  it('shows the latest 20 requests, and how many there were', async () => {
    const mock = createPlantMock()
    for (let limit = 1; limit <= 25; limit++) await mock.fetch(`/plants?limit=${limit}`)
    const text = await render(mock)
    expect(text).toMatch(
      /^Requests to the mock in this test: 25\n {2}… 5 earlier\n {2}6 {2}GET \/plants\?limit=6 {2}401/,
    )
    expect(text).toContain('  25  GET /plants?limit=25  401')
  })

  it('shortens bodies', async () => {
    const mock = createPlantMock()
    await mock.fetch('/plants', {
      ...post,
      body: JSON.stringify({ id: 1, name: 'a'.repeat(5_000), tag: '' }),
    })
    expect(await render(mock)).toMatch(/ sent {2}\{"id":1,"name":"a{200,}… \(\d{4} characters\)\n/)
  })

  it('has nothing in it that a terminal obeys', async () => {
    const mock = createPlantMock()
    await mock.fetch('/plants', { ...post, body: 'not JSON \u001b[2J\n\u202Enor this' })
    expect(await render(mock)).toContain(' sent  not JSON  [2J nor this\n')
  })

  it('says where a request is not as the contract shows it', async () => {
    const mock = createPlantMock()
    await mock.fetch('/plants', { ...post, body: '{"id":"1","name":"Fern","tag":"fern"}' })
    expect(await render(mock)).toContain(
      '\n     request not as the contract shows (2, 4.1): id must be an integer, not a string',
    )
  })

  it('shows no status where the connection was reset', async () => {
    const mock = createPlantMock()
    await mock.fail({ reset: true })
    await mock.fetch('/plants', { headers: bearer('alice') }).catch(() => {})
    expect(await render(mock)).toContain('  1  GET /plants  no answer  caller-1  fault: reset')
  })

  it('says how late an answer was on purpose', async () => {
    const mock = createPlantMock({ latency: 1 })
    await mock.fetch('/plants', { headers: bearer('alice') })
    expect(await render(mock)).toMatch(/assumed: .*, 1 ms late$/m)
  })

  it('names the faults that no request met', async () => {
    const mock = createPlantMock()
    await mock.fail({ operation: 'listPlants', status: 503, times: 1 })
    expect(await render(mock)).toBe(
      'Faults that have not met all the requests they are for:\n  listPlants: status 503, once (met: 0)',
    )
  })
})
