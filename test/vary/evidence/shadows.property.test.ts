import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Assume } from '../../../src/core/assumptions/registry.ts'
import type { FixturePlant } from '../../../src/core/contract/schemas.ts'
import { bodyTooLarge, type Exchange } from '../../../src/core/http/exchange.ts'
import type { Reply } from '../../../src/core/http/reply.ts'
import { type CommandName, commandNamed, type commands } from '../../../src/core/mock/commands.ts'
import type { LocalInstance } from '../../../src/core/mock/instance.ts'
import { createMockInstances } from '../../../src/core/mock/instances.ts'
import type { MockObserver, Watcher, WatchOptions } from '../../../src/core/mock/observer.ts'
import { resolveCall } from '../../../src/core/operations/call.ts'
import { messageOf } from '../../../src/util/words.ts'
import { mutantIds, mutantStep, mutants } from '../../../src/vary/evidence/mutants.ts'
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

type World = { readonly assume: Assume; readonly seed: number; readonly tokens: readonly string[] | undefined }
type Clock = { time: number }

const instanceOf = ({ tokens, ...world }: World, clock: Clock, observer: MockObserver): LocalInstance =>
  createMockInstances(
    { ...world, ...(tokens && { tokens }), fixtures, prefer: false, onNotice() {} },
    { observer, fixed: [], now: () => clock.time },
  ).root

/** An instance with a shadow for each variant. */
const shadowed = (world: World, clock: Clock, variants: readonly Variant[]) => {
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
          const { main, others: replies } = shadows.step([state, request, assumptions])
          for (const [index, reply] of replies) others.set(index, replyText(reply))
          return main
        },
        run(name, memory, argument) {
          const { outcome, others } = shadows.run(name, memory, argument)
          see(others)
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

/** A mock that is what a variant says. */
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
  /** In milliseconds. */
  | { readonly wait: number }
  | { readonly does: 'snapshot' }
  /** The number of a snapshot. */
  | { readonly restore: number }
  | { readonly adopt: FixturePlant }

const exchangeOf = ({ method, path: url, headers = {}, body }: Sent, maxSize: number): Exchange => {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const isTooLarge = body !== undefined && Buffer.byteLength(body) > maxSize
  return {
    ...{ method, path, query },
    header: (name) => headers[name] || undefined,
    headers: () => Object.entries(headers).flat(),
    body: isTooLarge ? bodyTooLarge : (body as string | undefined),
  }
}

/** Applies events to an instance, and returns what each shows: a reply, or the result of a command that shows plants. */
const player = (instance: LocalInstance, clock: Clock) => {
  const snapshots: (() => Promise<void>)[] = []
  return async (event: Event): Promise<string> => {
    if ('send' in event) {
      const handled = instance.handle(resolveCall(exchangeOf(event.send, instance.maxBodySize)))
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
  name: fc.constantFrom('Fern', 'aloe', 'Aloe'),
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

const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 40, arbitrary: request.map((send) => ({ send })) },
  { weight: 2, arbitrary: command('seed', fc.record({ plants })) },
  { weight: 1, arbitrary: command('load', fc.record({ plants })) },
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
})

const perRun = 12
const groups = Array.from({ length: Math.ceil(variants.length / perRun) }, (_, group) =>
  variants.filter((_, index) => index % Math.ceil(variants.length / perRun) === group),
)

describe('a shadow', () => {
  const met = new Map<string, number>()
  it.each(groups.map((group) => [group.map(({ name }) => name).join(', '), group] as const))(
    'shows what a mock replies that was started as %s',
    async (_, group) => {
      const events = fc.array(event, { minLength: 1, maxLength: 300, size: 'max' })
      await fc.assert(
        fc.asyncProperty(world, events, async (world, events) => {
          const clocks = [undefined, ...group].map((): Clock => ({ time: 1_000 }))
          const { instance, take } = shadowed(world, clocks[0] as Clock, group)
          const play = player(instance, clocks[0] as Clock)
          const others = group.map((variant, index) => {
            const clock = clocks[index + 1] as Clock
            return player(started(world, clock, variant), clock)
          })
          for (const event of events) {
            const shown = await play(event)
            const differing = take()
            for (const [index, other] of others.entries()) {
              const expected = await other(event)
              const reply = differing.get(index)
              const { name } = group[index] as Named
              if (differing.has(index)) met.set(name, (met.get(name) ?? 0) + 1)
              if (reply !== undefined) expect(reply, name).toBe(expected)
              else if (differing.has(index) !== (expected !== shown))
                expect(differing.has(index) ? shown : `not ${shown}`, name).toBe(expected)
            }
          }
        }),
        { numRuns: runs(20) },
      )
    },
  )

  it('met', () => {
    console.log(variants.map(({ name }) => `${name}: ${met.get(name)}`).join('\n'))
  })
})
