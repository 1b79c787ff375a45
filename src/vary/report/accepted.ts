import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseAssume } from '../../core/assumptions/parse.ts'
import { writeForOption } from '../../server/files/write-fixtures.ts'
import { PlantMockError } from '../../util/errors.ts'
import type { ChangeKey } from '../evidence/plan.ts'
import type { Planned, VaryReport } from '../search/search-alternatives.ts'

const separator = ' with '

/** The text of alternatives that break tests, on its line of the file. */
export const acceptedText = (set: readonly ChangeKey[]): string => [...set].sort().join(separator)

/**
 * Reads the reliances that a team knows and keeps: one on a line, `create.status=200`, several that break tests only
 * together joined by ` with `. Empty lines and lines that begin with `#` are left out.
 * @param mayBeMissing Whether a file that does not exist counts as empty.
 * @throws PlantMockError that names file, line and reason.
 */
export const loadAccepted = async (file: string, mayBeMissing: boolean): Promise<ReadonlySet<string>> => {
  if (mayBeMissing && file !== '' && !existsSync(file)) return new Set()
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const hint = error.code === 'ENOENT' ? '. --update writes it' : ''
    throw new PlantMockError(`--accept cannot read ${file}: ${error.message}${hint}.`)
  })
  return new Set(
    text
      .replace(/^\uFEFF/, '')
      .split(/\r?\n/)
      .flatMap((line, index) => {
        const entry = line.trim()
        return entry === '' || entry.startsWith('#') ? [] : [parseEntry(entry, `${file}:${index + 1}`)]
      }),
  )
}

const parseEntry = (entry: string, place: string): string => {
  const keys = entry.split(separator).map((key) => key.trim())
  try {
    parseAssume(keys)
  } catch (error) {
    if (error instanceof PlantMockError) throw new PlantMockError(`${place}: ${error.message}`)
    throw error
  }
  return acceptedText(keys)
}

export type Acceptance = ReturnType<typeof compareAccepted>

/** Compares the findings of a search with the reliances that are accepted. One that this search did not decide stays. */
export const compareAccepted = (
  { broken, passed, notMet }: Pick<VaryReport, 'broken' | 'passed' | 'notMet'>,
  accepted: ReadonlySet<string>,
  planned: Planned,
) => {
  const found = new Set(broken.map(({ set }) => acceptedText(set)))
  const decided = new Set([...passed, ...notMet, ...broken.flatMap(({ set }) => set)])
  const isDecided = (entry: string): boolean =>
    entry.split(separator).every((key) => planned.has(key) && decided.has(key))
  const gone = [...accepted].filter((entry) => !found.has(entry) && isDecided(entry)).sort()
  const kept = [...accepted].filter((entry) => !gone.includes(entry))
  return {
    /** Accepted reliances that still break tests. */
    accepted: [...found].filter((entry) => accepted.has(entry)).sort(),
    /** Accepted reliances that break nothing any more. */
    gone,
    notAccepted: [...found].filter((entry) => !accepted.has(entry)).sort(),
    /** Lines of the updated file. */
    lines: [...new Set([...kept, ...found])].sort(),
  }
}

/** @throws PlantMockError when the file cannot be written. */
export const writeAccepted = (file: string, lines: readonly string[]): Promise<void> =>
  writeForOption('--accept', file, lines.map((line) => `${line}\n`).join(''))
