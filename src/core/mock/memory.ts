import type { Assumptions } from '../assumptions/registry.ts'
import type { Fault } from '../faults/fault.ts'
import { type FaultList, initialFaultList } from '../faults/fault-list.ts'
import type { Plants } from '../model/plants.ts'
import { initialState, replacePlants, type State } from '../model/state.ts'
import { noSnapshots, type Saved, type Snapshots } from './snapshots.ts'

/** Everything that decides how a mock instance responds, as an immutable value. The journal only observes. */
export type Memory = {
  readonly state: State
  readonly assumptions: Assumptions
  readonly base: Plants
  readonly faults: FaultList
  readonly snapshots: Snapshots
}

export type Start = {
  /** Replaced when a watched file of assumptions has changed. */
  assumptions: Assumptions
  readonly faults: readonly Fault[]
  readonly seed: number
}

/** @param base The plants that a reset restores. @param plants The present plants. Default: `base`. */
export const initialMemory = ({ assumptions, faults, seed }: Start, base: Plants, plants = base): Memory => ({
  state: initialState(plants, seed),
  assumptions,
  base,
  faults: initialFaultList(faults, seed),
  snapshots: noSnapshots,
})

/** Restores the initial memory. Snapshots stay, and fault ids continue. */
export const resetMemory = ({ base, faults, snapshots }: Memory, { assumptions, seed, ...start }: Start): Memory => ({
  state: initialState(base, seed),
  assumptions,
  base,
  faults: initialFaultList(start.faults, seed, faults.count),
  snapshots,
})

/** perf: an object literal, because a spread takes a sixth of the time that core needs for a POST (`npm run bench`). */
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
