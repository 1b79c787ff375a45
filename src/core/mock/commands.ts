import { memberIn, objectIn } from '../../util/json.ts'
import { andThen, type MaybePromise } from '../../util/maybe-promise.ts'
import { checkAssume } from '../assumptions/parse.ts'
import type { Assume, Assumptions } from '../assumptions/registry.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import { checkFault, type Fault } from '../faults/fault.ts'
import type { ActiveFault } from '../faults/faults.ts'
import type { JournalEntry, RequestFilter } from '../journal/entry.ts'
import { parseFilter } from '../journal/filter.ts'
import { PlantTable, plantTable } from '../store/plant-table.ts'
import { type CallerKeys, type CommandRoute, type CommandRow, setAssumptions } from './command-row.ts'
import type { Coverage } from './coverage.ts'
import {
  callerKeyIn,
  changePlants,
  checkFixtures,
  patching,
  predicateIn,
  readPlants,
  removal,
  type Selection,
  selected,
} from './plant-changes.ts'
import type { PlantFields, PlantPatch } from './plant-filter.ts'
import type { RecordedViolation } from './plant-mock.ts'
import { recordedViolations } from './requests.ts'
import { keyOf } from './state.ts'

const row = <Argument = undefined, Result = void>(
  given: Partial<CommandRow<Argument, Result>> & Pick<CommandRow<Argument, Result>, 'run'>,
): CommandRow<Argument, Result> => ({ changes: [], ...given })

const route = (
  at: CommandRoute['at'],
  summary: string,
  shapes: Omit<CommandRoute, 'at' | 'summary'> = {},
): CommandRoute => ({ at, summary, ...shapes })

/** Plants that `checkFixtures` has checked. */
type CheckedPlants = { readonly plants: Iterable<FixturePlant> }

const plantsIn = (body: unknown): CheckedPlants => ({
  plants: checkFixtures(
    memberIn(body, 'plants', Array.isArray, 'Send {"plants":[…]}, with plants as in a fixture file.'),
  ),
})

/** Checked plants, with the keys of callers instead of their tokens. */
export const keyedPlants = ({ plants }: CheckedPlants, { keyOf }: CallerKeys) => {
  const keyed = (plant: FixturePlant): FixturePlant =>
    plant.access === undefined ? plant : { ...plant, access: [...new Set(plant.access.map(keyOf))] }
  return { plants: Array.from(plants, keyed) }
}

const keyedFields = (fields: PlantFields, { keyOf }: CallerKeys): PlantFields =>
  fields.access ? { ...fields, access: fields.access.map(keyOf) } : fields

/** Plants that are selected themselves were read with keys. */
const keyedSelection = (selection: Selection, keys: CallerKeys): Selection =>
  'filter' in selection ? { filter: keyedFields(selection.filter, keys) } : selection

export const keyedFault = (fault: Fault, { keyOfToken }: CallerKeys): Fault => {
  const checked = checkFault(fault)
  return checked.caller === undefined ? checked : { ...checked, caller: keyOfToken(checked.caller) }
}

