import type { Assumptions } from '../../core/assumptions/registry.ts'
import type { FixturePlant } from '../../core/contract/schemas.ts'
import type { FaultDump } from '../../core/faults/fault-list.ts'
import { type Body, bodyNotUtf8, bodyTooLarge } from '../../core/http/exchange.ts'
import type { RawHeaders } from '../../core/http/headers.ts'
import type { CallersDump } from '../../core/journal/callers.ts'
import type { JournalDump } from '../../core/journal/journal.ts'
import type { Recorded } from '../../core/journal/recorded.ts'
import type { CoverageDump } from '../../core/mock/coverage.ts'
import type { LocalInstance } from '../../core/mock/instance.ts'
import type { NamedSnapshots, SnapshotsDump } from '../../core/mock/named-snapshots.ts'
import type { RandomDump } from '../../core/mock/state.ts'
import type { HiddenDump } from '../../core/operations/hidden-plants.ts'
import type { RateDump } from '../../core/service/rate-limit.ts'
import { asFixture, type StoredPlant } from '../../core/store/plant-store.ts'
import { type PlantTable, plantTable } from '../../core/store/plant-table.ts'
import type { Machine, SavedPlants } from './machine.ts'

/** The number of a value that many parts share. */
type Reference = number

/** The plants of the start, which every replica has. */
const initialTable: Reference = -1

/** A copy of the mock as plain data, from which a new replica starts. */
type MachineDump = {
  /** Plants that several instances or snapshots begin with. */
  readonly tables: readonly (readonly FixturePlant[])[]
  readonly callers: CallersDump
  readonly heldUntil: readonly (readonly [session: string, time: number])[]
  readonly root: InstanceDump
  /** The least recently used first. */
  readonly sessions: readonly (readonly [id: string, instance: InstanceDump])[]
}

type InstanceDump = {
  readonly base: Reference
  readonly plants: readonly FixturePlant[]
  readonly hidden: HiddenDump
  readonly rates: RateDump
  readonly faults: FaultDump
  readonly journal: DumpedJournal
  readonly coverage: CoverageDump
  readonly assumptions: Assumptions
  readonly random: RandomDump
  readonly snapshots: SnapshotsDump<DumpedPlants>
}

type DumpedPlants = { readonly plants: readonly FixturePlant[]; readonly assumptions: Assumptions }

/** Entries share their headers and assumptions. */
type DumpedJournal = Omit<JournalDump, 'entries'> & {
  readonly headers: readonly RawHeaders[]
  readonly values: readonly Assumptions[]
  readonly entries: readonly DumpedEntry[]
}

type DumpedEntry = Omit<Recorded, 'headers' | 'values' | 'body' | 'responseBody'> & {
  readonly headers: Reference
  readonly values: Reference | undefined
  readonly body: DumpedBody
  readonly responseBody: DumpedBody
}

type DumpedBody = string | undefined | { readonly omitted: 'too-large' | 'not-utf-8' }

/** A copy as text, for another replica of the same version and options. */
export const dumpMachine = (machine: Machine): string => {
  const { instances, initialPlants } = machine
  const tables: PlantTable[] = []
  const referenceTo = (table: PlantTable | undefined): Reference =>
    table === undefined || table === initialPlants ? initialTable : indexIn(tables, table)
  const root = dumpInstance(instances.root, referenceTo)
  const sessions = instances
    .sessionInstances()
    .map(([id, instance]) => [id, dumpInstance(instance, referenceTo)] as const)
  const dump: MachineDump = {
    tables: tables.map((table) => [...table]),
    callers: instances.callers.dump(),
    heldUntil: [...machine.heldUntil],
    root,
    sessions,
  }
  return JSON.stringify(dump)
}

const indexIn = <T>(list: T[], value: T): number => {
  const known = list.indexOf(value)
  return known === -1 ? list.push(value) - 1 : known
}

