import type { AssumptionId, Assumptions, AssumptionValue } from './registry.ts'
import { assumptionRegistry, defaultAssumptions } from './registry.ts'

/** Where a live service showed a value, and when. */
export type Observation = { readonly host: string; readonly date: string }

/** Why an assumption has the value that it has. */
export type Origin =
  | { readonly by: 'default' | 'option' | 'flag' | 'environment' }
  | { readonly by: 'file'; readonly file: string; readonly observed?: Observation }
  | { readonly by: 'seed'; readonly seed: number }

/** Assumptions from one place, and where that is. */
export type AssumptionSource = {
  readonly values: Readonly<Partial<Record<AssumptionId, AssumptionValue>>>
  readonly origin: (id: AssumptionId) => Origin
}

export type Resolved = {
  readonly assumptions: Assumptions
  readonly origins: Readonly<Record<AssumptionId, Origin>>
}

/** Puts sources over the defaults; later ones win. */
export const resolveAssumptions = (sources: readonly AssumptionSource[]): Resolved => {
  const assumptions: Record<string, AssumptionValue> = { ...defaultAssumptions }
  const origins = Object.fromEntries(assumptionRegistry.map(({ id }) => [id, { by: 'default' } as Origin]))
  for (const { values, origin } of sources)
    for (const [id, value] of Object.entries(values)) {
      assumptions[id] = value
      origins[id] = origin(id as AssumptionId)
    }
  return { assumptions: assumptions as Assumptions, origins: origins as Resolved['origins'] }
}

/** The origin in words, such as `learned at staging.example on 2026-11-20`. */
export const describeOrigin = (origin: Origin): string => {
  switch (origin.by) {
    case 'file':
      return origin.observed === undefined
        ? `file ${origin.file}`
        : `learned at ${origin.observed.host} on ${origin.observed.date}`
    case 'seed':
      return `varied with seed ${origin.seed}`
    default:
      return origin.by
  }
}
