import type { MockObserver } from '../../core/mock/observer.ts'
import { type EvidenceLog, openEvidence } from './evidence-log.ts'
import { readServePlan, type ServePlan } from './serve-plan.ts'
import { evidenceVariable } from './test-process.ts'
import { createWatcher } from './watcher.ts'

/** Writes to a folder of evidence what the mocks of a process see. */
export const evidenceObserver = (
  evidence: EvidenceLog,
  plan?: ServePlan,
  globals: object = globalThis,
): MockObserver => ({
  exchangeRecorded(isWatched) {
    // Only a watched instance can be a mutant.
    if (isWatched || plan === undefined) evidence.write({ type: 'exchange' })
    // Without shadows, each alternative may be visible.
    if (!isWatched && plan === undefined) evidence.write({ type: 'visible', alternatives: 'all' })
  },
  watch: (options) => createWatcher({ ...options, evidence, plan, globals }),
})

export const openFolder = (folder: string, globals: object = globalThis) => {
  const evidence = openEvidence(folder, globals)
  return { observer: evidenceObserver(evidence, readServePlan(folder), globals), close: () => evidence.close() }
}

/** The observer for the processes of a test suite. */
export const openObserver = (globals: object): MockObserver | undefined => {
  const folder = process.env[evidenceVariable]
  return folder ? openFolder(folder, globals).observer : undefined
}
