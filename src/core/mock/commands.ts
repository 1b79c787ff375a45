import { memberIn, objectIn } from '../../util/json.ts'
import type { MaybePromise } from '../../util/maybe-promise.ts'
import { checkAssume } from '../assumptions/parse.ts'
import type { Assume, Assumptions } from '../assumptions/registry.ts'
import type { CallerKey } from '../contract/caller.ts'
import type { FixturePlant } from '../contract/schemas.ts'
import { checkFault, type Fault } from '../faults/fault.ts'
import { addFault, removeFault } from '../faults/fault-list.ts'
import { type ActiveFault, activeFaults, pendingFaults } from '../faults/faults.ts'
import type { JournalEntry, RequestFilter } from '../journal/entry.ts'
import { parseFilter } from '../journal/filter.ts'
import { type PlantChanges, Plants } from '../model/plants.ts'
import { changePlants, removeAllPlants, replacePlants } from '../model/state.ts'
import type { CallerKeys, CommandContext, CommandRoute, CommandRow } from './command-row.ts'
import { type Memory, resetMemory, restoreSaved } from './memory.ts'
import {
  checkFixtures,
  patching,
  readPlants,
  removal,
  requireAllowed,
  type Selection,
  selected,
} from './plant-changes.ts'
import { type PlantFields, type PlantPatch, plantPredicate } from './plant-filter.ts'
import type { RecordedViolation } from './plant-mock.ts'
import { recordedViolations } from './requests.ts'
import { dropSnapshot, takeSnapshot } from './snapshots.ts'

type Given<Argument, Result> = Omit<CommandRow<Argument, Result>, 'changes' | 'run'>

const change = <Argument = undefined, Result = void>(
  changes: CommandRow<Argument, Result>['changes'],
  given: Given<Argument, Result> & Pick<CommandRow<Argument, Result>, 'run'>,
): CommandRow<Argument, Result> => ({ changes, ...given })

const read = <Argument = undefined, Result = void>(
  run: (memory: Memory, argument: Argument, context: CommandContext) => Result,
  given: Given<Argument, Result>,
): CommandRow<Argument, Result> => ({
  changes: [],
  ...given,
  run: (memory, argument, context) => ({ memory, result: run(memory, argument, context) }),
})

const only =
  <Argument = undefined>(run: (memory: Memory, argument: Argument, context: CommandContext) => Memory) =>
  (memory: Memory, argument: Argument, context: CommandContext) => ({
    memory: run(memory, argument, context),
    result: undefined,
  })

const route = (
  at: CommandRoute['at'],
  summary: string,
  given: Omit<CommandRoute, 'at' | 'summary'> = {},
): CommandRoute => ({ at, summary, ...given })

type PlantSearch = { readonly filter: PlantFields } | { readonly caller: string }

type CheckedPlants = { readonly plants: Iterable<FixturePlant> }

export const plantsHint = 'Send {"plants":[…]}, with plants as in a fixture file.'

const plantsIn = (body: unknown): CheckedPlants => ({
  plants: checkFixtures(memberIn(body, 'plants', Array.isArray, plantsHint)),
})

const withChanges = (memory: Memory, changes: PlantChanges) => ({
  memory: { ...memory, state: changePlants(memory.state, changes) },
  result: changes.size,
})

export const tokenAsKey = (caller: string): CallerKey => caller as CallerKey

export const keyedPlants = ({ plants }: CheckedPlants, { keyOf }: CallerKeys): CheckedPlants => {
  if (keyOf === tokenAsKey) return { plants }
  const keyed = (plant: FixturePlant): FixturePlant =>
    plant.access === undefined ? plant : { ...plant, access: [...new Set(plant.access.map(keyOf))] }
  return { plants: Array.from(plants, keyed) }
}

const keyedFields = (fields: PlantFields, { keyOf }: CallerKeys): PlantFields =>
  fields.access ? { ...fields, access: fields.access.map(keyOf) } : fields

const keyedSelection = (selection: Selection, keys: CallerKeys): Selection =>
  'filter' in selection ? { filter: keyedFields(selection.filter, keys) } : selection

export const keyedFault = (fault: Fault, { keyOfToken }: CallerKeys): Fault => {
  const checked = checkFault(fault)
  return checked.caller === undefined ? checked : { ...checked, caller: keyOfToken(checked.caller) }
}

