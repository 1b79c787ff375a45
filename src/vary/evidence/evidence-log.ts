import fs from 'node:fs'
import { runInNewContext } from 'node:vm'
import { threadId } from 'node:worker_threads'
import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { ChangedExchange } from './changed-exchange.ts'
import type { ChangeKey, TestId } from './plan.ts'
import type { RecordedRepetition } from './repetitions.ts'
import { currentTestFile } from './test-process.ts'

// Copies, because a test may replace these functions later.
const { closeSync, openSync, writeSync } = { ...fs }
// Tests replace clocks, perhaps before this module is loaded. A new context has the system's clock.
const now = runInNewContext('Date.now') as () => number

type LineContent =
  | { readonly type: 'exchange' }
  /** The changes that would change a response, or have changed it. */
  | { readonly type: 'visible'; readonly changes: readonly ChangeKey[] }
  /** The assumptions that a test set itself, which therefore cannot be varied. */
  | { readonly type: 'fixed'; readonly ids: readonly AssumptionId[] }
  /** How the served changes affected a response. */
  | ({ readonly type: 'difference'; readonly changes: readonly ChangeKey[] } & ChangedExchange)
  /** How the repetitions of a test ended. */
  | { readonly type: 'repeated'; readonly repetitions: readonly RecordedRepetition[] }

/** One line of evidence. Times are in milliseconds since 1970. */
export type EvidenceLine = LineContent & {
  readonly pid: number
  /** When the request was received. `at`: when this line was written. */
  readonly since: number
  readonly at: number
  /** The test file that is running in this process, if several files share it. */
  readonly file?: string | undefined
  /** The test that the line is about, if that is certain. */
  readonly test?: TestId | undefined
}

/** By folder, because all mocks of a process share one file descriptor. */
const openedFolders = new Map<string, EvidenceLog>()

/**
 * Opens a folder for evidence.
 * @param globals The globals of the code that runs tests. Default: the globals of this module.
 */
export const openEvidence = (folder: string, globals: object = globalThis): EvidenceLog => {
  const evidence = openedFolders.get(folder) ?? createEvidenceLog(folder, globals)
  openedFolders.set(folder, evidence)
  return evidence
}

/** Records how a test suite uses the mocks, for `plant-mock vary`. */
export type EvidenceLog = ReturnType<typeof createEvidenceLog>

const createEvidenceLog = (folder: string, globals: object) => {
  const descriptor = openSync(`${folder}/mock-${process.pid}-${threadId}.ndjson`, 'a')
  /** @param since When the request was received; default: now. */
  const write = (content: LineContent, since = now(), test?: TestId): void => {
    const line = { ...content, pid: process.pid, since, at: now(), file: currentTestFile(globals), test }
    // Synchronous, because test runners end their workers without warning.
    writeSync(descriptor, `${JSON.stringify(line)}\n`)
  }
  return {
    /** Milliseconds since 1970, even if a test replaces the clock. */
    now,
    write,
    /** Closes the file. Open mocks must not write afterwards. */
    close(): void {
      openedFolders.delete(folder)
      closeSync(descriptor)
    },
  }
}
