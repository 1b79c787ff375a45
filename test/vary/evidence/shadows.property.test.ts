import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Assume, assumptionRegistry } from '../../../src/core/assumptions/registry.ts'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import { bodyTooLarge, type ReceivedRequest } from '../../../src/core/http/exchange.ts'
import type { Reply } from '../../../src/core/http/reply.ts'
import { type CommandName, commandNamed, type commands } from '../../../src/core/mock/commands.ts'
import type { LocalInstance } from '../../../src/core/mock/instance.ts'
import { createMockInstances } from '../../../src/core/mock/instances.ts'
import type { MockObserver, Watcher, WatchOptions } from '../../../src/core/mock/observer.ts'
import { resolveRequest } from '../../../src/core/operations/call.ts'
import { messageOf } from '../../../src/util/words.ts'
import { type Mutant, mutantStep } from '../../../src/vary/evidence/mutant.ts'
import { mutantIds, mutants } from '../../../src/vary/evidence/mutants.ts'
import { createShadows, type Variant } from '../../../src/vary/evidence/shadows.ts'
import { alternatives, fixtures, type Sent } from '../../core/mock/watched.ts'
import { runs } from '../../support/runs.ts'
import { request, settings } from './requests.ts'

type Named = Variant & { readonly name: string }

const variants: readonly Named[] = [
  ...[...alternatives, { id: 'create.visibility', value: 'after-ms:40' } as const].map(({ id, value }) => ({
    name: `${id}=${value}`,
    assume: { [id]: value },
  })),
  ...mutantIds.map((id) => ({ name: id, assume: {}, mutant: mutants[id] })),
]

const replyText = ({ status, headers, body }: Reply): string => JSON.stringify([status, headers, body])

const observerOf = (watch: (options: WatchOptions) => Partial<Watcher>): MockObserver => ({
  exchangeRecorded: () => undefined,
  watch: (options) => ({
    step: () => expect.fail('no step'),
    run: (name, memory, argument) => commandNamed(name).run(memory, argument, options.context),
    adopted: () => undefined,
    replied: () => undefined,
    snapshot: () => () => undefined,
    maxBodySize: 0,
    ...watch(options),
  }),
})

type World = {
  readonly assume: Assume
  readonly seed: number
  readonly tokens: readonly string[] | undefined
  readonly fixtures: readonly FixturePlant[]
}
type Clock = { time: number }

const instanceOf = ({ tokens, ...world }: World, clock: Clock, observer: MockObserver): LocalInstance =>
  createMockInstances(
    { ...world, ...(tokens && { tokens }), prefer: false, onNotice() {} },
    { observer, fixed: [], now: () => clock.time },
  ).root

const shadowed = (world: World, clock: Clock, variants: readonly Variant[], mutant?: Mutant) => {
  let others = new Map<number, string | undefined>()
  const see = (seen: Iterable<number>): void => {
    for (const index of seen) others.set(index, undefined)
  }
  const instance = instanceOf(
    world,
    clock,
    observerOf((options) => {
      const shadows = createShadows(variants, options)
      return {
        step(...[state, request, assumptions]) {
          const { main, differing: replies } = shadows.step([state, request, assumptions], mutant)
          for (const [index, reply] of replies) others.set(index, replyText(reply))
          return main
        },
        run(name, memory, argument) {
          const { outcome, differing } = shadows.run(name, memory, argument)
          see(differing)
          if ('error' in outcome) throw outcome.error
          return outcome
        },
        adopted: shadows.adopted,
        replied: (problem, reply) => see(shadows.differIn(problem, reply)),
        snapshot: shadows.snapshot,
        maxBodySize: 2 ** 30,
      }
    }),
  )
  return {
    instance,
    take() {
      const taken = others
      others = new Map()
      return taken
    },
  }
}

const started = (world: World, clock: Clock, { assume, mutant }: Variant): LocalInstance =>
  instanceOf(
    { ...world, assume: { ...world.assume, ...assume } },
    clock,
    observerOf(() => ({
      step: (...[state, request, assumptions]) => mutantStep(mutant, [state, request, assumptions]),
    })),
  )

type Event =
  | { readonly send: Sent }
  | { readonly command: CommandName; readonly argument?: unknown }
  | { readonly wait: number }
  | { readonly does: 'snapshot' }
  | { readonly restore: number }
  | { readonly adopt: FixturePlant }

