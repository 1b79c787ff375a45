import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type Assumptions,
  allValuesOf,
  assumptionRegistry,
  defaultAssumptions,
} from '../../../src/core/assumptions/registry.ts'
import type { CallerKey } from '../../../src/core/contract/caller.ts'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import type { Fault } from '../../../src/core/faults/fault.ts'
import { drawFaults } from '../../../src/core/faults/faults.ts'
import type { ReceivedRequest } from '../../../src/core/http/exchange.ts'
import type { CommandContext } from '../../../src/core/mock/command-row.ts'
import { type CommandName, commandNamed, commands } from '../../../src/core/mock/commands.ts'
import { initialMemory, type Memory, type Start } from '../../../src/core/mock/memory.ts'
import { GrowingSet } from '../../../src/core/model/growing-set.ts'
import { Plants } from '../../../src/core/model/plants.ts'
import { readRequest } from '../../../src/core/model/request.ts'
import { isSameState, type State } from '../../../src/core/model/state.ts'
import { step } from '../../../src/core/model/step.ts'
import { resolveRequest } from '../../../src/core/operations/call.ts'
import { pseudonym } from '../../support/callers.ts'
import { runs } from '../../support/runs.ts'

const caller = fc.constantFrom('alice', 'bob', 'carol')
const id = fc.nat(3)
const text = fc.constantFrom('', 'a', 'A', 'b')
const plant: fc.Arbitrary<FixturePlant> = fc.record(
  { id, name: text, tag: text, access: fc.array(caller, { maxLength: 2 }) },
  { requiredKeys: ['name', 'tag'] },
)
const fields = fc.record(
  { id: fc.option(id), name: text, tag: text, access: fc.option(fc.array(caller, { maxLength: 2 })) },
  { requiredKeys: [] },
)
const fault = fc.record(
  {
    operation: fc.constantFrom('createPlant', 'listPlants'),
    caller,
    times: fc.integer({ min: 1, max: 2 }),
    probability: fc.constantFrom(0.3, 0.7),
    delay: fc.constantFrom([0, 9], 5),
    status: fc.constantFrom(500, 503),
  },
  { requiredKeys: ['status'] },
) as fc.Arbitrary<Fault>
const stateAssumptions =
  /^(?:create\.(?:visibility|duplicateId|required)|list\.order|rate\.limit|auth\.tokens|json\.keyOrder)$/
const assume = fc
  .uniqueArray(
    fc
      .oneof(
        fc.constantFrom(...assumptionRegistry.filter(({ id }) => stateAssumptions.test(id))),
        fc.constantFrom(...assumptionRegistry),
      )
      .chain((row) => fc.tuple(fc.constant(row.id), fc.constantFrom(...allValuesOf(row)))),
    { selector: ([id]) => id, maxLength: 8 },
  )
  .map((values) => Object.fromEntries(values) as Partial<Assumptions>)

const mostly = <const T>(usual: readonly T[], ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...usual) }, fc.constantFrom(...others))
const sent = fc.record({
  method: mostly(['GET', 'POST'], 'HEAD', 'OPTIONS', 'PUT'),
  path: mostly(['/plants'], '/other'),
  query: mostly(['', 'limit=2'], 'limit=1&limit=2', 'limit=0', 'limit=x', 'limit=2&page=2'),
  authorization: mostly<string | undefined>(['Bearer alice', 'Bearer bob'], 'bearer carol', 'Bearer', undefined),
  contentType: mostly<string | undefined>(['application/json'], 'text/plain', undefined),
  body: fc.oneof(
    { weight: 9, arbitrary: fc.record({ id, name: text, tag: text }).map((plant) => JSON.stringify(plant)) },
    fc.constantFrom('{', '', '[]', '{"name":"a"}', '{"id":1,"name":"a","tag":"b","more":1}', '{"__proto__":1}'),
  ),
  time: fc.nat(3_000),
})

const filter = fc.oneof(
  fc.record({ filter: fields }),
  fc.record({ plants: fc.array(plant, { maxLength: 2 }) }),
  fc.constant({ select: ({ id }: FixturePlant) => id === 1 }),
)
const plants = fc.record({ plants: fc.array(plant, { maxLength: 3 }) })
const name = fc.constantFrom('snapshot-1', 'snapshot-2', 'mine')
const argumentsOf: Readonly<Record<CommandName, fc.Arbitrary<unknown>>> = {
  plants: fc.constant(undefined),
  searchPlants: fc.oneof(fc.record({ filter: fields }), fc.record({ caller })),
  seed: plants,
  replaceFixtures: plants,
  update: fc.tuple(filter, fields).map(([selection, patch]) => ({ ...selection, patch })),
  remove: filter,
  clearPlants: fc.constant(undefined),
  snapshotNames: fc.constant(undefined),
  takeSnapshot: fc.option(name, { nil: undefined }),
  restoreSnapshot: name,
  dropSnapshot: name,
  requests: fc.constant({}),
  countRequests: fc.constant({ caller: 'alice' }),
  clearRequests: fc.constant(undefined),
  violations: fc.constant(undefined),
  faults: fc.constant(undefined),
  pending: fc.constant(undefined),
  addFault: fault,
  removeFault: fc.constantFrom('fault-1', 'fault-2'),
  clearFaults: fc.constant(undefined),
  assumptions: fc.constant(undefined),
  assume,
  reset: fc.constant(undefined),
}

