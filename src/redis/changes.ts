import { checkAssume } from '../assumptions/parse.ts'
import type { LocalInstance } from '../mock/instance.ts'
import { patching, removal } from '../mock/plant-changes.ts'
import type { StoredPlant } from '../store/plant-store.ts'
import { plantTable } from '../store/plant-table.ts'
import type { ChangeName, Changes } from './command.ts'
import type { InstanceSnapshots } from './machine.ts'

/** The copy that a change is applied to. */
export type ChangeContext = InstanceSnapshots & {
  readonly instance: LocalInstance
  /** Of the change, in the log. */
  readonly position: number
  /** Of the log. */
  readonly epoch: string
  /** Where the plants last changed. */
  readonly plantsChangedAt: number
}

type ChangeTable = {
  readonly [Name in ChangeName]: (context: ChangeContext, ...args: Changes[Name]) => unknown
}

/** The effect of each change on the copy of a mock. */
export const changes: ChangeTable = {
  seed: ({ instance }, plants) => instance.seed(plantTable(plants)),
  load: ({ instance }, plants) => instance.load(plantTable(plants)),
  update: ({ instance }, match, patch) => instance.plants.update(match, patch),
  remove: ({ instance }, match) => instance.plants.remove(match),
  async changeAt({ instance, plantsChangedAt, epoch }, { epoch: read, since, positions }, patch) {
    if (read !== epoch || plantsChangedAt > since) return undefined
    const plants = Array.from((instance.state.plants.rows?.() ?? []) as Iterable<StoredPlant>)
    const chosen = new Set(positions.map((position) => plants[position]))
    const matches = (plant: StoredPlant): boolean => chosen.has(plant)
    return instance.changePlants(patch === null ? removal(matches) : patching(matches, patch, (caller) => caller))
  },
  clearPlants: ({ instance }) => instance.plants.clear(),
  plantsChanged: ({ instance }) => instance.plantsChanged(),
  assume: ({ instance }, values) => instance.assume(checkAssume(values)),
  reset: ({ instance }) => instance.reset(),
  addFault: ({ instance }, fault) => instance.addFault(fault),
  removeFault: ({ instance }, id) => instance.removeFault(id),
  removeOwnFault: ({ instance, epoch }, id, set) => set === epoch && instance.removeFault(id),
  clearFaults: ({ instance }) => instance.clearFaults(),
  faults: ({ instance }) => instance.faults(),
  pending: ({ instance }) => instance.pending(),
  clearRequests: ({ instance }) => instance.requests.clear(),
  clearCoverage: ({ instance }) => instance.clearCoverage(),
  takeSnapshot: ({ named }, name) => named.take(name ?? undefined),
  restoreSnapshot: ({ named }, name) => named.restore(name),
  dropSnapshot: ({ named }, name) => named.drop(name),
  capture: ({ captured }) => captured.take(),
  restoreCapture: ({ captured, epoch }, name, taken) => taken === epoch && captured.restore(name),
}

/** The changes after which positions of plants may be others. */
export const plantChanges: ReadonlySet<ChangeName> = new Set<ChangeName>([
  'seed',
  'load',
  'update',
  'remove',
  'changeAt',
  'clearPlants',
  'plantsChanged',
  'reset',
  'restoreSnapshot',
  'restoreCapture',
])
