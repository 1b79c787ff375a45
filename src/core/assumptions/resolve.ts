import { type Assume, type AssumptionId, type Assumptions, assumptionRegistry, defaultAssumptions } from './registry.ts'

export type LearningPlace = { readonly host: string; readonly date: string }

export type Provenance =
  | { readonly by: 'default' | 'option' | 'flag' | 'environment' }
  | { readonly by: 'file'; readonly file: string; readonly observed?: LearningPlace; readonly place?: string }

export type AssumptionLayer = { readonly values: Assume; readonly provenance: (id: AssumptionId) => Provenance }

type AssumptionSettings = {
  readonly file?: AssumptionLayer | undefined
  readonly hasTokens?: boolean | undefined
  readonly environment?: Assume | undefined
  readonly explicit?: Assume | undefined
}

export type ResolvedAssumptions = {
  readonly assumptions: Assumptions
  readonly provenance: Readonly<Record<AssumptionId, Provenance>>
}

export const resolveAssumptions = (
  { file, hasTokens, environment = {}, explicit = {} }: AssumptionSettings,
  explicitBy: 'option' | 'flag' = 'option',
): ResolvedAssumptions => {
  const layers: readonly AssumptionLayer[] = [
    layer(defaultAssumptions, { by: 'default' }),
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

export const describeProvenance = (provenance: Provenance): string => {
  if (provenance.by !== 'file') return provenance.by
  const { file, observed, place } = provenance
  return observed === undefined ? (place ?? `file ${file}`) : `learned at ${observed.host} on ${observed.date}`
}
