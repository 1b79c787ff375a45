import { usesColour } from '../util/terminal.ts'

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

/** So much text waits for the end of a turn, in characters. */
const mostWaiting = 64 * 1024

/** Writes at once what is to be written in one turn of the event loop: each write costs as much as a request. */
const writeTogether = (write: (text: string) => void) => {
  let waiting = ''
  const flush = (): void => {
    const text = waiting
    waiting = ''
    if (text !== '') write(text)
  }
  const out = (text: string): void => {
    if (waiting === '') setImmediate(flush)
    waiting += text
    if (waiting.length >= mostWaiting) flush()
  }
  return { out, flush }
}

/** The terminal of this process. */
export const processTerminal = (): Terminal => {
  let isLost = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of a pipe may leave before we are done: `plant-mock | head`.
    if (error.code === 'EPIPE') process.exit(0)
    if (isLost) return
    isLost = true
    // Requests are worth more than the lines about them: a server goes on when the disk of its log is full.
    process.stderr.write(`plant-mock: Standard output cannot be written, and is lost: ${error.message}.\n`)
    process.once('exit', (code) => {
      process.exitCode = code || 1
    })
  })
  // There is nowhere left to say it.
  process.stderr.on('error', () => undefined)
  const { env } = process
  const { out, flush } = writeTogether((text) => process.stdout.write(text))
  process.on('exit', flush)
  return {
    out,
    error(text) {
      flush()
      process.stderr.write(text)
    },
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
