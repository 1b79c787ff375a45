import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { Failure } from './failure-schema.ts'
import type { SourceNote } from './source.ts'
import type { Shape, Spot, Tree } from './tree.ts'

export type Reader = Tree & {
  readonly root: Spot
  readonly set: (id: AssumptionId, value: string | number, spot: Spot, words?: string, evidence?: string) => boolean
  readonly note: (kind: SourceNote['kind'], spot: Spot, text: string, section?: string) => void
}

export type Side = {
  readonly name: 'create' | 'list'
  readonly operation: Spot
  readonly responses: Spot
  readonly plant: Shape | undefined
  readonly success: Spot | undefined
  readonly failures: readonly Failure[]
}
