import { urlOf } from '../../core/http/exchange.ts'
import type { MockObserver } from '../../core/mock/observer.ts'
import { type EvidenceLog, openEvidence } from './evidence-log.ts'
import { evidenceObserver } from './evidence-observer.ts'
import { assumeOf, type Plan, readPlan } from './plan.ts'
import { currentRepetition, type Repetition } from './repetitions.ts'
import { evidenceVariable } from './test-process.ts'
import { repeatTests as repeat, type Vitest } from './vitest-tests.ts'

/** perf: a process may create thousands of mocks, which share one plan. */
const plans = new Map<string, Plan>()

const openRun = (globals: object) => {
  const folder = process.env[evidenceVariable]
  if (!folder) return undefined
  const plan = plans.get(folder) ?? readPlan(folder)
  plans.set(folder, plan)
  return { plan, evidence: openEvidence(folder, globals) }
}

export const openObserver = (globals: object): MockObserver | undefined => {
  const run = openRun(globals)
  if (run === undefined) return undefined
  const repetition = currentRepetition.getStore()
  const log = logOf(run.evidence, repetition)
  if (run.plan.repeats === undefined) return observerIn(repetition, evidenceObserver(log, run.plan))
  const changes = repetition?.change === undefined ? [] : [repetition.change]
  const observer = evidenceObserver(log, { changes, areServed: changes.length > 0 })
  return { ...observerIn(repetition, observer), assume: assumeOf(changes) }
}

const observerIn = (repetition: Repetition | undefined, observer: MockObserver): MockObserver => ({
  ...observer,
  exchangeRecorded(isWatched, call) {
    repetition?.requests.push(`${call.received.method} ${urlOf(call.received)}`)
    if (!isWatched && repetition !== undefined) repetition.isShared = true
    observer.exchangeRecorded(isWatched, call)
  },
})

const logOf = (evidence: EvidenceLog, repetition: Repetition | undefined): EvidenceLog => ({
  ...evidence,
  write(content, since) {
    const user = currentRepetition.getStore()
    const isOwn = repetition?.isRunning === true && (user === undefined || user === repetition)
    if (isOwn && content.type === 'visible') repetition.isChangeShown = true
    if (!isOwn) for (const sharing of [user, repetition]) if (sharing !== undefined) sharing.isShared = true
    evidence.write(content, since, isOwn ? repetition.test : undefined)
  },
})

export const repeatTests = (globals: object, vitest: Vitest): void => {
  const run = openRun(globals)
  if (run !== undefined) repeat(vitest, run.plan, run.evidence)
}
