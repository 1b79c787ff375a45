import { defaultAssumptions } from '../../core/assumptions/registry.ts'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import type { Recorded } from '../../core/journal/entry.ts'
import type { LocalInstance } from '../../core/mock/instance.ts'
import type { Memory } from '../../core/mock/memory.ts'
import { GrowingSet } from '../../core/model/growing-set.ts'
import { Plants } from '../../core/model/plants.ts'
import { exactJson, exactJsonOrUndefined } from '../../util/exact-json.ts'
import { decodeBody, encodeBody } from './encode.ts'
import type { Machine } from './machine.ts'
import { notDefault } from './settings.ts'

export const encodeCopy = (machine: Machine): string => exactJson(dataOf(machine))

const dataOf = ({ instances, initialPlants }: Machine) => {
  const numbers = new Map([[initialPlants, 0]])
  const numberOf: NumberOf = (plants) => {
    const number = numbers.get(plants) ?? numbers.size
    numbers.set(plants, number)
    return number
  }
  return {
    callers: instances.callers.dump(),
    root: dataOfInstance(instances.root, numberOf),
    sessions: instances.sessionInstances().map(([id, instance]) => [id, dataOfInstance(instance, numberOf)] as const),
    plants: [...numbers.keys()].slice(1).map((plants): readonly FixturePlant[] => plants.toJSON()),
  }
}

type NumberOf = (plants: Plants) => number

const dataOfInstance = ({ memory, journal }: LocalInstance, numberOf: NumberOf) => {
  const { entries, ...rest } = journal.dump()
  return {
    memory: encodeMemory(memory, numberOf),
    journal: { ...rest, entries: entries.map(encodeEntry) },
  }
}

const encodeMemory = ({ state, snapshots, ...memory }: Memory, numberOf: NumberOf) => ({
  ...memory,
  base: numberOf(memory.base),
  assumptions: notDefault(memory.assumptions),
  state: {
    ...state,
    plants: numberOf(state.plants),
    hidden: { ...state.hidden, creators: state.hidden.creators.toJSON() },
    rates: [...state.rates],
  },
  snapshots: {
    ...snapshots,
    byName: Array.from(snapshots.byName, ([name, { plants, assumptions, ...saved }]) => {
      return [name, { ...saved, plants: numberOf(plants), assumptions: notDefault(assumptions) }] as const
    }),
  },
})

const decodeMemory = (
  { state, snapshots, ...memory }: ReturnType<typeof encodeMemory>,
  plantsOf: (number: number) => Plants,
): Memory => ({
  ...memory,
  base: plantsOf(memory.base),
  assumptions: { ...defaultAssumptions, ...memory.assumptions },
  state: {
    ...state,
    plants: plantsOf(state.plants),
    hidden: { ...state.hidden, creators: GrowingSet.from(state.hidden.creators) },
    rates: new Map(state.rates),
  },
  snapshots: {
    ...snapshots,
    byName: new Map(
      snapshots.byName.map(([name, saved]) => {
        const assumptions = { ...defaultAssumptions, ...saved.assumptions }
        return [name, { ...saved, plants: plantsOf(saved.plants), assumptions }]
      }),
    ),
  },
})

const encodeEntry = (entry: Recorded) => ({
  ...entry,
  values: entry.values && notDefault(entry.values),
  body: encodeBody(entry.body),
  responseBody: encodeBody(entry.responseBody),
})

const decodeEntry = (data: ReturnType<typeof encodeEntry>): Recorded => ({
  ...data,
  values: data.values && { ...defaultAssumptions, ...data.values },
  body: decodeBody(data.body),
  responseBody: decodeBody(data.responseBody),
})

export const decodeCopy = (text: string, { instances, initialPlants }: Machine): void => {
  const { callers, root, sessions, ...copy } = exactJsonOrUndefined(text) as ReturnType<typeof dataOf>
  const plants = [initialPlants, ...copy.plants.map((fixtures) => Plants.from(fixtures))]
  const restore = (instance: LocalInstance, { memory, journal }: ReturnType<typeof dataOfInstance>): void => {
    instance.memory = decodeMemory(memory, (number) => plants[number] as Plants)
    instance.journal.restore({ ...journal, entries: journal.entries.map(decodeEntry) })
  }
  instances.callers.restore(callers)
  restore(instances.root, root)
  for (const [id, session] of sessions) restore(instances.session(id), session)
}