type Sent = Pick<ReceivedRequest, 'method' | 'path' | 'query' | 'body'> & {
  readonly authorization: string | undefined
  readonly contentType: string | undefined
}
type Input =
  | { readonly do: 'call'; readonly sent: Sent & { readonly time: number } }
  | { readonly do: 'run'; readonly name: CommandName; readonly argument: unknown }

const call = sent.map((sent): Input => ({ do: 'call', sent }))
const run = fc
  .constantFrom(...(Object.keys(commands) as CommandName[]))
  .chain((name) => argumentsOf[name].map((argument): Input => ({ do: 'run', name, argument })))
const input = fc.oneof({ weight: 5, arbitrary: call }, { weight: 3, arbitrary: run })

const frozen = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map || value instanceof Set) {
    for (const method of ['set', 'add', 'delete', 'clear'] as const)
      Object.defineProperty(value, method, {
        value: () => {
          throw new Error('A collection of a kept value was written to.')
        },
      })
    for (const entry of value) frozen(entry)
  }
  Object.freeze(value)
  // Not frozen: versions share append-only structures, whose growth changes no version.
  if (value instanceof Plants || value instanceof GrowingSet) return value
  for (const key of Reflect.ownKeys(value)) frozen(Reflect.get(value, key))
  return value
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (part instanceof Map || part instanceof Set ? [...part] : part)) ?? ''

const stateWithoutSharing = ({ plants, hidden, rates, random }: State): State => ({
  plants: Plants.from(plants.toJSON()),
  hidden: {
    plants: hidden.plants.map(({ ...plant }) => plant),
    creators: hidden.creators.toJSON().reduce((set, text) => set.with(text), GrowingSet.empty),
  },
  rates: new Map(rates),
  random,
})

const withoutSharing = (memory: Memory): Memory => ({
  ...memory,
  state: stateWithoutSharing(memory.state),
  base: Plants.from(memory.base.toJSON()),
  snapshots: {
    ...memory.snapshots,
    byName: new Map(
      Array.from(memory.snapshots.byName, ([name, saved]) => [
        name,
        { ...saved, plants: Plants.from(saved.plants.toJSON()) },
      ]),
    ),
  },
})

const start: Start = frozen({ assumptions: defaultAssumptions, faults: [{ delay: [0, 9] }], seed: 7 })
const context: CommandContext = {
  start,
  pseudonymOf: (caller) => pseudonym(`name of ${caller}`),
  journal: { entries: function* () {}, count: () => 3 },
}
const known = { keyOf: (token: string) => token as CallerKey, isListed: (caller: string) => caller === 'alice' }

const exchangeOf = ({ method, path, query, body, ...sent }: Sent): ReceivedRequest => {
  const headers: Readonly<Record<string, string | undefined>> = {
    authorization: sent.authorization,
    'content-type': sent.contentType,
  }
  return { method, path, query, body, header: (name) => headers[name], headers: () => [] }
}

const result = (memory: Memory, input: Input): { readonly memory: Memory; readonly seen: unknown } => {
  if (input.do === 'run') {
    try {
      const ran = commandNamed(input.name).run(memory, input.argument, context)
      return { memory: ran.memory, seen: ran.result }
    } catch (error) {
      return { memory, seen: String(error) }
    }
  }
  const call = resolveRequest(exchangeOf(input.sent))
  const request = frozen(readRequest(call, input.sent.time, known))
  const target = { operation: request.operation, caller: request.caller.key, preferred: undefined }
  const { list, drawn } = drawFaults(memory.faults, target, context.pseudonymOf)
  const { state, reply } = step(memory.state, request, memory.assumptions)
  return { memory: { ...memory, state, faults: list }, seen: { reply, drawn } }
}

type Made = { readonly before: Memory; readonly input: Input; readonly text: string }

const initial = (fixtures: readonly FixturePlant[], assume: Partial<Assumptions>): Memory =>
  initialMemory({ ...start, assumptions: { ...defaultAssumptions, ...assume } as Assumptions }, Plants.from(fixtures))

