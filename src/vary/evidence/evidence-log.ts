import fs from 'node:fs'
import { runInNewContext } from 'node:vm'
import { threadId } from 'node:worker_threads'
import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { ChangedExchange } from './changed-exchange.ts'
import type { ChangeKey, TestId } from './plan.ts'
import type { RecordedRepetition } from './repetitions.ts'
import { currentTestFile } from './test-process.ts'

// Keeps the original functions, because tests may replace functions of node:fs.
const { closeSync, openSync, writeSync } = { ...fs }
// Takes the clock of a new V8 context, because a test may fake the clock of its own context.
const now = runInNewContext('Date.now') as () => number

type LineContent =
  | { readonly type: 'exchange' }
  | { readonly type: 'visible'; readonly changes: readonly ChangeKey[] }
  | { readonly type: 'fixed'; readonly ids: readonly AssumptionId[] }
  | ({ readonly type: 'difference'; readonly changes: readonly ChangeKey[] } & ChangedExchange)
  | { readonly type: 'repeated'; readonly repetitions: readonly RecordedRepetition[] }

export type EvidenceLine = LineContent & {
  readonly pid: number
  /** Milliseconds since 1970: `since` when the mock received the request, `at` when the mock wrote this line. */
  readonly since: number
  readonly at: number
  readonly file?: string | undefined
  readonly test?: TestId | undefined
}

const openedFolders = new Map<string, EvidenceLog>()

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
    // Writes synchronously, because test runners kill their workers.
    writeSync(descriptor, `${JSON.stringify(line)}\n`)
  }
  return {
    now,
    write,
    close(): void {
      openedFolders.delete(folder)
      closeSync(descriptor)
    },
  }
}
