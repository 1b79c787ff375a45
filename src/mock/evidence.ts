import { type AssumptionId, type AssumptionValue, findAssumption } from '../assumptions/registry.ts'
import { PlantMockError } from '../util/errors.ts'
import { evidenceVariable } from '../util/evidence-variable.ts'
import { shared } from '../util/shared.ts'
import { messageOf } from '../util/words.ts'
import { currentTestFile } from './current-test-file.ts'

/** In the folder: the alternatives to look for, as JSON: `[["list.order","newest"], …]`. */
export const alternativesFile = 'alternatives.json'

/** An alternative value of an assumption. */
export type Alternative = { readonly id: AssumptionId; readonly value: AssumptionValue }

/** One line of evidence. Times are in milliseconds since 1970. */
export type EvidenceLine = {
  readonly pid: number
  /** When the request was received, and when this line was written. */
  readonly since: number
  readonly at: number
  /** The test file that runs in this process, where several files share one. */
  readonly file?: string | undefined
} & (
  | { readonly type: 'exchange' }
  /** The alternatives that would change a response, by position in the file of alternatives; `all` when unknown. */
  | { readonly type: 'visible'; readonly alternatives: readonly number[] | 'all' }
  /** The assumptions that a test set itself; no variation reaches them. */
  | { readonly type: 'fixed'; readonly ids: readonly AssumptionId[] }
)

type LineContent = EvidenceLine extends infer Line
  ? Line extends unknown
    ? Omit<Line, 'pid' | 'since' | 'at' | 'file'>
    : never
  : never

/** Records how a test suite uses the mocks, for `plant-mock vary`. */
export interface EvidenceLog {
  /** The alternatives to look for. */
  readonly alternatives: readonly Alternative[]
  /** Milliseconds since 1970, whatever a test does to the clock. */
  now(): number
  /** @param since When the request was received; default: now. */
  write(line: LineContent, since?: number): void
  /** Closes the file. Mocks that are still open must not write any more. */
  close(): void
}

/** The parts of Node.js that evidence needs. Browsers load this module too. */
type NodeProcess = {
  readonly pid: number
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly getBuiltinModule?: (id: string) => unknown
}

type FileSystem = {
  readFileSync(file: string, encoding: 'utf8'): string
  openSync(file: string, flags: 'a'): number
  writeSync(descriptor: number, text: string): number
  closeSync(descriptor: number): void
}

const nodeProcess = (): NodeProcess | undefined => (globalThis as { process?: NodeProcess }).process

/** By folder: all mocks of a process share one file descriptor. */
const openedFolders = (): Map<string, EvidenceLog> => shared('evidence', () => new Map())

/**
 * Opens a folder for evidence.
 * @param folder Default: the one that `PLANT_MOCK_EVIDENCE` names.
 * @returns `undefined` without a folder, and in browsers.
 */
export const openEvidence = (folder = nodeProcess()?.env?.[evidenceVariable]): EvidenceLog | undefined => {
  const node = nodeProcess()
  if (!folder || node?.getBuiltinModule === undefined) return undefined
  const opened = openedFolders()
  const known = opened.get(folder)
  if (known !== undefined) return known
  // A copy, because a test may replace these functions later.
  const fs = { ...(node.getBuiltinModule('node:fs') as FileSystem) }
  const { threadId } = node.getBuiltinModule('node:worker_threads') as { readonly threadId: number }
  const alternatives = readAlternatives(fs, folder)
  // Tests replace clocks, perhaps before this module is loaded. Another context has those of the system.
  const { runInNewContext } = node.getBuiltinModule('node:vm') as { runInNewContext(code: string): () => number }
  const now = runInNewContext('Date.now')
  const descriptor = fs.openSync(`${folder}/mock-${node.pid}-${threadId}.ndjson`, 'a')
  const evidence: EvidenceLog = {
    alternatives,
    now,
    write(content, since = now()) {
      const line = { ...content, pid: node.pid, since, at: now(), file: currentTestFile() }
      // Synchronous, because test runners end their workers without notice.
      fs.writeSync(descriptor, `${JSON.stringify(line)}\n`)
    },
    close() {
      opened.delete(folder)
      fs.closeSync(descriptor)
    },
  }
  opened.set(folder, evidence)
  return evidence
}

/** Leaves out values that this version does not know: another version may have written the folder. */
const readAlternatives = ({ readFileSync }: FileSystem, folder: string): readonly Alternative[] => {
  const file = `${folder}/${alternativesFile}`
  try {
    const pairs = JSON.parse(readFileSync(file, 'utf8')) as readonly (readonly [string, AssumptionValue])[]
    return pairs.flatMap(([id, value]) => {
      const row = findAssumption(id)
      return row === undefined ? [] : [{ id: row.id, value }]
    })
  } catch (error) {
    throw new PlantMockError(
      `${evidenceVariable} names a folder without a usable ${alternativesFile} (${messageOf(error)}). plant-mock vary sets this variable; remove it elsewhere.`,
    )
  }
}
