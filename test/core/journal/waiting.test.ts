import { createPlantMock } from 'plant-mock'
import { describe, expect, it, vi } from 'vitest'
import { as } from '../../support/targets.ts'

describe('a wait for a request that does not come', () => {
  const messageOf = async (send: number, match: object | (() => boolean), path = '/plants'): Promise<string> => {
    const mock = createPlantMock()
    for (let count = 0; count < send; count++) await mock.fetch(path, as('alice'))
    const waiting = mock.requests.waitFor(match as never, { timeout: 1 })
    return waiting.then(
      () => '',
      ({ message }: Error) => message,
    )
  }

  it('hides a token in the filter, but shows a short name or a pseudonym', async () => {
    expect(await messageOf(0, { caller: 'a-token-of-some-length' })).toContain('{"caller":"…"}')
    expect(await messageOf(0, { caller: 'al' })).toContain('{"caller":"al"}')
    expect(await messageOf(0, { caller: 'x'.repeat(16) })).toContain('{"caller":"…"}')
    expect(await messageOf(0, { caller: 'x'.repeat(15) })).toContain(`{"caller":"${'x'.repeat(15)}"}`)
  })

  it('leaves out a part of the filter that is undefined', async () => {
    expect(await messageOf(0, { caller: undefined, status: 409 })).toContain('No request matched {"status":409} within')
  })
})

describe('events of a mock', () => {
  it('end with the listener, so that a later request does not call it', async () => {
    const mock = createPlantMock()
    const entry = await Promise.all([
      mock.requests.waitFor({ status: 200 }, { timeout: 60_000 }),
      mock.fetch('/plants', as('alice')),
    ])
    expect(entry[0]).toMatchObject({ method: 'GET', status: 200 })
    expect(mock.instances.root.events.hasListeners).toBe(false)
    const find = vi.spyOn(mock.requests, 'all')
    await mock.fetch('/plants', as('alice'))
    expect(find).not.toHaveBeenCalled()
  })
})
