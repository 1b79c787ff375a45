import { parseAssume } from '../contract/assume.ts'
import {
  type Assumption,
  type AssumptionValue,
  defaultAssumptions,
  register,
} from '../contract/assumptions.ts'
import type { Run } from './run.ts'

/** `plant-mock assumptions`: the register, with what is in force. */
export const assumptions: Run = async ({ assume = [], json = false }, { out, colour }) => {
  const values = { ...defaultAssumptions, ...parseAssume(assume) }
  if (json)
    out(
      `${JSON.stringify(
        register.map((row) => asJson(row, values[row.id])),
        null,
        2,
      )}\n`,
    )
  else out(register.map((row) => asText(row, values[row.id], colour)).join('\n'))
  return 0
}

const asJson = (row: Assumption, value: AssumptionValue) => ({
  id: row.id,
  section: row.section,
  question: row.question,
  value,
  default: row.default,
  alternatives: row.alternatives,
  rare: row.rare,
  meaning: row.meaning(value),
})

/** A row as a paragraph: tables with sentences in them do not fit a terminal. */
const asText = (row: Assumption, value: AssumptionValue, colour: boolean): string => {
  const bold = (text: string) => (colour ? `\u001B[1m${text}\u001B[22m` : text)
  const source = value === row.default ? 'default' : `set; the default is ${row.default}`
  const others = [row.default, ...row.alternatives].filter((other) => other !== value)
  return [
    `${bold(`${row.id} = ${value}`)}  (${source}; contract.md ${row.section}${row.rare ? '; rare' : ''})`,
    `  ${row.question}`,
    `  ${value}: ${row.meaning(value)}`,
    ...others.map((other) => `  or ${other}: ${row.meaning(other)}`),
    '',
  ].join('\n')
}
