import { type StartedPlantMock, type StartOptions, startPlantMock } from 'plant-mock/node'
import { afterEach } from 'vitest'

/** Closed after each test of the file, in this order. */
export const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

/** Starts a server that closes after the test. */
export const start = async (options?: StartOptions): Promise<StartedPlantMock> => {
  const started = await startPlantMock(options)
  closers.push(started.close)
  return started
}
