/** The exit codes of all commands. */
export const exitCodes = {
  /** The command is done; with `verify` all rules are kept, with `vary` no variation breaks the client. */
  success: 0,
  /**
   * `serve`: the address cannot be bound; `verify`: a rule is broken; `vary`: a variation breaks the client; all
   * commands: standard output cannot be written.
   */
  failure: 1,
  /** An option, argument or file cannot be used; with `vary`, also a test suite that fails without variations. */
  usage: 2,
  /** `verify`: the service cannot be reached. */
  unreachable: 3,
  /** Ended by SIGINT, or stopped by SIGINT or SIGTERM before the report of `vary` or `verify` was complete. */
  interrupted: 130,
  /** Ended by a second SIGTERM. */
  terminated: 143,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
