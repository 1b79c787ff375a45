import type { Assume, AssumptionId, Assumptions } from '../../core/assumptions/registry.ts'
import { isSameReply, type Reply } from '../../core/http/reply.ts'
import type { CommandContext } from '../../core/mock/command-row.ts'
import { type CommandName, commandNamed } from '../../core/mock/commands.ts'
import { type Memory, restoreSaved } from '../../core/mock/memory.ts'
import type { WatchOptions } from '../../core/mock/observer.ts'
import type { Saved } from '../../core/mock/snapshots.ts'
import { problemReply } from '../../core/model/replies.ts'
import type { Problem } from '../../core/model/result.ts'
import { isSameState, type State } from '../../core/model/state.ts'
import { type Step, step } from '../../core/model/step.ts'
import { messageOf } from '../../util/words.ts'
import { type Mutant, mutantStep, type StepArguments } from './mutant.ts'

export type Variant = { readonly assume: Assume; readonly mutant?: Mutant }

/** A shadow is the part of a mock's memory that may differ under an alternative or mutant. */
type Shadow = Pick<Memory, 'assumptions' | 'snapshots'> & {
  readonly own: State | undefined
}

export const createShadows = (variants: readonly Variant[], { memory, context }: Omit<WatchOptions, 'fixed'>) => {
  const contexts = variants.map(({ assume }) => contextUnder(assume, context))
  let shadows = contexts.map(
    ({ start: { assumptions } }): Shadow => ({ own: undefined, assumptions, snapshots: memory().snapshots }),
  )

  const changeEach = (change: (memory: Memory, shadow: Shadow, index: number) => Memory): void => {
    const present = memory()
    shadows = shadows.map((shadow, index) => shadowOf(change(memoryOf(shadow, present), shadow, index), present.state))
  }

  return {
    step(
      taken: StepArguments,
      mutant?: Mutant,
    ): { readonly main: Step; readonly differing: ReadonlyMap<number, Reply> } {
      const [state, request, assumptions] = taken
      const reads = new Set<AssumptionId>()
      const plain = step(state, request, recordReads(assumptions, reads))
      const main = mutantStep(mutant, taken, plain)
      const read = [...reads]
      const differing = new Map<number, Reply>()
      shadows = shadows.map((shadow, index) => {
        const { own, assumptions: assumed } = shadow
        const isPlain = own === undefined && read.every((id) => assumed[id] === assumptions[id])
        const taken: StepArguments = [own ?? state, request, assumed]
        const other = mutantStep(variants[index]?.mutant, taken, isPlain ? plain : undefined)
        if (!isSameReply(main.reply, other.reply)) differing.set(index, other.reply)
        return shadowOf({ ...shadow, state: other.state }, main.state)
      })
      return { main, differing }
    },

    run(name: CommandName, before: Memory, argument: unknown) {
      const { run, changes, showsPlants } = commandNamed(name)
      const outcome = attempt(() => run(before, argument, context), before)
      const differing: number[] = []
      // A shadow without its own state may still differ from the mock in assumptions and snapshots.
      const isAboutState = !changes.includes('assumptions') && outcome.memory.snapshots === before.snapshots
      const isUnaffected = ({ own }: Shadow): boolean =>
        isAboutState && (own === undefined || (changes.length === 0 && own.plants.equals(before.state.plants)))
      if (outcome.memory === before && !showsPlants) return { outcome, differing }
      shadows = shadows.map((shadow, index) => {
        if (isUnaffected(shadow)) return shadow
        const mine = memoryOf(shadow, before)
        const other = attempt(() => run(mine, argument, contexts[index] as CommandContext), mine)
        if (showsPlants && !isSameOutcome(outcome, other)) differing.push(index)
        return shadowOf(other.memory, outcome.memory.state)
      })
      return { outcome, differing }
    },

    differIn: (problem: Problem, reply: Reply): readonly number[] =>
      [...shadows.entries()].flatMap(([index, { assumptions }]) =>
        isSameReply(reply, problemReply(problem, assumptions)) ? [] : [index],
      ),

    adopted: (change: (state: State) => State): void =>
      changeEach((mine, { own }) => (own === undefined ? mine : { ...mine, state: change(own) })),

    snapshot() {
      const saved = shadows.map((shadow) => {
        const { state, assumptions } = memoryOf(shadow, memory())
        return { plants: state.plants, assumptions }
      })
      return () => changeEach((mine, _, index) => restoreSaved(mine, saved[index] as Saved))
    },
  }
}

const contextUnder = (assume: Assume, context: CommandContext): CommandContext => {
  const { start } = context
  return { ...context, start: { ...start, assumptions: { ...start.assumptions, ...assume } as Assumptions } }
}

const recordReads = (assumptions: Assumptions, reads: Set<AssumptionId>): Assumptions =>
  new Proxy(assumptions, {
    get(target, id: AssumptionId) {
      reads.add(id)
      return target[id]
    },
  })

const memoryOf = ({ own, assumptions, snapshots }: Shadow, main: Memory): Memory => ({
  ...main,
  state: own ?? main.state,
  assumptions,
  snapshots,
})

const shadowOf = (
  { state, assumptions, snapshots }: Pick<Memory, 'state' | 'assumptions' | 'snapshots'>,
  main: State,
): Shadow => ({
  own: isSameState(state, main) ? undefined : state,
  assumptions,
  snapshots,
})

type Outcome = { readonly memory: Memory; readonly result: unknown; readonly error?: unknown }

const attempt = (run: () => Outcome, memory: Memory): Outcome => {
  try {
    return run()
  } catch (error) {
    return { memory, result: undefined, error }
  }
}

const isSameOutcome = (a: Outcome, b: Outcome): boolean =>
  JSON.stringify(a.result) === JSON.stringify(b.result) && messageOf(a.error) === messageOf(b.error)
