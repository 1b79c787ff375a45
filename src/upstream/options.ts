/** Where requests go that the mock does not answer itself, and how closely they are looked at. */
export type UpstreamOptions = {
  /** The address of the real service. A path in it comes before those of the requests. */
  readonly url: string | URL
  /**
   * What goes there: `rest` is what the mock does not serve, `plants` (or `all`) the contract's own operations too.
   * Default: `rest`.
   */
  readonly for?: 'rest' | 'plants' | 'all'
  /** How long the upstream may take to answer, in milliseconds. Default: 30000. */
  readonly timeout?: number
  /**
   * Compare the contract's operations with the contract: `report` notes violations in log, journal and the header
   * `Plant-Mock-Violations`, `strict` answers 502 in their place. Default: no check.
   */
  readonly check?: 'report' | 'strict'
  /**
   * A fixture file (.json) that takes the plants that callers are seen to have, merged with what it holds. Callers
   * stand in it under their names (`callers`) or pseudonyms; tokens never do.
   */
  readonly record?: string
  /** Answer the contract's operations from the model while the upstream is away. Default: false. */
  readonly fallback?: boolean
}

export const defaultTimeout = 30_000
