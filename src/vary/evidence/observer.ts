import { urlOf } from '../../core/http/exchange.ts'
import type { MockObserver } from '../../core/mock/observer.ts'
import { type EvidenceLog, openEvidence } from './evidence-log.ts'
import { assumeOf, keyOf, type Plan, readPlan } from './plan.ts'
import { currentRepetition, type Repetition } from './repetitions.ts'
import { evidenceVariable } from './test-process.ts'
import { repeatTests, type Vitest } from './vitest-tests.ts'
import { createWatcher } from './watcher.ts'

/**
 * Records in a folder of evidence what the mocks of a process observe.
 * @param repetition The repetition of a test that creates the mock. Default: none.
 */
export const evidenceObserver = (evidence: EvidenceLog, whole: Plan, repetition?: Repetition): MockObserver => {
  const plan = planFor(whole, repetition)
  const log = logOf(evidence, repetition)
  /** The alternatives, which an environment variable sets in every mock. Mutants need a watched mock. */
  const unwatched = plan.changes.filter((change) => !('mutant' in change)).map(keyOf)
  const needsWatcher = unwatched.length < plan.changes.length
  return {
    assume: whole.repeats === undefined ? {} : assumeOf(plan.changes),
    exchangeRecorded(isWatched, { received }) {
      repetition?.requests.push(`${received.method} ${urlOf(received)}`)
      // A mock without a watcher may share its state.
      if (!isWatched && repetition !== undefined) repetition.isShared = true
      if (isWatched || !needsWatcher) log.write({ type: 'exchange' })
      // Without shadows, every alternative may be visible.
      if (!isWatched && unwatched.length > 0) log.write({ type: 'visible', changes: unwatched })
    },
    watch: (options) => createWatcher({ ...options, evidence: log, plan }),
  }
}

/** If tests are repeated, each mock serves the change of its repetition. */
const planFor = (plan: Plan, repetition: Repetition | undefined): Plan => {
  if (plan.repeats === undefined) return plan
  const changes = repetition?.change === undefined ? [] : [repetition.change]
  return { changes, areServed: changes.length > 0 }
}

/** The log of a mock that was created in a repetition, or outside of any. Names the test in lines of its own mocks. */
const logOf = (evidence: EvidenceLog, repetition: Repetition | undefined): EvidenceLog => ({
  ...evidence,
  write(content, since) {
    const user = currentRepetition.getStore()
    const isOwn = repetition?.isRunning === true && (user === undefined || user === repetition)
    if (isOwn && content.type === 'visible') repetition.isShown = true
    if (!isOwn) for (const sharing of [user, repetition]) if (sharing !== undefined) sharing.isShared = true
    evidence.write(content, since, isOwn ? repetition.test : undefined)
  },
})

/** perf: a process creates thousands of mocks. */
const plans = new Map<string, Plan>()

/** Opens a folder for a mock that is being created. */
export const openFolder = (folder: string, globals: object = globalThis) => {
  const plan = plans.get(folder) ?? readPlan(folder)
  plans.set(folder, plan)
  const evidence = openEvidence(folder, globals)
  return {
    observer: evidenceObserver(evidence, plan, currentRepetition.getStore()),
    repeatTests: (vitest: Vitest): void => repeatTests(vitest, plan, evidence),
    close: () => evidence.close(),
  }
}

/** Opens the folder of this run of a test suite. A setup file of vitest repeats its tests. */
export const openRun = (globals: object) => {
  const folder = process.env[evidenceVariable]
  return folder ? openFolder(folder, globals) : undefined
}

/** The observer for the processes of a test suite. */
export const openObserver = (globals: object): MockObserver | undefined => openRun(globals)?.observer
