import type { MockObserver } from '../../core/mock/observer.ts'
import type { EvidenceLog } from './evidence-log.ts'
import { keyOf, type Plan } from './plan.ts'
import { createWatcher } from './watcher.ts'

export const evidenceObserver = (evidence: EvidenceLog, plan: Plan): MockObserver => {
  // An environment variable sets alternatives in every mock; mutants need a watched mock.
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
