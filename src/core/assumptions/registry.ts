import type { AssumptionRow, AssumptionValue, Form } from './form.ts'
import { rows } from './rows.ts'

export type { AssumptionValue }

type Rows = typeof rows

/** A value for each point that the contract leaves open. */
export type Assumptions = { readonly [Id in AssumptionId]: NamedValue<Rows[Id]> | FormValue<Rows[Id]> }

type NamedValue<AssumptionRow> =
  | (AssumptionRow extends { readonly values: infer Values } ? keyof Values : never)
  | (AssumptionRow extends { readonly more: infer Values } ? keyof Values : never)

type FormValue<AssumptionRow> = AssumptionRow extends { readonly form: Form<infer Value> } ? Value : never

export type AssumptionId = keyof Rows

/** The assumptions to change. Missing assumptions keep their values. */
export type Assume = Partial<Assumptions>

/** A point that the contract leaves open, with the value that the mock assumes by default. */
export type Assumption = {
  readonly id: AssumptionId
  /** The section of contract.md that leaves the point open, or several: `4.2, 8`. */
  readonly section: string
  readonly question: string
  readonly default: AssumptionValue
  readonly rare: boolean
  /** Up to three usual alternatives to the default, which `vary` tries. */
  readonly alternatives: readonly AssumptionValue[]
  /** Further values, which `vary` tries only with the option `--thorough`. */
  readonly further: readonly AssumptionValue[]
  /** The notation of values with a parameter, such as `clamp:N`; `undefined` if no value has a parameter. */
  readonly form: string | undefined
  /** Examples of values with a parameter, which `vary` tries only with the option `--thorough`. */
  readonly samples: readonly AssumptionValue[]
  readonly meaning: (value: AssumptionValue) => string
  /** Completes the sentence "The client relies on …". Empty if the assumption has no alternatives. */
  readonly relies: string
}

const table: Readonly<Record<AssumptionId, AssumptionRow<AssumptionId>>> = rows

export const rowOf = (id: AssumptionId): AssumptionRow<AssumptionId> => table[id]

const asValue = (key: string): AssumptionValue => (/^\d+$/.test(key) ? Number(key) : key)

export const assumptionRegistry: readonly Assumption[] = Object.entries(table).map(([id, row]) => ({
  id: id as AssumptionId,
  section: row.section,
  question: row.question,
  rare: row.rare ?? false,
  default: row.default,
  alternatives: Object.keys(row.values)
    .map(asValue)
    .filter((value) => value !== row.default),
  further: Object.keys(row.more ?? {}).map(asValue),
  form: row.form?.shown,
  samples: row.form?.samples ?? [],
  meaning: (value) => row.values[value] ?? row.more?.[value] ?? row.form?.meaning(value) ?? '',
  relies: row.relies ?? '',
}))

export const defaultAssumptions = Object.freeze(
  Object.fromEntries(assumptionRegistry.map((row) => [row.id, row.default])),
) as Assumptions

export const valuesOf = (row: Assumption): readonly AssumptionValue[] => [row.default, ...row.alternatives]

export const allValuesOf = (row: Assumption): readonly AssumptionValue[] => [
  ...valuesOf(row),
  ...row.further,
  ...row.samples,
]

const rowsById = new Map<string, Assumption>(assumptionRegistry.map((row) => [row.id, row]))

export const findAssumption = (id: string): Assumption | undefined => rowsById.get(id)

export const parseValue = (id: AssumptionId, text: string): AssumptionValue | undefined => {
  const { values, more = {}, form } = table[id]
  if (Object.hasOwn(values, text) || Object.hasOwn(more, text)) return asValue(text)
  return form?.aliases?.[text] ?? form?.parse(text)
}

export const refusalOf = (id: AssumptionId, text: string): string | undefined => table[id].form?.refusal?.(text)

export const describeValues = (row: Assumption): string => {
  const values = [...valuesOf(row), ...row.further, row.form ?? []].flat()
  return values.length === 1 ? `${values[0]} (its only value)` : `one of ${values.join(', ')}`
}

export const valueSchema = (id: AssumptionId): object => {
  const { default: first, values, more = {}, form } = table[id]
  const named = [...new Set([first, ...Object.keys({ ...values, ...more }).map(asValue)])]
  return form === undefined ? { enum: named } : { anyOf: [{ enum: named }, form.schema] }
}

export const maxBodySize = (assumptions: Pick<Assumptions, 'body.maxSize'>): number => {
  const size = assumptions['body.maxSize']
  return typeof size === 'number' ? size : maxSizes[size]
}

/** The maximum body sizes in bytes. `none` has a maximum too, because the mock keeps each body in memory. */
const maxSizes = { '1MiB': 1024 * 1024, '16KiB': 16 * 1024, none: 256 * 1024 * 1024 }

export const smallBody = maxSizes['16KiB']
