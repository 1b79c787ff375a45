import { seededRandom } from '../../util/random.ts'
import {
  type Assume,
  type AssumptionId,
  type Assumptions,
  assumptionRegistry,
  defaultAssumptions,
  valuesOf,
} from './registry.ts'

/** Where a live service showed a value, and when. */
export type LearningPlace = { readonly host: string; readonly date: string }

export type Provenance =
  | { readonly by: 'default' | 'option' | 'flag' | 'environment' }
  | { readonly by: 'file'; readonly file: string; readonly observed?: LearningPlace }
  | { readonly by: 'seed'; readonly seed: number }

export type AssumptionLayer = { readonly values: Assume; readonly provenance: (id: AssumptionId) => Provenance }

type AssumptionSettings = {
  /** Chooses a value for each assumption, except the rare ones. */
  readonly seed?: number | undefined
  readonly file?: AssumptionLayer | undefined
  /** Whether accepted tokens are listed, which implies `auth.tokens=listed`. */
  readonly hasTokens?: boolean | undefined
  readonly environment?: Assume | undefined
  /** Set by name: in code, or by `--assume`. */
  readonly explicit?: Assume | undefined
}

export type ResolvedAssumptions = {
  readonly assumptions: Assumptions
  readonly provenance: Readonly<Record<AssumptionId, Provenance>>
}

/** The precedence, from the weakest: default, seed, file, tokens, environment, explicit. */
export const resolveAssumptions = (
  { seed, file, hasTokens, environment = {}, explicit = {} }: AssumptionSettings,
  explicitBy: 'option' | 'flag' = 'option',
): ResolvedAssumptions => {
  const layers: readonly AssumptionLayer[] = [
    layer(defaultAssumptions, { by: 'default' }),
    ...(seed === undefined ? [] : [layer(assumptionsFromSeed(seed), { by: 'seed', seed })]),
    ...(file === undefined ? [] : [file]),
    ...(hasTokens ? [layer({ 'auth.tokens': 'listed' }, { by: explicitBy })] : []),
    layer(environment, { by: 'environment' }),
    layer(explicit, { by: explicitBy }),
  ]
  const strongest = (id: AssumptionId) => layers.findLast(({ values }) => values[id] !== undefined) as AssumptionLayer
  const resolve = (read: (layer: AssumptionLayer, id: AssumptionId) => unknown) =>
    Object.fromEntries(assumptionRegistry.map(({ id }) => [id, read(strongest(id), id)]))
  return {
    assumptions: resolve(({ values }, id) => values[id]),
    provenance: resolve(({ provenance }, id) => provenance(id)),
  } as ResolvedAssumptions
}

const layer = (values: Assume, provenance: Provenance): AssumptionLayer => ({ values, provenance: () => provenance })

/** Provenance in words, such as `learned at staging.example on 2026-11-20`. */
export const describeProvenance = (provenance: Provenance): string => {
  switch (provenance.by) {
    case 'file':
      return provenance.observed === undefined
        ? `file ${provenance.file}`
        : `learned at ${provenance.observed.host} on ${provenance.observed.date}`
    case 'seed':
      return `seed ${provenance.seed}`
    default:
      return provenance.by
  }
}

/** A value for each assumption except the rare ones, drawn from a seed. The same seed gives the same values. */
export const assumptionsFromSeed = (seed: number): Assume => {
  const random = seededRandom(seed)
  return Object.fromEntries(
    assumptionRegistry
      .filter(({ rare }) => !rare)
      .map((row) => {
        const values = valuesOf(row)
        return [row.id, values[Math.floor(random() * values.length)]]
      }),
  )
}
