import { andThen } from '../../util/maybe-promise.ts'
import type { Caller, FixturePlant } from '../contract/schemas.ts'
import { asFixture, type StoredPlant } from '../store/plant-store.ts'
import type { CommandContext } from './command-row.ts'
import { cannotChange, type DecideChanges } from './plant-changes.ts'
import { type PlantFields, type PlantMatch, plantPredicate } from './plant-filter.ts'
import { equalTo } from './selected-plants.ts'
import { keyOf } from './state.ts'

/** Plants by the values of fields, by a function (in this process alone), or equal to these, as many as are listed. */
export type Selection =
  | { readonly filter: PlantFields }
  | { readonly plants: readonly FixturePlant[] }
  | { readonly select: (plant: FixturePlant) => boolean }

export const readPlants = async (
  { state, base, watched }: CommandContext,
  matches: (plant: StoredPlant) => boolean,
): Promise<readonly FixturePlant[]> => {
  watched?.stateRead()
  await base.ready
  return (await state.plants.all()).filter(matches).map(asFixture)
}

export const callerKeyIn =
  ({ state }: CommandContext) =>
  (caller: Caller): Caller =>
    keyOf(state.plants, caller)

export const predicateIn = (match: PlantMatch, context: CommandContext) => plantPredicate(match, callerKeyIn(context))

export const selected = (selection: Selection, context: CommandContext): ((plant: StoredPlant) => boolean) => {
  if ('plants' in selection) return equalTo(selection.plants, (access) => access)
  return predicateIn('select' in selection ? selection.select : selection.filter, context)
}

export const changePlants = async (
  { state, base, hidden, watched }: CommandContext,
  decide: DecideChanges,
): Promise<number> => {
  // Alternatives that parted stay so, even when no plant is left: the number of changed plants may differ.
  watched?.stateRead()
  await base.ready
  if (state.plants.change === undefined) throw cannotChange()
  const changes = await andThen(state.plants.change(decide), (changes) => {
    hidden.changed(changes)
    return changes
  })
  return changes.size
}