const dumpInstance = (
  instance: LocalInstance,
  referenceTo: (table: PlantTable | undefined) => Reference,
): InstanceDump => {
  const { state, base } = instance
  const rows = [...rowsOf(instance)]
  const positions = new Map(rows.map((row, position) => [row, position]))
  return {
    base: referenceTo(base.plants),
    plants: rows.map(asFixture),
    hidden: state.hidden.dump((plant) => positions.get(plant)),
    rates: state.rates.dump(),
    faults: state.faults.dump(),
    journal: dumpJournal(state.journal.dump()),
    coverage: state.coverage.dump(),
    assumptions: state.assumptions,
    random: state.dumpRandom(),
    snapshots: mapSaved(snapshotsOf(instance).dump(), dumpSaved),
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

const dumpSaved = ({ plants, assumptions }: SavedPlants): DumpedPlants => ({ plants: [...plants], assumptions })
const restoreSaved = ({ plants, assumptions }: DumpedPlants): SavedPlants => ({
  plants: plantTable(plants),
  assumptions,
})

const dumpJournal = ({ entries, ...rest }: JournalDump): DumpedJournal => {
  const headers = references<RawHeaders>()
  const values = references<Assumptions>()
  const dumped = entries.map(
    (entry): DumpedEntry => ({
      ...entry,
      headers: headers.to(entry.headers),
      values: entry.values && values.to(entry.values),
      body: dumpBody(entry.body),
      responseBody: dumpBody(entry.responseBody),
    }),
  )
  return { ...rest, headers: headers.all(), values: values.all(), entries: dumped }
}

/** Numbers objects in the order in which they are first met. */
const references = <T>() => {
  const numbers = new Map<T, Reference>()
  return {
    to(value: T): Reference {
      const number = numbers.get(value) ?? numbers.size
      numbers.set(value, number)
      return number
    },
    all: (): readonly T[] => [...numbers.keys()],
  }
}

const dumpBody = (body: Body): DumpedBody => {
  if (body === bodyTooLarge) return { omitted: 'too-large' }
  return body === bodyNotUtf8 ? { omitted: 'not-utf-8' } : body
}

const restoreBody = (body: DumpedBody): Body => {
  if (typeof body !== 'object') return body
  return body.omitted === 'too-large' ? bodyTooLarge : bodyNotUtf8
}

const restoreJournal = ({ headers, values, entries, ...rest }: DumpedJournal): JournalDump => ({
  ...rest,
  entries: entries.map((entry) => ({
    ...entry,
    headers: headers[entry.headers] ?? [],
    values: entry.values === undefined ? undefined : values[entry.values],
    body: restoreBody(entry.body),
    responseBody: restoreBody(entry.responseBody),
  })),
})

/** Brings a new copy to the state of a dump. */
export const restoreMachine = async (text: string, machine: Machine): Promise<void> => {
  const { instances } = machine
  const dump = JSON.parse(text) as MachineDump
  const tables = dump.tables.map((plants) => plantTable(plants))
  const tableOf = (base: Reference): PlantTable | undefined =>
    base === initialTable ? machine.initialPlants : tables[base]
  instances.callers.restore(dump.callers)
  for (const [session, time] of dump.heldUntil) machine.heldUntil.set(session, time)
  await restoreInstance(instances.root, dump.root, tableOf)
  for (const [id, session] of dump.sessions) await restoreInstance(instances.session(id), session, tableOf)
}

const restoreInstance = async (
  instance: LocalInstance,
  dump: InstanceDump,
  tableOf: (base: Reference) => PlantTable | undefined,
): Promise<void> => {
  const { state, base } = instance
  const table = tableOf(dump.base)
  if (table !== base.plants) await instance.load(table ?? plantTable([]))
  await state.plants.replaceAll(dump.plants)
  await instance.assume(dump.assumptions)
  const rows = [...rowsOf(instance)]
  state.hidden.restore(dump.hidden, (position) => rows[position] as StoredPlant)
  state.rates.restore(dump.rates)
  state.faults.restore(dump.faults)
  state.journal.restore(restoreJournal(dump.journal))
  state.coverage.restore(dump.coverage)
  state.restoreRandom(dump.random)
  snapshotsOf(instance).load(mapSaved(dump.snapshots, restoreSaved))
}
