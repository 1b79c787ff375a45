import { type CallerRegistry, sharedPseudonym } from '../../core/journal/callers.ts'
import { checkFixtures } from '../../core/mock/check-fixtures.ts'
import type { PlantFields, PlantMatch, PlantPatch } from '../../core/mock/plant-filter.ts'
import { equalTo } from '../../core/mock/selected-plants.ts'
import { PlantMockError } from '../../util/errors.ts'
import { isJsonObject } from '../../util/json.ts'
import { checkMembers, objectIn } from '../../util/members.ts'

/** Reads the names of callers in a body: as pseudonyms, or `undefined` for tokens. */
type Pseudonyms = Pick<CallerRegistry, 'pseudonymOf' | 'keyOfPseudonym'> | undefined

const hint = 'Send {"filter":{…}} with values of fields, or {"plants":[…]} with the plants themselves.'

/**
 * The plants that a body selects: by `filter`, or equal to those in `plants`, each as often as it is listed.
 * @param others What else the body may have. Default: nothing.
 * @throws PlantMockError for a body with neither or both, and for invalid plants.
 */
export const selectionIn = (body: unknown, callers: Pseudonyms, others: readonly string[] = []): PlantMatch => {
  const members = objectIn(body, hint)
  checkMembers(members, ['filter', 'plants', ...others], hint)
  const { filter, plants } = members
  if ((filter === undefined) === (plants === undefined)) throw new PlantMockError(hint)
  if (plants === undefined) return withTokens(objectIn(filter, hint), callers) as PlantFields
  if (!Array.isArray(plants)) throw new PlantMockError(hint)
  return equalTo(checkFixtures(plants), (access) => (callers === undefined ? access : access.map(callers.pseudonymOf)))
}

/** The new values of fields. The mock instance checks them. */
export const patchIn = (body: unknown, callers: Pseudonyms): PlantPatch =>
  withTokens(objectIn(body, hint).patch, callers) as PlantPatch

/** Replaces pseudonyms by tokens. Any other name is the token of a new caller. */
const withTokens = (fields: unknown, callers: Pseudonyms): unknown => {
  if (callers === undefined || !isJsonObject(fields) || !Array.isArray(fields.access)) return fields
  return { ...fields, access: fields.access.map((name: unknown) => tokenOf(name, callers)) }
}

const tokenOf = (name: unknown, { keyOfPseudonym }: NonNullable<Pseudonyms>): unknown => {
  if (typeof name !== 'string') return name
  if (name === sharedPseudonym)
    throw new PlantMockError(`${sharedPseudonym} stands for several callers. Use the token of one.`)
  return keyOfPseudonym(name) ?? name
}
