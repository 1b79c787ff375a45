import type { MockObserver } from '../../core/mock/observer.ts'
import { type EvidenceLog, openEvidence } from './evidence.ts'
import { evidenceVariable } from './evidence-folder.ts'
import { createShadowedService } from './shadows.ts'

/** Writes to a folder of evidence what the mocks of a process see. */
export const evidenceObserver = (evidence: EvidenceLog): MockObserver => ({
  exchangeRecorded(isWatched) {
    evidence.write({ type: 'exchange' })
    // Without shadows, each alternative may be visible.
    if (!isWatched) evidence.write({ type: 'visible', alternatives: 'all' })
  },
  watch: (options) => createShadowedService({ ...options, evidence }),
})

/** The observer for the processes of a test suite. */
export const openObserver = (globals: object): MockObserver | undefined => {
  const folder = process.env[evidenceVariable]
  return folder ? evidenceObserver(openEvidence(folder, globals)) : undefined
}
