import { isJsonObject } from '../../util/json.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Contradiction } from './operation.ts'

/** The first plant whose missing tag is shown differently from `create.missingTag`. */
export const missingTagContradictions = (
  plants: readonly unknown[],
  { 'create.missingTag': assumed }: Assumptions,
): readonly Contradiction[] => {
  const found = plants.map(missingTagOf).find((shown) => shown !== undefined && shown !== assumed)
  if (found === undefined) return []
  const detail = found === 'omit' ? 'A plant has no tag' : 'A plant has the tag null'
  return [{ by: ['create.missingTag'], detail }]
}

const missingTagOf = (plant: unknown): 'omit' | 'null' | undefined => {
  if (!isJsonObject(plant) || typeof plant.tag === 'string') return undefined
  return plant.tag === null ? 'null' : plant.tag === undefined ? 'omit' : undefined
}