const memoriesOfTree = (
  fixtures: readonly FixturePlant[],
  assume: Partial<Assumptions>,
  branches: readonly { readonly from: number; readonly input: Input }[],
): Memory[] => {
  const memories = [initial(fixtures, assume)]
  for (const { from, input } of branches)
    memories.push(result(memories.at(from < 0 ? -1 : from % memories.length) as Memory, input).memory)
  return memories
}

describe('the memory of a mock instance', () => {
  const branch = fc.record({
    from: fc.oneof({ weight: 2, arbitrary: fc.constant(-1) }, fc.nat()),
    input,
    // A twin applies the same input to another state, which adds equal plants to both.
    twin: fc.option(fc.nat()),
  })

  it('is a value: frozen, it gives equal results at any time, whatever continued from it or beside it', () => {
    const property = fc.property(
      fc.array(plant, { maxLength: 4 }),
      assume,
      fc.array(branch, { maxLength: 60, size: 'max' }),
      (fixtures, values, branches) => {
        const memories = [frozen(initial(fixtures, values))]
        const made: Made[] = []
        const texts = memories.map(textOf)
        const advance = (before: Memory, input: Input): void => {
          const once = result(before, input)
          const text = textOf(once)
          expect(textOf(result(before, input))).toBe(text)
          expect(textOf(result(withoutSharing(before), input))).toBe(text)
          made.push({ before, input, text })
          memories.push(frozen(once.memory))
          texts.push(textOf(once.memory))
          frozen(once.seen)
        }
        for (const { from, input, twin } of branches) {
          frozen(input)
          advance(memories.at(from < 0 ? -1 : from % memories.length) as Memory, input)
          if (twin !== null) advance(memories[twin % memories.length] as Memory, input)
        }
        expect(memories.map(textOf)).toEqual(texts)
        // Repeats in reverse order, because a version caches the list that it rendered last.
        for (const { before, input, text } of made.toReversed()) expect(textOf(result(before, input))).toBe(text)
      },
    )
    fc.assert(property, { numRuns: runs(400) })
  })

  it('lists the same plants, whichever list of another version was rendered before', () => {
    const visit = fc.record({
      at: fc.nat(),
      caller: fc.constantFrom('alice', 'bob'),
      query: fc.constantFrom('', 'limit=1', 'limit=2'),
      order: mostly(['added', 'newest'], 'name', 'shuffled'),
      keyOrder: mostly(['name-tag'], 'tag-name'),
      again: fc.array(fc.nat(), { maxLength: 3 }),
    })
    const create = sent.map((sent): Input => ({ do: 'call', sent: { ...sent, method: 'POST' } }))
    const creates = fc.array(fc.record({ from: fc.oneof(fc.constant(-1), fc.nat()), input: create }), {
      maxLength: 20,
      size: 'max',
    })
    const property = fc.property(
      fc.array(plant),
      assume,
      creates,
      fc.array(visit),
      (fixtures, values, creates, visits) => {
        const memories = memoriesOfTree(fixtures, values, creates)
        for (const { at, caller, query, order, keyOrder, again } of visits)
          for (const place of [at, ...again]) {
            const memory = memories[place % memories.length] as Memory
            const { state } = memory
            const assumptions: Assumptions = { ...defaultAssumptions, 'list.order': order, 'json.keyOrder': keyOrder }
            const given = { method: 'GET', path: '/plants', query, authorization: `Bearer ${caller}` }
            const received = exchangeOf({ ...given, contentType: undefined, body: undefined })
            const request = readRequest(resolveRequest(received), 0, known)
            const listed = step(state, request, assumptions)
            expect(textOf(listed)).toBe(textOf(step(stateWithoutSharing(state), request, assumptions)))
            memories.push({ ...memory, state: listed.state })
          }
      },
    )
    fc.assert(property, { numRuns: runs(1_000) })
  })

  it('is equal to another one exactly when it holds the same, whether they share rows or not', () => {
    const property = fc.property(
      fc.array(plant),
      assume,
      fc.array(branch, { maxLength: 20, size: 'max' }),
      (fixtures, values, branches) => {
        const states = memoriesOfTree(fixtures, values, branches).map(({ state }) => state)
        const copies = states.map(stateWithoutSharing)
        const text = ({ plants, hidden, rates, random }: State) =>
          textOf([plants, hidden.plants, [...hidden.creators.toJSON()].sort(), [...rates].sort(), random])
        const texts = states.map(text)
        for (const [i, a] of states.entries())
          for (const b of [...states, ...copies]) expect(isSameState(a, b)).toBe(texts[i] === text(b))
      },
    )
    fc.assert(property, { numRuns: runs(800) })
  })
})
