import type { Client } from './client.ts'
import type { SamplePlants } from './sample-plants.ts'

/** Passed to every rule and probe. */
export type CheckContext = { readonly client: Client; readonly samples: SamplePlants }
