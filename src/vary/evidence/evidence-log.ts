import fs from 'node:fs'
import { runInNewContext } from 'node:vm'
import { threadId } from 'node:worker_threads'
import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { ChangedExchange } from './changed-exchange.ts'
import type { ChangeKey, TestId } from './plan.ts'
import type { RecordedRepetition } from './repetitions.ts'
import { currentTestFile } from './test-process.ts'

// Tests may replace these functions later.
const { closeSync, openSync, writeSync } = { ...fs }
// A new context has the system's clock; tests may have replaced the clock of this context.
const now = runInNewContext('Date.now') as () => number

type LineContent =
  | { readonly type: 'exchange' }
  | { readonly type: 'visible'; readonly changes: readonly ChangeKey[] }
  /** A test set these assumptions itself, so they cannot be varied. */
  | { readonly type: 'fixed'; readonly ids: readonly AssumptionId[] }
  | ({ readonly type: 'difference'; readonly changes: readonly ChangeKey[] } & ChangedExchange)
  | { readonly type: 'repeated'; readonly repetitions: readonly RecordedRepetition[] }

export type EvidenceLine = LineContent & {
  readonly pid: number
  /** `since` is when the request was received, `at` when the line was written, in milliseconds since 1970. */
  readonly since: number
  readonly at: number
  readonly file?: string | undefined
  /** Set only if the line is certainly about this test. */
  readonly test?: TestId | undefined
}

/** All mocks of a process share the file descriptor of a folder. */
const openedFolders = new Map<string, EvidenceLog>()

/** @param globals The globals of the code that runs tests. Default: the globals of this module. */
export const openEvidence = (folder: string, globals: object = globalThis): EvidenceLog => {
  const evidence = openedFolders.get(folder) ?? createEvidenceLog(folder, globals)
  openedFolders.set(folder, evidence)
  return evidence
}

export type EvidenceLog = ReturnType<typeof createEvidenceLog>

const createEvidenceLog = (folder: string, globals: object) => {
  const descriptor = openSync(`${folder}/mock-${process.pid}-${threadId}.ndjson`, 'a')
  const write = (content: LineContent, since = now(), test?: TestId): void => {
    const line = { ...content, pid: process.pid, since, at: now(), file: currentTestFile(globals), test }
    // Synchronous, because test runners kill their workers.
    writeSync(descriptor, `${JSON.stringify(line)}\n`)
  }
  return {
    now,
    write,
    /** Mocks that are still open must not write afterwards. */
    close(): void {
      openedFolders.delete(folder)
      closeSync(descriptor)
    },
  }
}
