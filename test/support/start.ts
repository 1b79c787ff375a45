import { type StartedPlantMock, type StartOptions, startPlantMock } from 'plant-mock/node'
import { afterEach } from 'vitest'

/**
 * Starts servers for the tests of one file. Call it in the file: test files share modules, so a hook that a module
 * registers when it is imported belongs to the first file alone.
 */
export const useServers = () => {
  const closers: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closers.splice(0)) await close()
  })
  const start = async (options?: StartOptions): Promise<StartedPlantMock> => {
    const started = await startPlantMock(options)
    closers.push(started.close)
    return started
  }
  return { closers, start }
}
