import { countIn } from '../assumptions/form.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { PlantChanges, StoredPlant } from '../store/plant-store.ts'

export type HiddenPlants = ReturnType<typeof hiddenPlants>

/** The part that follows changes of the store past the service. */
export type HiddenChanges = Pick<HiddenPlants, 'changed' | 'removeAll'>

/** Until when a plant is hidden: a number of lists, or a time in milliseconds. */
type Until = { lists: number } | { readonly time: number }

/** Plants that lists of their creator leave out for a while (`create.visibility`). @param now For `after-ms`. */
export const hiddenPlants = (now: () => number = Date.now) => {
  const byCaller = new Map<string, Map<StoredPlant, Until>>()
  const creators = new Set<string>()

  const untilOf = (visibility: Exclude<Assumptions['create.visibility'], 'immediate'>): Until => {
    if (visibility === 'eventual') return { lists: 1 }
    return visibility.startsWith('after-ms:') ? { time: now() + countIn(visibility) } : { lists: countIn(visibility) }
  }

  const isOver = (until: Until): boolean => ('time' in until ? until.time <= now() : until.lists <= 0)

  /** @param positionOf The position of a plant in the store; `undefined` for one that was replaced, which hides nothing. */
  const dump = (positionOf: (plant: StoredPlant) => number | undefined) => ({
    creators: [...creators],
    hidden: [...byCaller].map(([caller, plants]) => {
      const positions = [...plants].flatMap(([plant, until]) => {
        const position = positionOf(plant)
        // Lists count down in these objects.
        return position === undefined ? [] : [[position, { ...until }] as const]
      })
      return [caller, positions] as const
    }),
  })

  return {
    /** Hides a created plant, if its visibility is not immediate. */
    add(caller: string, plant: StoredPlant, visibility: Assumptions['create.visibility']): void {
      creators.add(caller)
      if (visibility === 'immediate') return
      const plants = byCaller.get(caller) ?? new Map<StoredPlant, Until>()
      byCaller.set(caller, plants.set(plant, untilOf(visibility)))
    },
    /** The plants to leave out of this list, which counts as one for `after-lists`. */
    take(caller: string): ReadonlySet<StoredPlant> {
      const plants = byCaller.get(caller)
      if (plants === undefined) return none
      const hidden = new Set<StoredPlant>()
      for (const [plant, until] of plants) {
        if ('time' in until ? until.time > now() : until.lists-- > 0) hidden.add(plant)
        else plants.delete(plant)
      }
      if (plants.size === 0) byCaller.delete(caller)
      return hidden.size === 0 ? none : hidden
    },
    /** The plants that `take` would return, without counting a list. */
    peek: (caller: string): ReadonlySet<StoredPlant> =>
      new Set([...(byCaller.get(caller) ?? [])].flatMap(([plant, until]) => (isOver(until) ? [] : [plant]))),
    /** Whether the caller has created a plant since the last `clear`. */
    hasCreated: (caller: string): boolean => creators.has(caller),
    /** Takes note of plants that were changed or removed in the store: a changed one stays hidden. */
    changed(changes: PlantChanges): void {
      for (const plants of byCaller.values())
        for (const [plant, until] of [...plants]) {
          if (!changes.has(plant)) continue
          plants.delete(plant)
          const next = changes.get(plant)
          if (next !== undefined) plants.set(next, until)
        }
    },
    removeAll: (): void => byCaller.clear(),
    clear(): void {
      byCaller.clear()
      creators.clear()
    },
    dump,
    /** @param plantAt The plant at a position of the store. */
    restore(saved: ReturnType<typeof dump>, plantAt: (position: number) => StoredPlant): void {
      for (const caller of saved.creators) creators.add(caller)
      for (const [caller, plants] of saved.hidden)
        byCaller.set(caller, new Map(plants.map(([position, until]) => [plantAt(position), until])))
    },
  }
}

const none: ReadonlySet<StoredPlant> = new Set()

export const hiddenChanges = (followers: readonly HiddenChanges[]): HiddenChanges => ({
  changed(changes) {
    for (const follower of followers) follower.changed(changes)
  },
  removeAll() {
    for (const follower of followers) follower.removeAll()
  },
})
