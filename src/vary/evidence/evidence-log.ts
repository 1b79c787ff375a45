import fs from 'node:fs'
import { runInNewContext } from 'node:vm'
import { threadId } from 'node:worker_threads'
import type { AssumptionId } from '../../core/assumptions/registry.ts'
import type { ChangedExchange } from './changed-exchange.ts'
import type { ChangeKey } from './plan.ts'
import { currentTestFile } from './test-process.ts'

// Copies, because a test may replace these functions later.
const { closeSync, openSync, writeSync } = { ...fs }
// Tests replace clocks, perhaps before this module is loaded. Another context has the system's clock.
const now = runInNewContext('Date.now') as () => number

type LineContent =
  | { readonly type: 'exchange' }
  /** The changes that would change a response, or that have changed it, by position in the plan. */
  | {
      readonly type: 'visible'
      readonly changes: readonly number[]
      /** Names what shares the variables of modules with the mock; absent where no state is watched. */
      readonly realm?: string
    }
  /** The assumptions that a test set itself; no variation reaches them. */
  | { readonly type: 'fixed'; readonly ids: readonly AssumptionId[] }
  /** How a change has changed a response. */
  | ({ readonly type: 'difference'; readonly key: ChangeKey } & ChangedExchange)

/** One line of evidence. Times are in milliseconds since 1970. */
export type EvidenceLine = LineContent & {
  readonly pid: number
  /** When the request was received, and when this line was written. */
  readonly since: number
  readonly at: number
  /** The test file that runs in this process, where several files share one. */
  readonly file?: string | undefined
}

const maxDifferences = 500

/** By folder: all mocks of a process share one file descriptor. */
const openedFolders = new Map<string, EvidenceLog>()

/**
 * Opens a folder for evidence.
 * @param globals The globals of the code that runs tests. Default: of this module.
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
  let differences = 0
  /** @param since When the request was received; default: now. */
  const write = (content: LineContent, since = now()): void => {
    const line = { ...content, pid: process.pid, since, at: now(), file: currentTestFile(globals) }
    // Synchronous, because test runners end their workers without notice.
    writeSync(descriptor, `${JSON.stringify(line)}\n`)
  }
  return {
    /** Milliseconds since 1970, whatever a test does to the clock. */
    now,
    write,
    /** Writes how a response differs; the first ones of a process. */
    writeDifference(key: ChangeKey, difference: ChangedExchange, since: number): void {
      if (differences++ < maxDifferences) write({ type: 'difference', key, ...difference }, since)
    },
    /** Closes the file. Mocks that are still open must not write any more. */
    close(): void {
      openedFolders.delete(folder)
      closeSync(descriptor)
    },
  }
}
