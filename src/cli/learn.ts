import { resolve } from 'node:path'
import { withoutUserInfos } from '../core/http/address.ts'
import { checkWritable, writeForOption } from '../server/files/write-fixtures.ts'
import { PlantMockError } from '../util/errors.ts'
import { shellWord } from '../util/shell.ts'
import { printable } from '../util/terminal.ts'
import { assumptionFile } from '../verify/read/learned.ts'
import { sourcesReport } from '../verify/report/sources-report.ts'
import { loadSource } from '../verify/sources/load.ts'
import { type Merged, mergeSources, placeOf, type Source } from '../verify/sources/source.ts'
import type { RunCliCommand } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { printReport } from './reporter.ts'

export const learn: RunCliCommand = async ({ operands, values }, terminal) => {
  const { out } = values
  if (out !== undefined && operands.some((file) => resolve(file) === resolve(out)))
    throw new PlantMockError(`--out would replace ${out}, which is a source. Give another name.`)
  if (out !== undefined) await checkWritable('--out', out)
  const sources: Source[] = []
  let current = ''
  const end = terminal.whileWaiting?.(() => `Reading ${printable(withoutUserInfos(current))}`)
  try {
    for (current of operands) sources.push(await loadSource(current))
  } finally {
    end?.()
  }
  const merged = mergeSources(sources)
  const { said, broken, open } = merged
  const names = sources.map(({ file }) => file)
  await printReport(sourcesReport(merged, names, nextTexts(merged, operands, out)), values, terminal)
  if (out !== undefined) {
    const entries = [
      ...[...said].map(([id, one]) => [id, { ...one.entry, place: placeOf(one) }] as const),
      ...open.flatMap(({ id, entry }) => (entry === undefined ? [] : [[id, entry] as const])),
    ]
    await writeForOption('--out', out, { ...assumptionFile(entries), ...(broken.length > 0 && { broken }) })
  }
  return exitCodes.success
}

const nextTexts = (
  { open, basePath }: Merged,
  operands: readonly string[],
  out: string | undefined,
): readonly string[] => {
  const [first = ''] = operands
  const file = shellWord(out ?? (first === '-' ? 'learned.json' : withoutUserInfos(first)))
  const base = basePath === undefined ? '' : ` --base-path ${shellWord(basePath)}`
  const find = `Find out what is open: npx plant-mock verify URL --token TOKEN --learn ${out === undefined ? 'learned.json' : file}`
  const keep = first === '-' && out === undefined ? ['To save the result, add --out learned.json'] : []
  return [...keep, `Next: npx plant-mock --assumptions ${file}${base}`, ...(open.length === 0 ? [] : [find])]
}