export const commands = {
  plants: read<undefined, readonly FixturePlant[]>(({ state }) => readPlants(state.plants, () => true), {
    showsPlants: true,
    route: route('GET /plants', 'All plants, with ids and access', { result: 'plants' }),
  }),
  searchPlants: read<PlantSearch, readonly FixturePlant[]>(
    ({ state }, search) =>
      readPlants(
        state.plants,
        'filter' in search
          ? plantPredicate(search.filter)
          : ({ access }) => access === undefined || access.includes(search.caller),
      ),
    {
      showsPlants: true,
      keyed: (search, keys) =>
        'filter' in search ? { filter: keyedFields(search.filter, keys) } : { caller: keys.keyOf(search.caller) },
      route: route('POST /plants/search', 'Lists plants by filter or by caller. The URL of a POST contains no token', {
        result: 'plants',
      }),
    },
  ),
  seed: change<CheckedPlants>(['plants'], {
    keyed: keyedPlants,
    route: route('POST /plants', 'Appends all of these plants, or none', { body: plantsIn }),
    run: only(({ state, ...memory }, { plants }, { start }) => {
      const added = Plants.from(plants)
      requireAllowed(added, memory.assumptions, start.assumptions)
      return { ...memory, state: { ...state, plants: state.plants.appendAll(added) } }
    }),
  }),
  replaceFixtures: change<CheckedPlants>(['plants'], {
    keyed: keyedPlants,
    route: route('PUT /plants', 'Replaces fixtures and plants with these', { body: plantsIn }),
    run: only((memory, { plants }, { start }) => {
      const base = Plants.from(plants)
      requireAllowed(base, memory.assumptions, start.assumptions)
      return { ...memory, base, state: replacePlants(memory.state, base) }
    }),
  }),
  update: change<Selection & { readonly patch: PlantPatch }, number>(['plants'], {
    showsPlants: true,
    keyed: ({ patch, ...selection }, keys) => ({ ...keyedSelection(selection, keys), patch: keyedFields(patch, keys) }),
    route: route('PATCH /plants', 'Changes the plants that match a filter; null removes a field', {
      result: 'changed',
    }),
    run(memory, { patch, ...selection }, { start }) {
      const changed = withChanges(memory, patching(memory.state.plants, selected(selection), patch))
      if (patch.tag === null || typeof patch.id === 'bigint')
        requireAllowed(changed.memory.state.plants, memory.assumptions, start.assumptions)
      return changed
    },
  }),
  remove: change<Selection, number>(['plants'], {
    showsPlants: true,
    keyed: keyedSelection,
    route: route('POST /plants/remove', 'Removes the plants that match a filter', { result: 'changed' }),
    run: (memory, selection) => withChanges(memory, removal(memory.state.plants, selected(selection))),
  }),
  clearPlants: change(['plants'], {
    route: route('DELETE /plants', 'Removes all plants; a reset restores the fixtures'),
    run: only(({ state, ...memory }) => ({ ...memory, state: removeAllPlants(state) })),
  }),

  snapshotNames: read<undefined, readonly string[]>(({ snapshots }) => [...snapshots.byName.keys()], {
    route: route('GET /snapshots', 'The names of the snapshots', { result: 'snapshots' }),
  }),
  takeSnapshot: change<string | undefined, string>([], {
    isLogged: true,
    route: route('POST /snapshots', 'Takes a snapshot of plants and assumptions', { result: 'name' }),
    run({ snapshots: before, ...memory }, given) {
      const { assumptions, state } = memory
      const { snapshots, name } = takeSnapshot(before, { plants: state.plants, assumptions }, given)
      return { memory: { ...memory, snapshots }, result: name }
    },
  }),
  restoreSnapshot: change<string, boolean>(['plants', 'assumptions'], {
    route: route('POST /snapshots/{name}/restore', 'Restores a snapshot'),
    run(memory, name) {
      const saved = memory.snapshots.byName.get(name)
      return { memory: saved === undefined ? memory : restoreSaved(memory, saved), result: saved !== undefined }
    },
  }),
  dropSnapshot: change<string, boolean>([], {
    isLogged: true,
    route: route('DELETE /snapshots/{name}', 'Deletes a snapshot'),
    run: (memory, name) => ({
      memory: { ...memory, snapshots: dropSnapshot(memory.snapshots, name) },
      result: memory.snapshots.byName.has(name),
    }),
  }),

  requests: read<RequestFilter, readonly JournalEntry[]>(
    (_, filter, { journal }) => [...journal.entries(parseFilter(filter))],
    {
      route: route('POST /requests/search', 'The requests that match a filter, which may contain a token', {
        result: 'requests',
      }),
    },
  ),
  countRequests: read<RequestFilter, number>((_, filter, { journal }) => journal.count(parseFilter(filter)), {
    route: route('POST /requests/count', 'The number of requests that match a filter', {
      result: 'count',
      body: (body = {}) => body,
    }),
  }),
  clearRequests: change(['requests'], {
    clearsJournal: true,
    route: route('DELETE /requests', 'Clears the journal'),
    run: only((memory) => memory),
  }),
  violations: read<undefined, readonly RecordedViolation[]>(
    (_, __, { journal }) => [...journal.entries({ violating: true })].flatMap(recordedViolations),
    {
      route: route('GET /violations', 'The violations of the contract in the journal, oldest first', {
        result: 'violations',
      }),
    },
  ),

  faults: read<undefined, readonly ActiveFault[]>(
    ({ faults }, _, { pseudonymOf }) => activeFaults(faults, pseudonymOf),
    {
      // Logged for replication, because describing a fault may assign a pseudonym, which all replicas must share.
      isLogged: true,
      route: route('GET /faults', 'The active faults, newest first', { result: 'faults' }),
    },
  ),
  pending: read<undefined, readonly ActiveFault[]>(
    ({ faults }, _, { pseudonymOf }) => pendingFaults(faults, pseudonymOf),
    {
      isLogged: true,
      route: route('GET /faults?pending=true', '', { result: 'faults' }),
    },
  ),
  addFault: change<Fault, string>(['faults'], {
    keyed: keyedFault,
    route: route('POST /faults', 'Adds a fault', { body: (body) => body, result: 'id' }),
    run(memory, fault) {
      const faults = addFault(memory.faults, fault)
      return { memory: { ...memory, faults }, result: faults.entries[0]?.id ?? '' }
    },
  }),
  removeFault: change<string, boolean>(['faults'], {
    route: route('DELETE /faults/{id}', 'Removes one fault'),
    run: (memory, id) => ({
      memory: { ...memory, faults: removeFault(memory.faults, id) },
      result: memory.faults.entries.some((entry) => entry.id === id),
    }),
  }),
  clearFaults: change(['faults'], {
    route: route('DELETE /faults', 'Removes all faults, including latency and fail rate'),
    run: only((memory) => ({ ...memory, faults: { ...memory.faults, entries: [] } })),
  }),

  assumptions: read<undefined, Assumptions>(({ assumptions }) => ({ ...assumptions }), {
    route: route('GET /assumptions', 'All assumptions with their current values', { result: 'values' }),
  }),
  assume: change<Assume>(['assumptions'], {
    route: route('PATCH /assumptions', 'Changes assumptions from the next request on', {
      body: (body) => objectIn(body, 'Send an object of assumptions, such as {"create.status":200}.'),
    }),
    run: only((memory, values) => ({
      ...memory,
      assumptions: { ...memory.assumptions, ...checkAssume(values) } as Assumptions,
    })),
  }),
  reset: change(['requests', 'plants', 'assumptions', 'faults'], {
    clearsJournal: true,
    route: route('POST /reset', 'Restores the initial plants, assumptions and faults; clears the journal'),
    run: only((memory, _, { start }) => resetMemory(memory, start)),
  }),
} as const

export type CommandName = keyof typeof commands
type CommandArgument<Name extends CommandName> = Parameters<(typeof commands)[Name]['run']>[1]
type CommandResult<Name extends CommandName> = ReturnType<(typeof commands)[Name]['run']>['result']

export const commandNamed = (name: CommandName): CommandRow<unknown, unknown> =>
  commands[name] as unknown as CommandRow<unknown, unknown>

export type RunMockCommand = <Name extends CommandName>(
  name: Name,
  ...argument: undefined extends CommandArgument<Name>
    ? [argument?: CommandArgument<Name>]
    : [argument: CommandArgument<Name>]
) => MaybePromise<CommandResult<Name>>

export const hasChanged = (result: unknown): boolean => result !== 0 && result !== false
