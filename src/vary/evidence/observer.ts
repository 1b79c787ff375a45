import { randomUUID } from 'node:crypto'
import type { MockObserver } from '../../core/mock/observer.ts'
import { type EvidenceLog, openEvidence } from './evidence-log.ts'
import { type Plan, readPlan, whole } from './plan.ts'
import { evidenceVariable } from './test-process.ts'
import { createWatcher } from './watcher.ts'

/** Records in a folder of evidence what the mocks of a process observe. */
export const evidenceObserver = (evidence: EvidenceLog, plan: Plan, globals: object = globalThis): MockObserver => {
  const { changes, serve } = plan
  const served = serve === undefined ? [...changes.keys()] : (serve[whole] ?? [])
  /** The served alternatives, which an environment variable sets in every mock. Mutants need a watched mock. */
  const unwatched = served.filter((position) => !('mutant' in (changes[position] ?? {})))
  const needsWatcher = changes.some((change) => 'mutant' in change)
  return {
    exchangeRecorded(isWatched) {
      if (isWatched || !needsWatcher) evidence.write({ type: 'exchange' })
      // Without shadows, every alternative may be visible.
      if (!isWatched && unwatched.length > 0) evidence.write({ type: 'visible', changes: unwatched })
    },
    watch: (options) => createWatcher({ ...options, evidence, plan, globals, realm: realmOf(globals) }),
  }
}

const realms = new WeakMap<object, string>()

/** Identifies a realm by its globals: runners isolate test files by process, thread or globals. */
const realmOf = (globals: object): string => {
  const realm = realms.get(globals) ?? randomUUID()
  realms.set(globals, realm)
  return realm
}

export const openFolder = (folder: string, globals: object = globalThis) => {
  const plan = readPlan(folder)
  const evidence = openEvidence(folder, globals)
  return { observer: evidenceObserver(evidence, plan, globals), close: () => evidence.close() }
}

/** The observer for the processes of a test suite. */
export const openObserver = (globals: object): MockObserver | undefined => {
  const folder = process.env[evidenceVariable]
  return folder ? openFolder(folder, globals).observer : undefined
}
