import type { MockInstances } from '../../core/mock/instances.ts'
import type { PlantMockOptions } from '../../core/mock/options.ts'
import type { UpstreamHandler } from '../../core/mock/pipeline.ts'

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
