import { type Assumption, type AssumptionValue, assumptionRegistry } from '../assumptions/registry.ts'
import { describeProvenance, type Provenance } from '../assumptions/resolve.ts'
import { assumptionsOf } from './assumption-settings.ts'
import type { Run } from './run.ts'

/** `plant-mock assumptions`: the registry, with what is in force and why. */
export const assumptions: Run = async (line, { out, colour, environment }) => {
  const { assumptions, provenance } = await assumptionsOf(line, environment)
  const rows = assumptionRegistry.map((row) => ({
    row,
    value: assumptions[row.id],
    provenance: provenance[row.id],
  }))
  if (line.values.json) out(`${JSON.stringify(rows.map(asJson), null, 2)}\n`)
  else out(rows.map((shown) => asText(shown, colour)).join('\n'))
  return 0
}

type Shown = { readonly row: Assumption; readonly value: AssumptionValue; readonly provenance: Provenance }

const asJson = ({ row, value, provenance }: Shown) => ({
  id: row.id,
  section: row.section,
  question: row.question,
  value,
  provenance,
  default: row.default,
  alternatives: row.alternatives,
  rare: row.rare,
  meaning: row.meaning(value),
})

/** A row as a paragraph: tables with sentences in them do not fit a terminal. */
const asText = ({ row, value, provenance }: Shown, colour: boolean): string => {
  const bold = (text: string) => (colour ? `\u001B[1m${text}\u001B[22m` : text)
  const usual = value === row.default ? '' : `; the default is ${row.default}`
  const others = [row.default, ...row.alternatives].filter((other) => other !== value)
  return [
    `${bold(`${row.id} = ${value}`)}  (${describeProvenance(provenance)}${usual}; contract.md ${row.section}${row.rare ? '; rare' : ''})`,
    `  ${row.question}`,
    `  ${value}: ${row.meaning(value)}`,
    ...others.map((other) => `  or ${other}: ${row.meaning(other)}`),
    '',
  ].join('\n')
}
