import { StorageError } from '../../util/errors.ts'
import { andThen, isPromise, type MaybePromise } from '../../util/maybe-promise.ts'
import { messageOf } from '../../util/words.ts'
import type { OperationId } from '../assumptions/operation-ids.ts'
import {
  type DrawnFaults,
  drawFaults,
  type FaultTarget,
  faultReply,
  withFaults,
  withoutPreferred,
} from '../faults/faults.ts'
import { preferredIn } from '../faults/preferred.ts'
import type { Reply } from '../http/reply.ts'
import type { CallerRegistry } from '../journal/callers.ts'
import { plantText } from '../model/list.ts'
import type { Plants } from '../model/plants.ts'
import { problemReply } from '../model/replies.ts'
import { type KnownCallers, readRequest, type ServiceRequest } from '../model/request.ts'
import type { Problem } from '../model/result.ts'
import { isSamePlant } from '../model/rows.ts'
import { step } from '../model/step.ts'
import type { ResolvedRequest } from '../operations/call.ts'
import type { Cell } from './cell.ts'
import { withState } from './memory.ts'
import type { Watcher } from './observer.ts'
import type { RecentStep, RecentSteps } from './recent-steps.ts'
import { clock, waitFor } from './time.ts'

export type RecordedReply = { readonly id: number; readonly reply: Reply; readonly failure?: unknown }

export type UpstreamHandler = (call: ResolvedRequest, operation: OperationId) => MaybePromise<Reply>

export type HandlerSettings = {
  readonly callers: CallerRegistry
  readonly known: KnownCallers
  readonly upstream: UpstreamHandler | undefined
  readonly prefer: boolean
  readonly now: (() => number) | undefined
}

type HandlerOptions = HandlerSettings & {
  readonly cell: Cell
  readonly watched: Watcher | undefined
  readonly recent: RecentSteps
  readonly record: (call: ResolvedRequest, reply: Reply, receivedAt: number) => number
}

export const createHandler = (options: HandlerOptions) => {
  const { cell, watched, recent, record, callers, known, now = Date.now, prefer, upstream } = options

  const handle = (call: ResolvedRequest): MaybePromise<RecordedReply> => {
    if (cell.loading !== undefined) return cell.loading.then(() => handle(call), notLoaded(call, clock()))
    const receivedAt = clock()
    const request = readRequest(call, now(), known)
    const preferred = prefer ? preferredIn(call.received.header('prefer')) : undefined
    const target: FaultTarget = { operation: call.operation, caller: request.caller.key, preferred }
    const drawn = cell.inOrder(() => draw(target))
    const reply =
      drawn === undefined
        ? serve(call, request, target)
        : andThen(drawn, (drawn) => andThen(delayed(drawn, call), () => respond(call, request, target, drawn)))
    return andThen(reply, (reply) => ({ id: record(call, reply, receivedAt), reply }))
  }

  const draw = (target: FaultTarget): DrawnFaults | undefined => {
    const { faults } = cell.memory
    if (faults.entries.length === 0 && target.preferred === undefined) return undefined
    const { list, drawn } = drawFaults(faults, target, callers.pseudonymOf)
    if (list !== faults) cell.replace({ ...cell.memory, faults: list })
    return drawn
  }

  const respond = (
    call: ResolvedRequest,
    request: ServiceRequest,
    target: FaultTarget,
    drawn: DrawnFaults | undefined,
  ): MaybePromise<Reply> => {
    if (drawn === undefined) return serve(call, request, target)
    const sent = upstream === undefined ? call : withoutPreferred(call, drawn.preferred)
    const reply = faultReply(drawn, problem) ?? serve(sent, request, target)
    return andThen(reply, (reply) => withFaults(reply, drawn, target))
  }

  const serve = (call: ResolvedRequest, request: ServiceRequest, target: FaultTarget): MaybePromise<Reply> => {
    try {
      const { operation } = call
      const reply =
        upstream === undefined || operation === undefined
          ? cell.inOrder(() => stepAndCommit(call, request))
          : upstream(call, operation)
      return isPromise(reply) ? reply.catch((error: unknown) => failure(error, target)) : reply
    } catch (error) {
      return failure(error, target)
    }
  }

  const stepAndCommit = (call: ResolvedRequest, request: ServiceRequest): MaybePromise<Reply> => {
    const { memory } = cell
    const undo = cell.hasWriter ? watched?.snapshot() : undefined
    const { state: before, assumptions } = memory
    const { state, reply } = (watched?.step ?? step)(before, request, assumptions, call)
    const next = state === before ? memory : withState(memory, state)
    const committed = next === cell.memory ? undefined : cell.commit(next, { undo })
    const done: RecentStep = { call, id: 0, before, request, assumptions, reply, after: state }
    return isPromise(committed) ? committed.then(() => keep(done)) : keep(done)
  }

  const keep = (done: RecentStep): Reply => {
    recent.keep(done)
    const stored = cell.memory.state.plants
    return stored === done.after.plants ? done.reply : asStored(done, stored)
  }

  const problem = (given: Problem): Reply => {
    const reply = problemReply(given, cell.memory.assumptions)
    watched?.replied(given, reply)
    return reply
  }

  const failure = (error: unknown, { operation, caller }: FaultTarget): Reply =>
    problemReply(
      { problem: error instanceof StorageError ? error.problem : 'internal-error', detail: messageOf(error) },
      cell.memory.assumptions,
      { operation, caller },
    )

  const notLoaded =
    (call: ResolvedRequest, receivedAt: number) =>
    (error: unknown): RecordedReply => {
      const detail = `The fixtures could not be loaded: ${messageOf(error)}`
      const reply = problem({ problem: 'internal-error', detail })
      return { id: record(call, reply, receivedAt), reply }
    }

  return { handle, draw, respond, problem }
}

export type Handler = ReturnType<typeof createHandler>

/** Responds with the created plant as stored, because the schema of a user's collection may change the plant. */
const asStored = ({ before, after, reply, assumptions }: RecentStep, stored: Plants): Reply => {
  const { plants: sent } = after
  let position = 0
  while (position < before.plants.length && isSamePlant(before.plants.at(position), sent.at(position))) position++
  if (position >= Math.min(sent.length, stored.length)) return reply
  const isShown = reply.body === plantText(sent.at(position), assumptions)
  return isShown ? { ...reply, body: plantText(stored.at(position), assumptions) } : reply
}

const delayed = (
  drawn: DrawnFaults | undefined,
  { received }: ResolvedRequest,
): MaybePromise<DrawnFaults | undefined> =>
  drawn === undefined || drawn.delay === 0 ? drawn : waitFor(drawn.delay, received.signal).then(() => drawn)
