import { checkAssume } from '../assumptions/parse.ts'
import type { Assumptions } from '../assumptions/registry.ts'
import type { Caller, FixturePlant } from '../contract/schemas.ts'
import type { Faults } from '../faults/faults.ts'
import type { JournalEntry } from '../journal/entry.ts'
import { parseFilter } from '../journal/filter.ts'
import type { HiddenChanges } from '../operations/hidden-plants.ts'
import type { Service } from '../service/service.ts'
import { asFixture } from '../store/plant-store.ts'
import type { PlantTable } from '../store/plant-table.ts'
import { andThen, isPromise } from '../util/maybe-promise.ts'
import { syncFilter } from '../util/sync-filter.ts'
import { shorten } from '../util/words.ts'
import type { Base } from './base.ts'
import { fixtureTable } from './check-fixtures.ts'
import type { MockEvents } from './events.ts'
import type { InstanceApi } from './instance.ts'
import { cannotChange, type DecideChanges, patching, removal } from './plant-changes.ts'
import { type PlantMatch, plantPredicate } from './plant-filter.ts'
import type { Plants, RecordedViolation, Requests } from './plant-mock.ts'
import { maxUrlLength, requestsOf } from './requests.ts'
import { keyOf, type MockState } from './state.ts'

type Parts = {
  readonly state: MockState
  readonly service: Service
  readonly faults: Faults
  readonly base: Base
  readonly events: MockEvents
  /** Takes note of plants that users change, so that hidden ones stay hidden. */
  readonly hidden: HiddenChanges
  readonly onLoad: ((fixtures: PlantTable) => void) | undefined
}

/** The methods of a mock instance for users. Every change is announced as an event. */
export const instanceApi = (parts: Parts): InstanceApi & { readonly changePlants: ChangePlants } => {
  const { state, faults, events } = parts
  const changePlants = plantChanger(parts)
  return {
    plants: plantsApi(parts, changePlants),
    changePlants,
    requests: requestsApi(parts),
    violations: async () => [...state.journal.entries({ violating: true })].flatMap(recordedViolations),
    assumptions: async () => state.assumptions,
    async assume(values) {
      setAssumptions({ ...state.assumptions, ...checkAssume(values) }, parts)
      events.changed('assumptions')
    },
    ...lifecycleApi(parts),
    async fail(fault) {
      const { id } = state.faults.add(fault)
      events.changed('faults')
      return async () => {
        if (state.faults.remove(id)) events.changed('faults')
      }
    },
    faults: async () => faults.active(),
    pending: async () => faults.pending(),
    async clearFaults() {
      state.faults.clear()
      events.changed('faults')
    },
    coverage: async () => state.coverage.rows(),
    async clearCoverage() {
      state.coverage.clear()
      events.changed('coverage')
    },
  }
}

type ChangePlants = (decide: DecideChanges) => Promise<number>

/** @returns A function that changes plants, and returns how many. */
const plantChanger =
  ({ state, base, events, hidden }: Parts): ChangePlants =>
  async (decide) => {
    await base.ready
    if (state.plants.change === undefined) throw cannotChange()
    const { size } = await andThen(state.plants.change(decide), (changes) => {
      hidden.changed(changes)
      return changes
    })
    if (size > 0) events.changed('plants')
    return size
  }

const plantsApi = ({ state, base, events, hidden }: Parts, change: ChangePlants): Plants => {
  const callerKey = (caller: Caller): Caller => keyOf(state.plants, caller)
  const all = async (match?: PlantMatch): Promise<readonly FixturePlant[]> => {
    const matches = match === undefined ? undefined : plantPredicate(match, callerKey)
    await base.ready
    const plants = await state.plants.all()
    return (matches === undefined ? plants : plants.filter(matches)).map(asFixture)
  }
  return {
    all,
    async visibleTo(caller) {
      const key = keyOf(state.plants, caller)
      return (await all()).filter(({ access }) => access === undefined || access.includes(key))
    },
    async find(match) {
      const matches = plantPredicate(match, callerKey)
      return (await all()).find(matches)
    },
    update: async (match, patch) => change(patching(plantPredicate(match, callerKey), patch, callerKey)),
    remove: async (match) => change(removal(plantPredicate(match, callerKey))),
    async clear() {
      await base.ready
      await andThen(state.plants.replaceAll([]), hidden.removeAll)
      events.changed('plants')
    },
  }
}

const requestsApi = ({ state: { journal }, events }: Parts): Requests =>
  requestsOf({
    // A filter from JavaScript is not typed; a misspelt part would select every request.
    all: async (match = {}) =>
      typeof match === 'function'
        ? [...journal.entries()].filter(syncFilter(match))
        : [...journal.entries(parseFilter(match))],
    count: async (match = {}) =>
      typeof match === 'function'
        ? [...journal.entries()].filter(syncFilter(match)).length
        : journal.count(parseFilter(match)),
    async clear() {
      journal.clear()
      events.changed('requests')
    },
    listen: async (onEntry) =>
      events.listen(({ type }) => {
        if (type === 'request') onEntry()
      }),
  })

/** The violations of one exchange. */
export const recordedViolations = ({
  id,
  operation,
  method,
  url,
  violations,
  violationsOmitted,
}: JournalEntry): readonly RecordedViolation[] =>
  violations.map((violation, index) => ({
    ...violation,
    request: id,
    ...(operation !== undefined && { operation }),
    exchange: `${method} ${shorten(url, maxUrlLength)}`,
    ...(violationsOmitted !== undefined && index === violations.length - 1 && { omitted: violationsOmitted }),
  }))

const setAssumptions = (assumptions: Assumptions, { state, service }: Pick<Parts, 'state' | 'service'>): void => {
  state.assumptions = assumptions
  service.assume(assumptions)
}

const lifecycleApi = ({
  state,
  service,
  base,
  events,
  onLoad,
}: Parts): Pick<InstanceApi, 'seed' | 'snapshot' | 'reset' | 'load'> => {
  const initialAssumptions = state.assumptions
  return {
    async seed(plants) {
      const table = fixtureTable(plants)
      const checked = isPromise(table) ? await table : table
      await base.ready
      await state.plants.seed(checked)
      events.changed('plants')
    },
    async snapshot() {
      await base.ready
      const { assumptions } = state
      const restorePlants = await state.plants.snapshot()
      return async () => {
        const restored = restorePlants()
        setAssumptions(assumptions, { state, service })
        state.forgetCalls()
        await restored
        events.changed('plants', 'assumptions')
      }
    },
    async reset() {
      await base.ready
      // First, so that nothing else has changed when the store cannot restore its plants.
      const restored = base.restore()
      setAssumptions(initialAssumptions, { state, service })
      state.restartRandom()
      state.forgetCalls()
      state.faults.reset()
      state.journal.clear()
      await restored
      events.changed('requests', 'plants', 'assumptions', 'faults')
    },
    async load(fixtures) {
      const table = fixtureTable(fixtures)
      const plants = isPromise(table) ? await table : table
      await base.ready
      const replaced = state.plants.replaceAll(plants)
      state.forgetCalls()
      await replaced
      await base.update(plants)
      onLoad?.(plants)
      events.changed('plants')
    },
  }
}
