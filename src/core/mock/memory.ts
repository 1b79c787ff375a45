import type { Assumptions } from '../assumptions/registry.ts'
import type { Fault } from '../faults/fault.ts'
import { type FaultList, initialFaultList } from '../faults/fault-list.ts'
import type { Plants } from '../model/plants.ts'
import { initialState, replacePlants, type State } from '../model/state.ts'
import { noSnapshots, type Saved, type Snapshots } from './snapshots.ts'

export type Memory = {
  readonly state: State
  readonly assumptions: Assumptions
  readonly base: Plants
  readonly faults: FaultList
  readonly snapshots: Snapshots
}

export type Start = {
  assumptions: Assumptions
  readonly faults: readonly Fault[]
  readonly seed: number
}

export const initialMemory = ({ assumptions, faults, seed }: Start, base: Plants, plants = base): Memory => ({
  state: initialState(plants, seed),
  assumptions,
  base,
  faults: initialFaultList(faults, seed),
  snapshots: noSnapshots,
})

export const resetMemory = ({ base, faults, snapshots }: Memory, { assumptions, seed, ...start }: Start): Memory => ({
  state: initialState(base, seed),
  assumptions,
  base,
  faults: initialFaultList(start.faults, seed, faults.count),
  snapshots,
})

/** perf: lists all fields, because a spread takes a sixth of the core's time for a POST (`npm run bench`). */
export const withState = ({ assumptions, base, faults, snapshots }: Memory, state: State): Memory => ({
  state,
  assumptions,
  base,
  faults,
  snapshots,
})

export const restoreSaved = (memory: Memory, { plants, assumptions }: Saved): Memory => ({
  ...memory,
  state: replacePlants(memory.state, plants),
  assumptions,
})
