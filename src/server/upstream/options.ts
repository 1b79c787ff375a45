import type { OptionNames } from '../../util/check-options.ts'

/** Which requests go to a real service, and how they are checked. */
export type UpstreamOptions = {
  /** The base URL of the real service. Its path precedes those of the requests. */
  readonly url: string | URL
  /** `rest` forwards what the mock does not serve, `all` the operations of the contract too. Default: `rest`. */
  readonly for?: 'rest' | 'all'
  /** How long the upstream may take to respond, in milliseconds. Default: 30000. */
  readonly timeout?: number
  /**
   * Checks the operations against the contract: `report` shows violations in log, journal and the header
   * `Plant-Mock-Violations`, `strict` responds with 502 instead. Default: no check.
   */
  readonly check?: 'report' | 'strict'
  /**
   * A fixture file (.json) for the plants that callers receive, merged with its content. It names callers (`callers`,
   * or pseudonyms), never tokens.
   */
  readonly record?: string
  /**
   * Origins of pages that may read and write the upstream through the mock, beside those on loopback names and the mock's
   * own: `https://app.example.com`, or `null` for pages without an origin. Requests of other pages get 403. Default: none.
   */
  readonly allowOrigins?: readonly string[]
  /** Lets the model respond while the upstream is unreachable. Default: false. */
  readonly fallback?: boolean
}

/** In milliseconds. */
export const defaultUpstreamTimeout = 30_000

export const upstreamOptionNames: OptionNames<UpstreamOptions> = {
  url: true,
  for: true,
  timeout: true,
  check: true,
  record: true,
  allowOrigins: true,
  fallback: true,
}
