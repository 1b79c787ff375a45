import type { Form } from '../form.ts'

/** One row of the table of assumptions. */
export type AssumptionRow = {
  /** The section of contract.md, or several, that leave the point open. */
  readonly section: string
  readonly question: string
  readonly default: string | number
  /** Completes the sentence "The client relies on …" for a client that breaks under an alternative. */
  readonly relies?: string
  /** The default and up to three alternatives that `vary` tries, each with its meaning in one line. */
  readonly values: Readonly<Record<string | number, string>>
  /** Further values, to be set and learned; `vary` tries them with `--thorough`. */
  readonly more?: Readonly<Record<string | number, string>>
  /** Values with a parameter, to be set and learned; `vary` tries the samples with `--thorough`. */
  readonly form?: Form
  /** The alternatives are unusual, and break almost every client. */
  readonly rare?: true
}
