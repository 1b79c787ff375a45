import { startPlantMock } from 'plant-mock/node'
import { afterEach, expect, it, vi } from 'vitest'
import { finish } from '../../support/command-line.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

it('verify reaches a loopback address without a proxy, even where fetch would use one', async () => {
  const { url, close } = await startPlantMock({ fixtures: 'garden' })
  vi.stubEnv('HTTP_PROXY', 'http://proxy.invalid:3128')
  vi.stubGlobal('fetch', async () => {
    throw new Error('sent through the proxy')
  })
  const { code, error } = await finish(['verify', url, '--token', 'alice', '--yes'])
  expect([code, error]).toEqual([0, expect.not.stringContaining('proxy')])
  await close()
})
