import { type Assumptions, defaultAssumptions } from '../../core/assumptions/registry.ts'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import type { FaultDump } from '../../core/faults/fault-list.ts'
import { type Body, bodyNotUtf8, bodyTooLarge } from '../../core/http/exchange.ts'
import type { CallersDump } from '../../core/journal/callers.ts'
import type { Recorded } from '../../core/journal/entry.ts'
import type { JournalDump } from '../../core/journal/journal.ts'
import type { CoverageDump } from '../../core/mock/coverage.ts'
import type { LocalInstance } from '../../core/mock/instance.ts'
import type { NamedSnapshots, SnapshotsDump } from '../../core/mock/named-snapshots.ts'
import type { RandomDump } from '../../core/mock/state.ts'
import type { HiddenDump } from '../../core/operations/hidden-plants.ts'
import type { RateDump } from '../../core/service/rate-limit.ts'
import { asFixture, type StoredPlant } from '../../core/store/plant-store.ts'
import { plantTable } from '../../core/store/plant-table.ts'
import type { Machine, SavedPlants } from './machine.ts'
import { notDefault } from './settings.ts'

/** A copy of the mock as plain data, from which a new replica starts. */
type MachineDump = {
  readonly callers: CallersDump
  readonly heldUntil: readonly (readonly [session: string, time: number])[]
  readonly root: InstanceDump
  /** The least recently used first. */
  readonly sessions: readonly (readonly [id: string, instance: InstanceDump])[]
}

type InstanceDump = {
  /** The plants that a reset restores; left out for those of the start, which every replica has. */
  readonly base?: readonly FixturePlant[]
  readonly plants: readonly FixturePlant[]
  readonly hidden: HiddenDump
  readonly rates: RateDump
  readonly faults: FaultDump
  readonly journal: Omit<JournalDump, 'entries'> & { readonly entries: readonly DumpedEntry[] }
  readonly coverage: CoverageDump
  readonly assumptions: Assumptions
  readonly random: RandomDump
  readonly snapshots: SnapshotsDump<DumpedPlants>
}

type DumpedPlants = { readonly plants: readonly FixturePlant[]; readonly assumptions: Assumptions }

type DumpedEntry = Omit<Recorded, 'values' | 'body' | 'responseBody'> & {
  /** Those that are not default. */
  readonly values: Partial<Assumptions> | undefined
  readonly body: DumpedBody
  readonly responseBody: DumpedBody
}

type DumpedBody = string | undefined | { readonly omitted: 'too-large' | 'not-utf-8' }

/** A copy as text, for another replica of the same version and options. */
export const dumpMachine = ({ instances, heldUntil, initialPlants }: Machine): string => {
  const dumped = (instance: LocalInstance) => dumpInstance(instance, initialPlants)
  const dump: MachineDump = {
    callers: instances.callers.dump(),
    heldUntil: [...heldUntil],
    root: dumped(instances.root),
    sessions: instances.sessionInstances().map(([id, instance]) => [id, dumped(instance)]),
  }
  return JSON.stringify(dump)
}

const dumpInstance = (instance: LocalInstance, initialPlants: Machine['initialPlants']): InstanceDump => {
  const { state, base } = instance
  const rows = [...rowsOf(instance)]
  const positions = new Map(rows.map((row, position) => [row, position]))
  const { entries, ...journal } = state.journal.dump()
  return {
    ...(base.plants !== undefined && base.plants !== initialPlants && { base: [...base.plants] }),
    plants: rows.map(asFixture),
    hidden: state.hidden.dump((plant) => positions.get(plant)),
    rates: state.rates.dump(),
    faults: state.faults.dump(),
    journal: { ...journal, entries: entries.map(dumpEntry) },
    coverage: state.coverage.dump(),
    assumptions: state.assumptions,
    random: state.dumpRandom(),
    snapshots: mapSaved(snapshotsOf(instance).dump(), ({ plants, assumptions }) => ({
      plants: [...plants],
      assumptions,
    })),
  }
}

/** The copy of a mock takes snapshots as data. */
const snapshotsOf = ({ snapshots }: LocalInstance) => snapshots as NamedSnapshots<SavedPlants>

const rowsOf = ({ state }: LocalInstance): Iterable<StoredPlant> =>
  (state.plants.rows?.() ?? []) as Iterable<StoredPlant>

const mapSaved = <From, To>(
  { snapshots, generatedNames }: SnapshotsDump<From>,
  map: (saved: From) => To,
): SnapshotsDump<To> => ({
  snapshots: snapshots.map(([name, { saved, isUserNamed }]) => [name, { saved: map(saved), isUserNamed }]),
  generatedNames,
})

const dumpEntry = (entry: Recorded): DumpedEntry => ({
  ...entry,
  values: entry.values && notDefault(entry.values),
  body: dumpBody(entry.body),
  responseBody: dumpBody(entry.responseBody),
})

const restoreEntry = (entry: DumpedEntry): Recorded => ({
  ...entry,
  values: entry.values && { ...defaultAssumptions, ...entry.values },
  body: restoreBody(entry.body),
  responseBody: restoreBody(entry.responseBody),
})

const dumpBody = (body: Body): DumpedBody => {
  if (body === bodyTooLarge) return { omitted: 'too-large' }
  return body === bodyNotUtf8 ? { omitted: 'not-utf-8' } : body
}

const restoreBody = (body: DumpedBody): Body => {
  if (typeof body !== 'object') return body
  return body.omitted === 'too-large' ? bodyTooLarge : bodyNotUtf8
}

/** Brings a new copy to the state of a dump. */
export const restoreMachine = async (text: string, { instances, heldUntil, initialPlants }: Machine): Promise<void> => {
  const dump = JSON.parse(text) as MachineDump
  instances.callers.restore(dump.callers)
  for (const [session, time] of dump.heldUntil) heldUntil.set(session, time)
  await restoreInstance(instances.root, dump.root, initialPlants)
  for (const [id, session] of dump.sessions) await restoreInstance(instances.session(id), session, initialPlants)
}

const restoreInstance = async (
  instance: LocalInstance,
  dump: InstanceDump,
  initialPlants: Machine['initialPlants'],
): Promise<void> => {
  const { state } = instance
  const base = dump.base === undefined ? initialPlants : plantTable(dump.base)
  if (base !== instance.base.plants) await instance.load(base ?? plantTable([]))
  await state.plants.replaceAll(dump.plants)
  await instance.assume(dump.assumptions)
  const rows = [...rowsOf(instance)]
  state.hidden.restore(dump.hidden, (position) => rows[position] as StoredPlant)
  state.rates.restore(dump.rates)
  state.faults.restore(dump.faults)
  state.journal.restore({ ...dump.journal, entries: dump.journal.entries.map(restoreEntry) })
  state.coverage.restore(dump.coverage)
  state.restoreRandom(dump.random)
  const restored = ({ plants, assumptions }: DumpedPlants) => ({ plants: plantTable(plants), assumptions })
  snapshotsOf(instance).load(mapSaved(dump.snapshots, restored))
}
