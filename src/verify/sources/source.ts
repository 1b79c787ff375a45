import type { Learned } from '../../core/assumptions/file.ts'

/** A document, a recording or an assumptions file. */
export type Source = Learned & {
  /** The name of the file, as the user wrote it. */
  readonly file: string
  readonly kind: 'document' | 'recording' | 'learned'
  readonly notes: readonly SourceNote[]
  /** The path of the base URL, which `--base-path` takes. */
  readonly basePath?: string
  readonly alike?: RecordedAlikeness
}

export type RecordedAlikeness = {
  readonly exchanges: number
  /** How many exchanges the mock answers alike under the found values. */
  readonly alike: number
  /** How many exchanges decided the values, if only the first part of a long recording did. */
  readonly valuesFrom?: number
}

/** A statement of a source that sets no value. */
export type SourceNote = {
  /**
   * - `unsupported`: a behaviour at an open point of the contract that the mock cannot imitate.
   * - `contradicts`: breaks a rule of the contract.
   * - `outside`: not about the two operations of the contract.
   */
  readonly kind: 'unsupported' | 'contradicts' | 'outside'
  readonly place: string
  readonly text: string
  /** The section of the contract. */
  readonly section?: string
}
