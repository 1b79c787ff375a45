import { createPlantMock } from 'plant-mock'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { as } from '../../support/targets.ts'

afterEach(() => {
  vi.useRealTimers()
})

const day = 86_400_000

describe('mock.fetch with a signal', () => {
  it.each([
    ['undefined', undefined],
    ['an error', new Error('why')],
    ['any value', 'why'],
  ])('that is aborted already rejects with its reason, which is %s, and sends nothing', async (_, reason) => {
    const mock = createPlantMock()
    const signal = AbortSignal.abort(reason)
    await expect(mock.fetch('/plants', { ...as('alice'), signal })).rejects.toBe(signal.reason)
    await expect(mock.fetch(new Request('http://x/plants', { ...as('alice'), signal }))).rejects.toBe(signal.reason)
    expect(await mock.requests.count()).toBe(0)
  })

  it('that is aborted during a delay rejects at once, leaves no timer, and the journal has the request', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const mock = createPlantMock({ latency: day })
    const controller = new AbortController()
    const response = mock.fetch('/plants', { ...as('alice'), signal: controller.signal })
    await vi.waitUntil(() => vi.getTimerCount() > 0)
    controller.abort(new Error('why'))
    await expect(response).rejects.toThrow('why')
    expect(vi.getTimerCount()).toBe(0)
    expect(await mock.requests.last()).toMatchObject({ operation: 'listPlants' })
  })

  it('of a timeout rejects with a TimeoutError', async () => {
    const mock = createPlantMock({ latency: day })
    const response = mock.fetch('/plants', { ...as('alice'), signal: AbortSignal.timeout(1) })
    await expect(response).rejects.toMatchObject({ name: 'TimeoutError' })
  })

  it('that is aborted later ends a body that never ends', async () => {
    const mock = createPlantMock()
    await mock.fail({ endless: true })
    const controller = new AbortController()
    const response = await mock.fetch('/plants', { ...as('alice'), signal: controller.signal })
    const text = response.text()
    controller.abort(new Error('why'))
    await expect(text).rejects.toThrow('why')
  })

  it('that is aborted after the response changes nothing', async () => {
    const controller = new AbortController()
    const response = await createPlantMock().fetch('/plants', { ...as('alice'), signal: controller.signal })
    controller.abort()
    expect(await response.json()).toEqual([])
  })
})
