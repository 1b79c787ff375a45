import type { Assumptions } from '../assumptions/registry.ts'
import type { PlantDraft, Validated } from '../contract/schemas.ts'
import type { Replies } from '../service/replies.ts'
import type { PlantStore } from '../store/plant-store.ts'
import type { HiddenPlants } from './hidden-plants.ts'

/** What the operations work with. */
export type Context = {
  readonly store: PlantStore
  readonly assumptions: Assumptions
  readonly replies: Replies
  readonly validate: (body: unknown) => Validated<PlantDraft>
  /** Plants that `create.visibility=eventual` still holds back. */
  readonly hidden: HiddenPlants
  /** A number from 0 up to 1, for what is shuffled. */
  readonly random: () => number
}
