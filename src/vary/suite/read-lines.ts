import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, jsonOrUndefined } from '../../util/json.ts'

/** Unusable lines of evidence: their number, and the place of the first. Omits the text, which may contain a token. */
export type Ignored = { readonly count: number; readonly first: string }

/** The lines of each file of an evidence folder, and the ignored lines. */
type Lines<Line> = { readonly logs: readonly (readonly Line[])[]; readonly ignored: Ignored | undefined }

/**
 * Reads files with a JSON value on each line. Lines of other programs are ignored and counted. A truncated last line is
 * ignored without counting, because runners kill their workers.
 * @param names Matches the names of the files.
 * @param types The types of valid lines.
 */
export const readLines = async <Line extends { readonly type: string }>(
  folder: string,
  names: RegExp,
  types: Readonly<Record<Line['type'], true>>,
): Promise<Lines<Line>> => {
  const logs: Line[][] = []
  const ignored: string[] = []
  for (const name of (await readdir(folder)).filter((name) => names.test(name)).sort()) {
    const log: Line[] = []
    const lines = (await readFile(join(folder, name), 'utf8')).split('\n')
    for (const [at, line] of lines.entries()) {
      const value = jsonOrUndefined(line)
      if (isJsonObject(value) && Object.hasOwn(types, String(value.type))) log.push(value as Line)
      else if (line.trim() !== '' && at < lines.length - 1) ignored.push(`${name}:${at + 1}`)
    }
    logs.push(log)
  }
  const [first] = ignored
  return { logs, ignored: first === undefined ? undefined : { count: ignored.length, first } }
}
