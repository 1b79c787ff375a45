import type { UpstreamHandler } from '../mock/instance.ts'
import type { MockInstances } from '../mock/instances.ts'
import type { PlantMockOptions } from '../mock/options.ts'

export type OpenOptions = {
  readonly mock: Omit<PlantMockOptions, 'store'>
  readonly upstream: UpstreamHandler | undefined
  readonly onNotice: (text: string) => void
}

export type OpenState = {
  readonly instances: MockInstances
  /** The address of the store, without credentials. */
  readonly shown: string
  readonly close: () => void
}