const exchangeOf = ({ method, path: url, headers = {}, body }: Sent, maxSize: number): ReceivedRequest => {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const isTooLarge = body !== undefined && Buffer.byteLength(body) > maxSize
  return {
    ...{ method, path, query },
    header: (name) => headers[name] || undefined,
    headers: () => Object.entries(headers).flat(),
    body: isTooLarge ? bodyTooLarge : (body as string | undefined),
  }
}

const player = (instance: LocalInstance, clock: Clock) => {
  const snapshots: (() => Promise<void>)[] = []
  return async (event: Event): Promise<string> => {
    if ('send' in event) {
      const handled = instance.handle(resolveRequest(exchangeOf(event.send, instance.maxBodySize)))
      return replyText((await handled).reply)
    }
    if ('command' in event) {
      const { command, argument } = event
      try {
        const result: unknown = await instance.run(command, argument as never)
        return commandNamed(command).showsPlants ? JSON.stringify(result) : ''
      } catch (error) {
        return messageOf(error)
      }
    }
    if ('wait' in event) clock.time += event.wait
    else if ('does' in event) snapshots.push(await instance.api.snapshot())
    else if ('restore' in event) await snapshots[event.restore % snapshots.length]?.()
    else await instance.adopt((state) => ({ ...state, plants: state.plants.append(event.adopt) }))
    return ''
  }
}

const fields = {
  id: fc.nat(6),
  name: fc.constantFrom('Fern', 'aloe', 'Aloe', 'Rosé & Moss'),
  access: fc.constantFrom(['alice'], ['bob'], ['alice', 'bob']),
}
const plant: fc.Arbitrary<FixturePlant> = fc.record(
  { ...fields, tag: fc.constant('x') },
  { requiredKeys: ['name', 'tag'] },
)
const plants = fc.array(plant, { maxLength: 4 })
const filter = fc.record(fields, { requiredKeys: [] })
const name = fc.constantFrom('a', 'b')

const command = <Name extends CommandName>(
  name: Name,
  argument: fc.Arbitrary<Parameters<(typeof commands)[Name]['run']>[1]>,
): fc.Arbitrary<Event> => argument.map((argument) => ({ command: name, argument }))
const nothing = fc.constant(undefined)

const authorization = fc.constantFrom('Bearer alice', 'Bearer alice', 'Bearer bob', 'Bearer mallory')
const sentPlant = fc.record(
  { id: fields.id, name: fields.name, tag: fc.constantFrom('x', 'y', '', null), more: fc.constant(1) },
  { requiredKeys: [] },
)
const usualCreate: fc.Arbitrary<Sent> = fc
  .tuple(
    authorization,
    fc.oneof(
      { weight: 9, arbitrary: sentPlant.map((value) => JSON.stringify(value)) },
      { weight: 1, arbitrary: fc.constant('{') },
    ),
  )
  .map(([authorization, body]) => ({
    method: 'POST',
    path: '/plants',
    headers: { authorization, 'content-type': 'application/json' },
    body,
  }))
const usualList: fc.Arbitrary<Sent> = fc
  .tuple(authorization, fc.constantFrom('', '', '?limit=0', '?limit=1', '?limit=2', '?limit=10', '?limit=101'))
  .map(([authorization, query]) => ({ method: 'GET', path: `/plants${query}`, headers: { authorization } }))

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 20, arbitrary: request.map((send) => ({ send })) },
  { weight: 20, arbitrary: usualCreate.map((send) => ({ send })) },
  { weight: 20, arbitrary: usualList.map((send) => ({ send })) },
  { weight: 2, arbitrary: command('seed', fc.record({ plants })) },
  { weight: 1, arbitrary: command('replaceFixtures', fc.record({ plants })) },
  { weight: 2, arbitrary: command('update', fc.record({ filter, patch: filter })) },
  { weight: 2, arbitrary: command('remove', fc.record({ filter })) },
  { weight: 1, arbitrary: command('clearPlants', nothing) },
  { weight: 1, arbitrary: command('reset', nothing) },
  { weight: 2, arbitrary: command('assume', settings) },
  { weight: 2, arbitrary: command('takeSnapshot', name) },
  { weight: 1, arbitrary: command('takeSnapshot', nothing) },
  { weight: 2, arbitrary: command('restoreSnapshot', fc.oneof(name, fc.constant('snapshot-1'))) },
  { weight: 1, arbitrary: command('dropSnapshot', name) },
  { weight: 1, arbitrary: command('plants', nothing) },
  { weight: 1, arbitrary: command('searchPlants', fc.record({ caller: fc.constantFrom('alice', 'bob') })) },
  { weight: 1, arbitrary: command('addFault', fc.constant({ status: 503, times: 1 })) },
  { weight: 2, arbitrary: fc.record({ wait: fc.constantFrom(1, 25, 40) }) },
  { weight: 1, arbitrary: fc.constant({ does: 'snapshot' as const }) },
  { weight: 2, arbitrary: fc.record({ restore: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ adopt: plant }) },
)

