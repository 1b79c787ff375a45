import type { MockObserver } from '../../core/mock/observer.ts'
import { type EvidenceLog, openEvidence } from './evidence-log.ts'
import { keyOf, type Plan, readPlan } from './plan.ts'
import { createWatcher } from './watcher.ts'

/** Records in a folder of evidence what the mocks of a process observe. */
export const evidenceObserver = (evidence: EvidenceLog, plan: Plan): MockObserver => {
  /** The alternatives, which an environment variable sets in every mock. Mutants need a watched mock. */
  const unwatched = plan.changes.filter((change) => !('mutant' in change)).map(keyOf)
  const needsWatcher = unwatched.length < plan.changes.length
  return {
    exchangeRecorded(isWatched) {
      if (isWatched || !needsWatcher) evidence.write({ type: 'exchange' })
      // Without shadows, every alternative may be visible.
      if (!isWatched && unwatched.length > 0) evidence.write({ type: 'visible', changes: unwatched })
    },
    watch: (options) => createWatcher({ ...options, evidence, plan }),
  }
}

/** Opens a folder for the mocks of this process. */
export const openFolder = (folder: string) => {
  const evidence = openEvidence(folder)
  return { observer: evidenceObserver(evidence, readPlan(folder)), close: () => evidence.close() }
}
