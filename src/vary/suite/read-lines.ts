import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { redactor } from '../../core/http/redact.ts'
import { jsonOrUndefined } from '../../util/json.ts'
import { shorten } from '../../util/text.ts'
import { messageOf } from '../../util/words.ts'

/** Lines of evidence that cannot be used: how many, and where the first one is with its beginning. */
export type Ignored = { readonly count: number; readonly first: string }

/** The lines of each file of an evidence folder, and those that were ignored. */
export type Lines<T> = { readonly logs: readonly (readonly T[])[]; readonly ignored: Ignored | undefined }

/** In characters. Longer lines are ignored, and not kept in memory. */
const maxLineLength = 1024 * 1024
/** Of an ignored line, in characters. */
const maxShown = 80

/**
 * Reads files with a JSON value on each line, in pieces, so that signals are handled meanwhile. Other programs, tests and
 * versions may write to the folder too: their lines are ignored. So is a last line that was truncated, uncounted, because
 * runners kill their workers.
 * @param names - Matches the names of the files.
 * @param parse - `undefined` for a value that is not one of this version.
 */
export const readLines = async <T>(
  folder: string,
  names: RegExp,
  parse: (value: unknown) => T | undefined,
): Promise<Lines<T>> => {
  let ignored: Ignored | undefined
  const ignore = (first: string): void => {
    ignored = ignored === undefined ? { count: 1, first } : { ...ignored, count: ignored.count + 1 }
  }
  const logs: T[][] = []
  for (const name of (await readdir(folder)).filter((name) => names.test(name)).sort()) {
    const log: T[] = []
    logs.push(log)
    let number = 0
    const take = (line: string, isLast = false): void => {
      number++
      if (line.trim() === '') return
      const parsed = line.length > maxLineLength ? undefined : parse(jsonOrUndefined(line))
      if (parsed !== undefined) log.push(parsed)
      else if (!isLast) ignore(`${name}:${number}: ${beginningOf(line)}`)
    }
    let rest = ''
    try {
      for await (const chunk of createReadStream(join(folder, name), 'utf8')) {
        const [first = '', ...lines] = (chunk as string).split('\n')
        if (rest.length <= maxLineLength) rest += first
        for (const line of lines) {
          take(rest)
          rest = line
        }
      }
      take(rest, true)
    } catch (error) {
      ignore(`${name}: ${messageOf(error)}`)
    }
  }
  return { logs, ignored }
}

/** A foreign line may hold a token. */
const redact = redactor(() => new Map())
const beginningOf = (line: string): string => shorten(redact(line.slice(0, 4 * maxShown)), maxShown)
