import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parseAssume } from '../../core/assumptions/parse.ts'
import { writeForOption } from '../../server/files/write-fixtures.ts'
import { PlantMockError } from '../../util/errors.ts'
import { printable } from '../../util/terminal.ts'
import { suggestion } from '../../util/words.ts'
import { mutantIds } from '../evidence/mutants.ts'
import type { Planned, VaryReport } from '../search/search-alternatives.ts'
import type { ScoredMutant } from './mutation-score.ts'

export type Accepted = ReadonlyMap<string, string>

type Kind = 'reliance' | 'mutant'

type Line = { readonly kind: Kind; readonly entry: string; readonly reason: string }

const lineOf = (line: string): Line | undefined => {
  const [, text = '', reason = ''] = /^(.*?)(?:(?<!\S)#(.*))?$/.exec(line.replace('\uFEFF', '')) ?? []
  const entry = text.trim()
  if (entry === '') return undefined
  const kind = mutantIds.some((id) => id === entry) ? 'mutant' : 'reliance'
  return { kind, entry, reason: reason.trim() }
}

/** Ignores lines of the other kind, because `vary` and `mutate` may share a file. */
export const loadAccepted = async (file: string | undefined, kind: Kind, mayBeMissing: boolean): Promise<Accepted> => {
  if (file === undefined || (mayBeMissing && file !== '' && !existsSync(file))) return new Map()
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new PlantMockError(
      error.code === 'ENOENT'
        ? `${file}, the file of --accept, does not exist. Add --update to create it.`
        : `--accept cannot read ${file}: ${error.message}.`,
    )
  })
  const lines = text.split(/\r?\n/).map(lineOf)
  for (const [index, line] of lines.entries()) if (line !== undefined) checkLine(line, `${file}:${index + 1}`)
  return new Map(lines.flatMap((line) => (line?.kind === kind ? [[line.entry, line.reason]] : [])))
}

const checkLine = ({ kind, entry }: Line, place: string): void => {
  try {
    if (kind === 'reliance') parseAssume([entry])
  } catch (error) {
    if (!(error instanceof PlantMockError)) throw error
    const mutant = entry.includes('=') ? '' : suggestion(entry, mutantIds)
    throw new PlantMockError(`${place}: ${error.message}${mutant}`)
  }
}

type Acceptance = ReturnType<typeof compare>

export type ReportedAcceptance = Acceptance & { readonly file: string; readonly isUpdated: boolean }

export const acceptanceNotes = (acceptance: ReportedAcceptance | undefined): readonly string[] => {
  if (acceptance === undefined || acceptance.gone.length === 0) return []
  const { gone, file, isUpdated } = acceptance
  const advice = isUpdated ? '' : ` --update removes ${gone.length === 1 ? 'it' : 'them'} from ${file}.`
  return [`Accepted, but no longer found: ${gone.join(', ')}.${advice}`]
}

const compare = (found: ReadonlySet<string>, accepted: Accepted, isDecided: (entry: string) => boolean) => {
  const known = [...accepted.keys()].sort()
  return {
    accepted: new Map(known.filter((entry) => found.has(entry)).map((entry) => [entry, accepted.get(entry) ?? ''])),
    gone: known.filter((entry) => !found.has(entry) && isDecided(entry)),
    notAccepted: [...found].filter((entry) => !accepted.has(entry)).sort(),
  }
}

export const compareAccepted = (
  { broken, passed, notExercised }: Pick<VaryReport, 'broken' | 'passed' | 'notExercised'>,
  accepted: Accepted,
  planned: Planned,
): Acceptance => {
  const found = new Set(broken.map(({ key }) => key))
  const decided = new Set([...passed, ...notExercised, ...found])
  return compare(found, accepted, (entry) => planned.has(entry) && decided.has(entry))
}

export const compareAcceptedMutants = (
  results: readonly Pick<ScoredMutant, 'id' | 'status'>[],
  accepted: Accepted,
): Acceptance => {
  const idsOf = (...wanted: readonly ScoredMutant['status'][]): readonly string[] =>
    results.flatMap(({ id, status }) => (wanted.includes(status) ? [id] : []))
  const gone = idsOf('killed', 'notExercised')
  return compare(new Set(idsOf('survived', 'accepted')), accepted, (entry) => gone.includes(entry))
}

export const writeAccepted = async (
  file: string,
  { gone, notAccepted }: Pick<Acceptance, 'gone' | 'notAccepted'>,
): Promise<string> => {
  const text = await readFile(file, 'utf8').catch(() => '')
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  const before = text === '' ? [] : text.replace(/\r?\n$/, '').split(/\r?\n/)
  const lines = [...before.filter((line) => !gone.includes(lineOf(line)?.entry ?? '')), ...notAccepted]
  await writeForOption('--accept', file, lines.map((line) => `${line}${end}`).join(''))
  return `Wrote ${printable(file)}: ${notAccepted.length} added, ${gone.length} removed.\n`
}
