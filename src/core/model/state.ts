import { type Hidden, moveHidden, nothingHidden } from './hidden.ts'
import { type PlantChanges, Plants } from './plants.ts'
import { noRates, type Rates } from './rates.ts'

export type State = {
  readonly plants: Plants
  readonly hidden: Hidden
  readonly rates: Rates
  readonly random: number
}

export const initialState = (plants: Plants, seed: number): State => ({
  plants,
  hidden: nothingHidden,
  rates: noRates,
  random: seed | 0,
})

export const replacePlants = ({ random }: State, plants: Plants): State => initialState(plants, random)

export const changePlants = (state: State, changes: PlantChanges): State => {
  if (changes.size === 0) return state
  const plants = state.plants.changed(changes)
  if (state.hidden.plants.length === 0) return { ...state, plants }
  const removed = [...changes].flatMap(([position, plant]) => (plant === undefined ? [position] : []))
  const positionOf = (position: number): number | undefined =>
    removed.includes(position) ? undefined : position - removed.filter((other) => other < position).length
  return { ...state, plants, hidden: moveHidden(state.hidden, positionOf) }
}

export const removeAllPlants = (state: State): State => ({
  ...state,
  plants: Plants.none,
  hidden: { ...state.hidden, plants: [] },
})

export const isSameState = (a: State, b: State): boolean =>
  a === b ||
  (a.random === b.random &&
    isSameHidden(a.hidden, b.hidden) &&
    isSameRates(a.rates, b.rates) &&
    a.plants.equals(b.plants))

const isSameHidden = (a: Hidden, b: Hidden): boolean =>
  a === b || (a.creators.equals(b.creators) && JSON.stringify(a.plants) === JSON.stringify(b.plants))

const isSameRates = (a: Rates, b: Rates): boolean =>
  a === b || (a.size === b.size && [...a].every(([caller, count]) => b.get(caller) === count))
