import { bearer, createPlantMock } from 'plant-mock'
import { describe, expect, it } from 'vitest'
import { renderJournal } from '../../src/integrations/test-checks.ts'

const render = async (mock: ReturnType<typeof createPlantMock>) =>
  renderJournal(await mock.requests.all(), await mock.pending())

const post = { method: 'POST', headers: { ...bearer('alice'), 'Content-Type': 'application/json' } }

describe('renderJournal', () => {
  it('returns an empty text without requests and faults', async () => {
    expect(await render(createPlantMock())).toBe('')
  })

  it('shows the latest 20 requests and the total number', async () => {
    const mock = createPlantMock()
    for (let limit = 1; limit <= 25; limit++) await mock.fetch(`/plants?limit=${limit}`)
    const text = await render(mock)
    expect(text).toMatch(
      /^Requests to the mock in this test: 25\n {2}… 5 earlier\n {2}6 {2}GET \/plants\?limit=6 {2}401/,
    )
    expect(text).toContain('  25  GET /plants?limit=25  401')
  })

  it('truncates long bodies', async () => {
    const mock = createPlantMock()
    await mock.fetch('/plants', {
      ...post,
      body: JSON.stringify({ id: 1, name: 'a'.repeat(5_000), tag: '' }),
    })
    expect(await render(mock)).toMatch(/ sent {2}\{"id":1,"name":"a{200,}… \(\d{4} characters\)\n/)
  })

  it('replaces control characters, which a terminal would obey', async () => {
    const mock = createPlantMock()
    await mock.fetch('/plants', { ...post, body: 'not JSON \u001b[2J\n\u202Enor this' })
    expect(await render(mock)).toContain(' sent  not JSON \\u001b[2J \\u202enor this\n')
  })

  it('shows which contract section a request violates', async () => {
    const mock = createPlantMock()
    await mock.fetch('/plants', { ...post, body: '{"id":"1","name":"Fern","tag":"fern"}' })
    expect(await render(mock)).toContain('\n     request violates contract 2, 4.1: id must be an integer, not a string')
  })

  it('shows no status for a connection that a fault reset', async () => {
    const mock = createPlantMock()
    await mock.fail({ reset: true })
    await mock.fetch('/plants', { headers: bearer('alice') }).catch(() => {})
    expect(await render(mock)).toContain('  1  GET /plants  reset  caller-1  fault: reset')
  })

  it('shows the delay of a response', async () => {
    const mock = createPlantMock({ latency: 1 })
    await mock.fetch('/plants', { headers: bearer('alice') })
    expect(await render(mock)).toMatch(/assumed: .*, delayed 1 ms$/m)
  })

  it('lists faults that are still pending', async () => {
    const mock = createPlantMock()
    await mock.fail({ operation: 'listPlants', status: 503, times: 1 })
    expect(await render(mock)).toBe(
      'Faults still pending at the end of this test:\n  listPlants: status 503, once (hits: 0)',
    )
  })
})
