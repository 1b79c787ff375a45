import { type Assumption, type AssumptionValue, allValuesOf, assumptionRegistry } from '../core/assumptions/registry.ts'
import { describeProvenance, type Provenance } from '../core/assumptions/resolve.ts'
import { lineWidth, type Paint, printable, printableJson, wrap } from '../util/terminal.ts'
import { shorten } from '../util/text.ts'
import type { RunCliCommand } from './command.ts'
import { exitCodes } from './exit-codes.ts'
import { assumptionsOf } from './start-options.ts'

export const assumptions: RunCliCommand = async (line, terminal) => {
  const { assumptions, provenance } = await assumptionsOf(line, terminal)
  const settings = assumptionRegistry.map((row): Setting => [row, assumptions[row.id], provenance[row.id]])
  if (line.values.json) terminal.out(`${printableJson(settings.map(asJson), 2)}\n`)
  else terminal.out(settings.map((setting) => asText(setting, terminal.paint)).join('\n'))
  return exitCodes.success
}

type Setting = readonly [row: Assumption, value: AssumptionValue, provenance: Provenance]

const asJson = ([row, value, provenance]: Setting) => ({
  id: row.id,
  section: row.section,
  question: row.question,
  value,
  provenance,
  default: row.default,
  alternatives: row.alternatives,
  further: row.further,
  ...(row.form !== undefined && { form: row.form }),
  rare: row.rare,
  meaning: row.meaning(value),
})

const asText = ([row, value, provenance]: Setting, paint: Paint): string => {
  const details = [
    printable(describeProvenance(provenance)),
    ...(value === row.default ? [] : [`the default is ${row.default}`]),
    `contract ${row.section}`,
    ...(row.rare ? ['rare'] : []),
  ]
  const shown = shorten(printable(String(value)))
  const others = allValuesOf(row).filter((other) => other !== value)
  const title = `${row.id} = ${shown}`
  const origin = `(${details.join('; ')})`
  const isShort = title.length + 2 + origin.length <= lineWidth
  const texts = [
    ...(isShort ? [] : [origin]),
    row.question,
    `${shown}: ${printable(row.meaning(value))}`,
    ...others.map((other) => `or ${other}: ${row.meaning(other)}`),
    ...(row.form === undefined ? [] : [`or ${row.form}`]),
  ]
  const lines = texts.flatMap((text) =>
    wrap(text, lineWidth - 4).map((line, index) => `${index === 0 ? '  ' : '    '}${line}`),
  )
  const head = wrap(title, lineWidth).map((line) => paint('bold', line))
  return [`${head.join('\n')}${isShort ? `  ${origin}` : ''}`, ...lines, ''].join('\n')
}
