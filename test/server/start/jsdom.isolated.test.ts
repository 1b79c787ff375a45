import { afterEach, expect, it, vi } from 'vitest'

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

it('starts and closes where the global object has no setImmediate, and timers that are numbers, as in jsdom', async () => {
  vi.resetModules()
  const { setTimeout, setInterval } = globalThis
  vi.stubGlobal('setImmediate', undefined)
  vi.stubGlobal('setTimeout', (...args: Parameters<typeof setTimeout>) => Number(setTimeout(...args)))
  vi.stubGlobal('setInterval', (...args: Parameters<typeof setInterval>) => Number(setInterval(...args)))
  const { startPlantMock } = await import('../../../src/node.ts')
  const { url, close } = await startPlantMock()
  expect((await fetch(`${url}/__plant-mock/state`)).status).toBe(200)
  await close()
  await expect(fetch(url)).rejects.toThrow()
})
