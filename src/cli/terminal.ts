/** Where a command prints, and what it is told from outside. */
export type Terminal = {
  readonly out: (text: string) => void
  readonly error: (text: string) => void
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether colours may be used: at a terminal, and never with `NO_COLOR`. */
  readonly colour: boolean
  /** Whether standard error is a terminal, where a line may be written over. */
  readonly interactive: boolean
  /** Calls back once for the first SIGINT or SIGTERM; a second one ends the process at once. */
  readonly onStop: (stop: () => void) => void
}

/** Colours are for terminals; `NO_COLOR`, when it is not empty, and dumb terminals go without (no-color.org). */
export const usesColour = (isTerminal: boolean | undefined, environment: Terminal['environment']): boolean =>
  isTerminal === true && !environment.NO_COLOR && environment.TERM !== 'dumb'

/** The terminal of this process. */
export const processTerminal = (): Terminal => {
  // The reader of a pipe may leave before we are done: `plant-mock | head`.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  const { env } = process
  return {
    out: (text) => process.stdout.write(text),
    error: (text) => process.stderr.write(text),
    environment: env,
    colour: usesColour(process.stdout.isTTY, env),
    interactive: process.stderr.isTTY === true && env.TERM !== 'dumb',
    onStop(stop) {
      for (const signal of ['SIGINT', 'SIGTERM'] as const)
        process.once(signal, () => {
          process.once(signal, () => process.exit(signal === 'SIGINT' ? 130 : 143))
          stop()
        })
    },
  }
}
