import type { Dirent } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { PlantMockError } from '../../util/errors.ts'
import { escapeRegExp } from '../../util/text.ts'
import { type TestResult, withIds } from './test-result.ts'

/** Removes reports of earlier runs, but no other file: `readReports` throws for a file that is no report. */
export const removeReports = async (places: readonly string[]): Promise<void> => {
  for (const file of new Set((await Promise.all(places.map(reportsAt))).flat())) {
    if (!(await readReport(file)).includes('<testsuite')) continue
    await rm(file).catch((error: Error) => {
      throw new PlantMockError(`Failed to remove ${file}, the report of an earlier run: ${error.message}.`)
    })
  }
}

export const readReports = async (
  places: readonly string[],
  passed: boolean,
): Promise<readonly TestResult[] | undefined> => {
  const { parseJunit } = await import('./junit-results.ts')
  const files = new Set<string>()
  for (const place of places) {
    const found = await reportsAt(place)
    for (const file of found) files.add(file)
    if (found.length === 0 && passed)
      throw new PlantMockError(
        `The command did not write ${place}, the file of --results. Let it write a JUnit report there, such as pytest --junitxml=report.xml`,
      )
  }
  if (files.size === 0) return undefined
  const texts = await Promise.all([...files].map(async (file) => parseJunit(await readReport(file), file)))
  return withIds(texts.flat().map((test) => ({ ...test, start: 0, end: 0 })))
}

const readReport = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((error: Error) => {
    throw new PlantMockError(`Failed to read ${file}, the file of --results: ${error.message}.`)
  })

const reportsAt = async (place: string): Promise<readonly string[]> => {
  if (await isFile(place)) return [place]
  const files = await expand('', place.replaceAll('\\', '/').split('/'))
  const texts = await Promise.all(files.map(readReport))
  return files.filter((_, index) => texts[index]?.includes('<testsuite')).sort()
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (known) => known.isFile(),
    () => false,
  )

/** Replaces `glob` of node:fs, which Node.js 20 lacks. */
const expand = async (folder: string, segments: readonly string[]): Promise<readonly string[]> => {
  const [segment, ...later] = segments
  if (segment === undefined) {
    const path = folder.slice(0, -1)
    if (await isFile(path)) return [path]
    const reports = await expand(folder, ['*.xml'])
    return reports.length > 0 ? reports : expand(folder, ['*', '*.xml'])
  }
  if (!/[*?]/.test(segment)) return expand(`${folder}${segment}/`, later)
  const entries = await readdir(folder || '.', { withFileTypes: true }).catch(() => [])
  const inside = (isMatch: (entry: Dirent) => boolean, next: readonly string[]) =>
    entries.filter(isMatch).map(({ name }) => expand(`${folder}${name}/`, next))
  const found =
    segment === '**'
      ? [expand(folder, later), ...inside((entry) => entry.isDirectory() && entry.name !== 'node_modules', segments)]
      : inside(({ name }) => patternOf(segment).test(name), later)
  return (await Promise.all(found)).flat()
}

const patternOf = (segment: string): RegExp =>
  new RegExp(`^${escapeRegExp(segment).replaceAll('\\*', '.*').replaceAll('\\?', '.')}$`)
