import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { writeFileAtomically } from '../server/files/write-fixtures.ts'
import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import type { CommandLine } from './command.ts'
import { suiteCommand } from './repeat-command.ts'

const folder = 'node_modules/.cache/plant-mock'
const file = `${folder}/mutation-score.json`

/** The score of the last `mutate`, in percent, with its date and the digest of its command. */
type KnownScore = { readonly command: string; readonly score: number; readonly date: string }

/** The suite with the options that change what its mocks respond. A digest, because a command may hold a secret. */
const digestOf = (line: CommandLine): string => createHash('sha256').update(suiteCommand(line, 'mutate')).digest('hex')

/** Keeps the score of a suite where tools keep their caches, for `vary` to name; without `node_modules`, nowhere. */
export const keepScore = async (line: CommandLine, score: number): Promise<void> => {
  if (!existsSync('node_modules')) return
  const known: KnownScore = { command: digestOf(line), score, date: new Date().toISOString().slice(0, 10) }
  try {
    await mkdir(folder, { recursive: true })
    await writeFileAtomically(file, `${JSON.stringify(known)}\n`)
  } catch {
    // A cache may be read-only, and nothing depends on it.
  }
}

/** The score of a suite; `undefined` if the last `mutate` ran another one or with other options, or none did. */
export const knownScore = async (line: CommandLine): Promise<KnownScore | undefined> => {
  const known = jsonOrUndefined(await readFile(file, 'utf8').catch(() => ''))
  if (!isJsonObject(known) || known.command !== digestOf(line)) return undefined
  const { score, date } = known
  const isUsable = typeof score === 'number' && score >= 0 && score <= 100 && /^\d{4}-\d\d-\d\d$/.test(`${date}`)
  return isUsable ? (known as KnownScore) : undefined
}
