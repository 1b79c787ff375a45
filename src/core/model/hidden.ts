import { countIn } from '../assumptions/form.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import { GrowingSet } from './growing-set.ts'

type HiddenPlant = {
  readonly position: number
  readonly caller: string
  /** Hides the plant from a number of lists, or until a time in milliseconds since 1970. */
  readonly until: { readonly lists: number } | { readonly time: number }
}

export type Hidden = {
  readonly plants: readonly HiddenPlant[]
  readonly creators: GrowingSet
}

export const nothingHidden: Hidden = { plants: [], creators: GrowingSet.empty }

type Visibility = Assumptions['create.visibility']

export const hide = (hidden: Hidden, caller: string, position: number, visibility: Visibility, now: number): Hidden => {
  const creators = hidden.creators.with(caller)
  if (visibility !== 'immediate')
    return { plants: [...hidden.plants, { position, caller, until: untilOf(visibility, now) }], creators }
  return creators === hidden.creators ? hidden : { ...hidden, creators }
}

const untilOf = (visibility: Exclude<Visibility, 'immediate'>, now: number): HiddenPlant['until'] => {
  if (visibility === 'eventual') return { lists: 1 }
  return visibility.startsWith('after-ms:') ? { time: now + countIn(visibility) } : { lists: countIn(visibility) }
}

const isOver = ({ until }: HiddenPlant, now: number): boolean =>
  'time' in until ? until.time <= now : until.lists <= 0

export const takeHidden = (
  hidden: Hidden,
  caller: string,
  now: number,
): { readonly hidden: Hidden; readonly excluded: ReadonlySet<number> } => {
  if (!hidden.plants.some((plant) => plant.caller === caller)) return { hidden, excluded: none }
  const excluded = new Set<number>()
  const plants = hidden.plants.flatMap((plant) => {
    if (plant.caller !== caller) return plant
    if (isOver(plant, now)) return []
    excluded.add(plant.position)
    if ('time' in plant.until) return plant
    const lists = plant.until.lists - 1
    return lists === 0 ? [] : { ...plant, until: { lists } }
  })
  return { hidden: { ...hidden, plants }, excluded }
}

const none: ReadonlySet<number> = new Set()

export const moveHidden = (hidden: Hidden, positionOf: (position: number) => number | undefined): Hidden => ({
  ...hidden,
  plants: hidden.plants.flatMap((plant) => {
    const position = positionOf(plant.position)
    return position === undefined ? [] : { ...plant, position }
  }),
})