/** Everything that users can do to a mock instance, apart from requests to the service. */
export const commands = {
  plants: row<undefined, readonly FixturePlant[]>({
    route: route('GET /plants', 'All plants, with ids and access', { response: 'Plants', result: 'plants' }),
    run: (context) => readPlants(context, () => true),
  }),
  searchPlants: row<{ readonly filter: PlantFields } | { readonly caller: string }, readonly FixturePlant[]>({
    route: route(
      'POST /plants/search',
      'The plants of one caller, or that match a filter; tokens are in the body, because URLs are logged',
      { body: 'PlantsSearch', response: 'Plants', result: 'plants' },
    ),
    run(context, search) {
      const { plants } = context.state
      if ('filter' in search) return readPlants(context, predicateIn(search.filter, context))
      const key = keyOf(plants, search.caller)
      return readPlants(context, ({ access }) => access === undefined || access.includes(key))
    },
  }),
  seed: row<CheckedPlants>({
    changes: ['plants'],
    keyed: keyedPlants,
    route: route('POST /plants', 'Appends plants; all of them or none', { body: 'Plants', parse: plantsIn }),
    async run({ base, state }, { plants }) {
      await base.ready
      await state.plants.seed(plants)
    },
  }),
  load: row<CheckedPlants>({
    changes: ['plants'],
    keyed: keyedPlants,
    route: route('PUT /plants', 'Replaces fixtures and plants with these', { body: 'Plants', parse: plantsIn }),
    async run({ base, state, watched, onLoad }, { plants }) {
      const table = plants instanceof PlantTable ? plants : plantTable(plants)
      await base.ready
      const replaced = state.plants.replaceAll(table)
      state.forgetCalls()
      await replaced
      await base.update(table)
      onLoad?.(table)
      watched?.plantsReplaced()
    },
  }),
  update: row<Selection & { readonly patch: PlantPatch }, number>({
    changes: ['plants'],
    keyed: ({ patch, ...selection }, keys) => ({ ...keyedSelection(selection, keys), patch: keyedFields(patch, keys) }),
    route: route('PATCH /plants', 'Changes the plants that match a filter; null removes a field', {
      body: 'PlantsPatch',
      response: 'Changed',
      result: 'changed',
    }),
    run: (context, { patch, ...selection }) =>
      changePlants(context, patching(selected(selection, context), patch, callerKeyIn(context))),
  }),
  remove: row<Selection, number>({
    changes: ['plants'],
    keyed: keyedSelection,
    route: route('POST /plants/remove', 'Removes the plants that match a filter', {
      body: 'PlantsSelection',
      response: 'Changed',
      result: 'changed',
    }),
    run: (context, selection) => changePlants(context, removal(selected(selection, context))),
  }),
  clearPlants: row({
    changes: ['plants'],
    route: route('DELETE /plants', 'Removes all plants; a reset restores the fixtures'),
    async run({ base, state, hidden }) {
      await base.ready
      await andThen(state.plants.replaceAll([]), hidden.removeAll)
    },
  }),
  /** After something else has changed the plants in the store. */
  plantsChanged: row({ changes: ['plants'], run: ({ state }) => state.forgetCalls() }),

  snapshotNames: row<undefined, readonly string[]>({
    route: route('GET /snapshots', 'The names of the snapshots', { response: 'Snapshots', result: 'snapshots' }),
    run: ({ snapshots }) => snapshots.names(),
  }),
  takeSnapshot: row<string | undefined, string>({
    isLogged: true,
    route: route('POST /snapshots', 'Takes a snapshot of plants and assumptions', {
      response: 'Snapshot',
      result: 'name',
    }),
    run: ({ snapshots }, name) => snapshots.take(name),
  }),
  restoreSnapshot: row<string, boolean>({
    changes: ['plants', 'assumptions'],
    route: route('POST /snapshots/{name}/restore', 'Restores a snapshot'),
    run: ({ snapshots }, name) => snapshots.restore(name),
  }),
  dropSnapshot: row<string, boolean>({
    isLogged: true,
    route: route('DELETE /snapshots/{name}', 'Deletes a snapshot'),
    run: ({ snapshots }, name) => snapshots.drop(name),
  }),

  requests: row<RequestFilter, readonly JournalEntry[]>({
    route: route('POST /requests/search', 'The requests that match a filter, which may hold a token', {
      body: 'Filter',
      response: 'Entries',
      result: 'requests',
    }),
    run: ({ state }, filter) => [...state.journal.entries(parseFilter(filter))],
  }),
  countRequests: row<RequestFilter, number>({
    route: route('POST /requests/count', 'The number of requests that match a filter', {
      body: 'Filter',
      response: 'Count',
      result: 'count',
      parse: (body = {}) => body,
    }),
    run: ({ state }, filter) => state.journal.count(parseFilter(filter)),
  }),
  clearRequests: row({
    changes: ['requests'],
    route: route('DELETE /requests', 'Clears the journal'),
    run: ({ state }) => state.journal.clear(),
  }),
  violations: row<undefined, readonly RecordedViolation[]>({
    route: route('GET /violations', 'The violations of the contract in the journal, oldest first', {
      response: 'Violations',
      result: 'violations',
    }),
    run: ({ state }) => [...state.journal.entries({ violating: true })].flatMap(recordedViolations),
  }),

  faults: row<undefined, readonly ActiveFault[]>({
    // Their descriptions name callers.
    isLogged: true,
    route: route('GET /faults', 'The active faults, newest first', { response: 'Faults', result: 'faults' }),
    run: ({ faults }) => faults.active(),
  }),
  pending: row<undefined, readonly ActiveFault[]>({
    isLogged: true,
    route: route('GET /faults?pending=true', '', { response: 'Faults', result: 'faults' }),
    run: ({ faults }) => faults.pending(),
  }),
  addFault: row<Fault, string>({
    changes: ['faults'],
    keyed: keyedFault,
    route: route('POST /faults', 'Adds a fault', { body: 'Fault', response: 'FaultId', result: 'id' }),
    run: ({ state }, fault) => state.faults.add(fault).id,
  }),
  removeFault: row<string, boolean>({
    changes: ['faults'],
    route: route('DELETE /faults/{id}', 'Removes one fault'),
    run: ({ state }, id) => state.faults.remove(id),
  }),
  clearFaults: row({
    changes: ['faults'],
    route: route('DELETE /faults', 'Removes all faults, including latency and fail rate'),
    run: ({ state }) => state.faults.clear(),
  }),

  assumptions: row<undefined, Assumptions>({
    route: route('GET /assumptions', 'The registry of assumptions with the values in force', {
      response: 'Assumptions',
      result: 'values',
    }),
    run: ({ state }) => ({ ...state.assumptions }),
  }),
  assume: row<Assume>({
    changes: ['assumptions'],
    route: route('PATCH /assumptions', 'Changes assumptions from the next request on', {
      body: 'Assume',
      parse: (body) => objectIn(body, 'Send an object of assumptions, such as {"create.status":200}.'),
    }),
    run(context, values) {
      const checked = checkAssume(values)
      setAssumptions(context, { ...context.state.assumptions, ...checked })
      context.watched?.fix(Object.keys(checked) as (keyof Assume)[])
    },
  }),
  coverage: row<undefined, Coverage>({
    route: route('GET /coverage', 'The outcomes of each operation, and their counts', {
      response: 'Coverage',
      result: 'coverage',
    }),
    run: ({ state }) => state.coverage.rows(),
  }),
  clearCoverage: row({
    changes: ['coverage'],
    route: route('DELETE /coverage', 'Resets the coverage'),
    run: ({ state }) => state.coverage.clear(),
  }),
  reset: row({
    changes: ['requests', 'plants', 'assumptions', 'faults'],
    route: route('POST /reset', 'Restores plants, assumptions and faults of the start; clears the journal'),
    async run(context) {
      const { state, base, initialAssumptions, watched } = context
      await base.ready
      // First, so that nothing else has changed when the store cannot restore its plants.
      const restored = base.restore()
      setAssumptions(context, initialAssumptions)
      state.restartRandom()
      state.forgetCalls()
      state.faults.reset()
      state.journal.clear()
      await restored
      watched?.restarted()
    },
  }),
} as const

export type CommandName = keyof typeof commands
type CommandArgument<Name extends CommandName> = Parameters<(typeof commands)[Name]['run']>[1]
type CommandResult<Name extends CommandName> = Awaited<ReturnType<(typeof commands)[Name]['run']>>

/** Any command, for carriers that know none by name. */
export const commandNamed = (name: CommandName): CommandRow<unknown, unknown> =>
  commands[name] as unknown as CommandRow<unknown, unknown>

export type RunMockCommand = <Name extends CommandName>(
  name: Name,
  ...argument: undefined extends CommandArgument<Name>
    ? [argument?: CommandArgument<Name>]
    : [argument: CommandArgument<Name>]
) => MaybePromise<CommandResult<Name>>

/** A command with the result `0` or `false` has changed nothing. */
export const hasChanged = (result: unknown): boolean => result !== 0 && result !== false
