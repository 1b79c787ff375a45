import { isPlantId } from '../../core/contract/schemas.ts'
import type { Hidden } from '../../core/model/hidden.ts'
import type { StoredPlant } from '../../core/model/plants.ts'
import type { State } from '../../core/model/state.ts'
import { isJsonObject } from '../../util/json.ts'
import type { Mutation } from './mutant.ts'
import { stranger } from './request-changes.ts'

type Added = {
  readonly before: State
  readonly plant: StoredPlant
  readonly caller: string
}

const afterAdding = (change: (after: State, added: Added) => State): Mutation => ({
  step(after, before, { caller: { key = '' } }) {
    const { length } = before.plants
    if (after.state.plants.length <= length) return after
    const added = { before, plant: after.state.plants.at(length), caller: key }
    return { ...after, state: change(after.state, added) }
  },
})

export const lost = afterAdding((after, { before: { plants, hidden } }) => ({ ...after, plants, hidden }))

const storedWith = (properties: Partial<StoredPlant>): Mutation =>
  afterAdding((after, { before, plant }) => ({ ...after, plants: before.plants.append({ ...plant, ...properties }) }))

export const elsewhere = storedWith({ access: [stranger] })

export const shared = storedWith({ access: undefined })

export const otherTag = storedWith({ tag: 'Other' })

export const storedTwice = afterAdding((after, { before, plant }) => ({
  ...after,
  plants: after.plants.append(plant),
  hidden: moveHidden(after.hidden, before.plants.length, [before.plants.length, before.plants.length + 1]),
}))

export const overwriting = afterAdding((after, { before: { plants }, plant, caller }) => {
  const position = plants.findDuplicate(caller, plant.id, 'conflict-everywhere')
  const { access } = position === undefined ? plant : plants.at(position)
  // Keeps a plant that the caller sees: with `create.duplicateId=accept`, the caller may see two plants of one id.
  if (position === undefined || access === undefined || access.includes(caller)) return after
  const hidden = moveHidden(moveHidden(after.hidden, position, []), plants.length, [position])
  return { ...after, plants: plants.changed(new Map([[position, plant]])), hidden }
})

const moveHidden = (hidden: Hidden, position: number, positions: readonly number[]): Hidden => ({
  ...hidden,
  plants: hidden.plants.flatMap((plant) =>
    plant.position === position ? positions.map((moved) => ({ ...plant, position: moved })) : plant,
  ),
})

const never = Number.MAX_SAFE_INTEGER

export const missing = afterAdding(({ hidden, ...after }, { before, caller }) => {
  const others = hidden.plants.filter(
    ({ caller: other, until }) => other !== caller || !('time' in until && until.time === never),
  )
  const last = { position: before.plants.length, caller, until: { time: never } }
  return { ...after, hidden: { ...hidden, plants: [...others, last] } }
})

export const refusedStored: Mutation = {
  step(after, _, { sent, caller: { key } }) {
    const { problem } = after.reply.meta
    const isAboutPlant = problem === 'invalid-plant' || problem === 'duplicate-id'
    if (!isAboutPlant || key === undefined || sent === undefined || !('value' in sent.body)) return after
    const { value } = sent.body
    if (!isJsonObject(value)) return after
    const { id, name = '', tag = '' } = value
    if (typeof name !== 'string' || typeof tag !== 'string') return after
    const plant = { id: isPlantId(id) ? id : undefined, name, tag, access: [key] }
    return { ...after, state: { ...after.state, plants: after.state.plants.append(plant) } }
  },
}
