import { createMockInstances } from '../core/mock/instances.ts'
import { parseAddress } from '../server/replication/connection.ts'
import type { OpenOptions, OpenState } from '../server/replication/join-mock.ts'
import { type SharedState, sharedState } from '../server/replication/shared-state.ts'
import { PlantMockError } from '../util/errors.ts'
import { type CommandLine, SharedStoreError } from './command.ts'
import { variableOf } from './options.ts'

export type SharedStore = ReturnType<typeof sharedStore>

/** Error messages do not repeat the address, which may contain a password. */
export const sharedStore = ({ values, flags }: CommandLine, url: string) => {
  const { 'store-name': name, 'store-reset': reset } = values
  parseAddress(url, flags.has('store') ? '--store' : variableOf('store'))
  const shared = sharedState({ url, ...(name !== undefined && { name }), ...(reset !== undefined && { reset }) })
  let initialCount = 0
  const open = async (options: OpenOptions): Promise<OpenState> => {
    // Validates the options before the `try`, because its `catch` reports every error as an error of the store.
    createMockInstances({ ...options.mock, fixtures: [], onNotice: () => undefined })
    let opened: OpenState | undefined
    try {
      opened = await shared.open(options)
      initialCount = await opened.instances.root.countPlants()
      return opened
    } catch (error) {
      opened?.close()
      throw error instanceof PlantMockError ? new SharedStoreError(error.message) : error
    }
  }
  return {
    state: { open } satisfies SharedState,
    initialCount: () => initialCount,
  }
}
