import type { Entries, Learned } from '../../core/assumptions/file.ts'

export type SourceReading = {
  readonly file: string
  readonly kind: 'document' | 'recording'
  /** Each value with its `place`. A point that the source leaves open has no entry, or `unseen` with the reason. */
  readonly entries: Entries
  readonly notes: readonly SourceNote[]
  /** The path of the base URL, which `--base-path` takes. */
  readonly basePath?: string
}

export type RecordingReading = SourceReading & {
  /**
   * How many recorded exchanges the mock answers alike under the found values. @property valuesFrom The number of
   * exchanges that decided the values, if only the first part of a long recording did.
   */
  readonly alike: { readonly exchanges: number; readonly alike: number; readonly valuesFrom?: number }
}

export type Described = Learned &
  Partial<Pick<SourceReading, 'notes' | 'basePath'>> & { readonly kind?: SourceReading['kind'] | 'learned' }

export type SourceNote = {
  /**
   * - `unsupported`: a behaviour at an open point of the contract that the mock cannot imitate.
   * - `contradicts`: breaks a rule of the contract.
   * - `outside`: not about the two operations of the contract.
   */
  readonly kind: 'unsupported' | 'contradicts' | 'outside'
  readonly place: string
  readonly text: string
  readonly section?: string
}

/** Names entries of a recording by their numbers: `traffic.har: entries 12, 15`. */
export type PlaceOf = (places: readonly number[]) => string