const world: fc.Arbitrary<World> = fc.record({
  assume: settings,
  seed: fc.nat(9),
  tokens: fc.constantFrom(undefined, ['alice']),
  fixtures: fc
    .constantFrom(0, 12, 110)
    .map((more) => [...fixtures, ...Array.from({ length: more }, (_, i) => ({ name: `n${i}`, tag: 't' }))]),
})

const groupCount = 8
const groups = Array.from({ length: groupCount }, (_, group) =>
  variants.filter((_, index) => index % groupCount === group),
)

describe('a shadow', () => {
  const met = new Set<string>()
  const events = fc.array(event, { minLength: 1, maxLength: 300, size: 'max' })
  const compare = async (
    world: World,
    events: readonly Event[],
    group: readonly Named[],
    mutant?: Mutant,
  ): Promise<void> => {
    const clock = { time: 0 }
    const { instance, take } = shadowed(world, clock, group, mutant)
    const play = player(instance, clock)
    const mocks = group.map((variant) => {
      const clock = { time: 0 }
      return { ...variant, play: player(started(world, clock, variant), clock) }
    })
    for (const event of events) {
      const shown = await play(event)
      const others = take()
      for (const [index, mock] of mocks.entries()) {
        const expected = await mock.play(event)
        const isSame = !others.has(index)
        if (!isSame) met.add(mock.name)
        const reply = isSame ? shown : (others.get(index) ?? expected)
        // perf: a passing assertion costs as much as a step.
        if (reply !== expected) expect(reply, mock.name).toBe(expected)
        if (!isSame && expected === shown) expect(shown, mock.name).not.toBe(expected)
      }
    }
  }
  /** Random sequences rarely list many plants with a limit before a command removes the plants. */
  const full: [World, Event[]] = [
    {
      assume: {},
      seed: 1,
      tokens: undefined,
      fixtures: Array.from({ length: 110 }, (_, i) => ({ name: `n${i}`, tag: 't' })),
    },
    ['', '?limit=10', '?limit=101'].map((query) => ({
      send: { method: 'GET', path: `/plants${query}`, headers: { authorization: 'Bearer alice' } },
    })),
  ]
  /** Random sequences rarely create a plant without a tag and then list the plant as two callers. */
  const authorized = { authorization: 'Bearer alice', 'content-type': 'application/json' }
  const untagged: [World, Event[]] = [
    { ...full[0], assume: { 'create.required': 'name' } },
    [
      { send: { method: 'POST', path: '/plants', headers: authorized, body: '{"name":"Fern"}' } },
      { send: { method: 'GET', path: '/plants', headers: authorized } },
      { send: { method: 'GET', path: '/plants', headers: { authorization: 'Bearer bob' } } },
    ],
  ]
  const deleting: [World, Event[]] = [
    { ...full[0], assume: { 'operation.delete': 204 }, fixtures: [{ id: 1, name: 'Fern', tag: 'x' }] },
    [
      ...['/plants/1', '/plants/9'].map((path) => ({ send: { method: 'DELETE', path, headers: authorized } })),
      { send: { method: 'GET', path: '/plants', headers: authorized } },
    ],
  ]
  const globalSeed = fc.readConfigureGlobal().seed ?? 0

  it.each([...groups.entries()])(
    'replies as a mock that was started under its variant (group %i)',
    async (number, group) => {
      const property = fc.asyncProperty(world, events, (world, events) => compare(world, events, group))
      await fc.assert(property, {
        numRuns: runs(40),
        seed: globalSeed + 100 + number,
        unbiased: true,
        examples: [full, untagged, deleting],
      })
    },
  )

  it('of an instance that is a mutant replies as a mock without the mutant', async () => {
    const plain: Named = { name: 'plain', assume: {} }
    const property = fc.asyncProperty(world, events, fc.constantFrom(...mutantIds), (world, events, id) =>
      compare(world, events, [plain], mutants[id]),
    )
    await fc.assert(property, { numRuns: runs(200) })
  })

  it('has replied otherwise for each mutant, and for each assumption that has alternatives', () => {
    const varied = assumptionRegistry.filter(({ alternatives }) => alternatives.length > 0).map(({ id }) => id)
    const different = new Set([...met].map((name) => name.split('=')[0]))
    expect([...varied, ...mutantIds].filter((id) => !different.has(id))).toEqual([])
  })
})
