import fs from 'node:fs'
import { runInNewContext } from 'node:vm'
import { threadId } from 'node:worker_threads'
import type { AssumptionId, AssumptionValue } from '../../core/assumptions/registry.ts'
import { PlantMockError } from '../../util/errors.ts'
import { messageOf } from '../../util/words.ts'
import type { ChangedExchange } from './changed-exchange.ts'
import { alternativesFile, currentTestFile, evidenceVariable } from './test-process.ts'

// Copies, because a test may replace these functions later.
const { closeSync, openSync, readFileSync, writeSync } = { ...fs }
// Tests replace clocks, perhaps before this module is loaded. Another context has those of the system.
const now = runInNewContext('Date.now') as () => number

export type Alternative = {
  readonly id: AssumptionId
  readonly value: AssumptionValue
  /** Whether the run is to show how responses differ from those under this value. Default: false. */
  readonly isShown?: boolean
}

type LineContent =
  | { readonly type: 'exchange' }
  /** The alternatives that would change a response, by position in the file of alternatives; `all` when unknown. */
  | {
      readonly type: 'visible'
      readonly alternatives: readonly number[] | 'all'
      /** The lifetime of the state of a mock, by number within the test file. */
      readonly lifetime?: number | undefined
    }
  /** The assumptions that a test set itself; no variation reaches them. */
  | { readonly type: 'fixed'; readonly ids: readonly AssumptionId[] }
  /** A response that is another one, because of an assumption or a mutant. */
  | ({ readonly type: 'difference'; readonly id: string } & ChangedExchange)

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
 * @param globals Those of the code that runs tests. Default: those of this module.
 * @throws PlantMockError for a folder that `vary` has not prepared.
 */
export const openEvidence = (folder: string, globals: object = globalThis): EvidenceLog => {
  const evidence = openedFolders.get(folder) ?? createEvidenceLog(folder, globals)
  openedFolders.set(folder, evidence)
  return evidence
}

/** Records how a test suite uses the mocks, for `plant-mock vary`. */
export type EvidenceLog = ReturnType<typeof createEvidenceLog>

const createEvidenceLog = (folder: string, globals: object) => {
  const alternatives = readAlternatives(folder)
  const descriptor = openSync(`${folder}/mock-${process.pid}-${threadId}.ndjson`, 'a')
  let differences = 0
  const lifetimes = new Map<string, number>()
  /** @param since When the request was received; default: now. */
  const write = (content: LineContent, since = now()): void => {
    const line = { ...content, pid: process.pid, since, at: now(), file: currentTestFile(globals) }
    // Synchronous, because test runners end their workers without notice.
    writeSync(descriptor, `${JSON.stringify(line)}\n`)
  }
  return {
    alternatives,
    /** Milliseconds since 1970, whatever a test does to the clock. */
    now,
    write,
    /** Writes how a response differs; the first ones of a process. */
    writeDifference(id: string, difference: ChangedExchange, since: number): void {
      if (differences++ < maxDifferences) write({ type: 'difference', id, ...difference }, since)
    },
    /** Numbers the lifetimes of mocks within a test file, or a process where its file is not known; from 1. */
    nextLifetime(file = ''): number {
      const number = (lifetimes.get(file) ?? 0) + 1
      lifetimes.set(file, number)
      return number
    },
    /** Closes the file. Mocks that are still open must not write any more. */
    close(): void {
      openedFolders.delete(folder)
      closeSync(descriptor)
    },
  }
}

const readAlternatives = (folder: string): readonly Alternative[] => {
  try {
    return JSON.parse(readFileSync(`${folder}/${alternativesFile}`, 'utf8')) as readonly Alternative[]
  } catch (error) {
    throw new PlantMockError(
      `${evidenceVariable} names a folder without a usable ${alternativesFile} (${messageOf(error)})`,
    )
  }
}
