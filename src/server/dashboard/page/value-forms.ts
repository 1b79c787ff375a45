import type { Assumption, AssumptionValue } from '../../../core/assumptions/registry.ts'

/** A value with a parameter, such as `clamp:50`, of which the parameter is entered. */
export type ValueForm = {
  /** For the list of values: `clamp:N`. */
  readonly label: string
  readonly isNumber: boolean
  /** A parameter to begin with. */
  readonly initial: string
  /** The parameter of a value; `undefined` for a value of another form. */
  readonly read: (value: AssumptionValue) => string | undefined
  readonly write: (parameter: string) => AssumptionValue
}

type Row = Pick<Assumption, 'form' | 'samples' | 'default' | 'alternatives' | 'further'>

/** The forms of an assumption's values, from how they are written: `clamp:N or reject:N`, `BYTES`, `TYPE`. */
export const formsOf = (row: Row): readonly ValueForm[] =>
  row.form === undefined ? [] : row.form.split(' or ').map((shown) => formOf(shown, row))

const formOf = (shown: string, row: Row): ValueForm => {
  const [, prefix = '', name = ''] = /^([a-z-]+:)?(N|BYTES)$/.exec(shown) ?? []
  return name === '' ? textForm(shown, row) : numberForm(shown, prefix, row)
}

const numberForm = (shown: string, prefix: string, row: Row): ValueForm => {
  const read = (value: AssumptionValue): string | undefined => {
    const text = String(value)
    const digits = text.startsWith(prefix) ? text.slice(prefix.length) : ''
    return /^\d+$/.test(digits) ? digits : undefined
  }
  const label = shown === 'BYTES' ? 'number of bytes…' : shown === 'N' ? 'number…' : `${shown}…`
  return {
    label,
    isNumber: true,
    initial: row.samples.map(read).find((digits) => digits !== undefined) ?? '1',
    read,
    write: (digits) => (prefix === '' ? Number(digits) : `${prefix}${digits}`),
  }
}

const textForm = (shown: string, row: Row): ValueForm => {
  const named: readonly AssumptionValue[] = [row.default, ...row.alternatives, ...row.further]
  return {
    label: shown === 'TYPE' ? 'media type…' : `${shown}…`,
    isNumber: false,
    initial: String(row.samples[0] ?? ''),
    read: (value) => (named.includes(value) ? undefined : String(value)),
    write: (text) => text,
  }
}
