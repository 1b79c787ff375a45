import { usesColour } from '../util/terminal.ts'
import { exitCodes, type Terminal } from './command.ts'

/** In characters. */
const maxBuffered = 64 * 1024

/**
 * Writes the text of one turn of the event loop with one call.
 * perf: a write for each line costs as much as a request; `npm run bench` measures requests with the log.
 */
const buffered = (write: (text: string) => void) => {
  let buffer = ''
  const flush = (): void => {
    const text = buffer
    buffer = ''
    if (text !== '') write(text)
  }
  const out = (text: string): void => {
    if (buffer === '') setImmediate(flush)
    buffer += text
    if (buffer.length >= maxBuffered) flush()
  }
  return { out, flush }
}

/** The terminal of this process. */
export const processTerminal = (): Terminal => {
  handleOutputErrors()
  const { env } = process
  const { out, flush } = buffered((text) => process.stdout.write(text))
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
      const codes = { SIGINT: exitCodes.interrupted, SIGTERM: exitCodes.terminated }
      for (const [signal, code] of Object.entries(codes))
        process.once(signal, () => {
          process.once(signal, () => process.exit(code))
          stop()
        })
    },
  }
}

const handleOutputErrors = (): void => {
  let isLost = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // The reader of a pipe may end first: `plant-mock contract | head`.
    if (error.code === 'EPIPE') process.exit(exitCodes.success)
    if (isLost) return
    isLost = true
    // A server continues when the disk of its log is full: serving matters more than logging.
    process.stderr.write(`plant-mock: Standard output cannot be written, and is lost: ${error.message}.\n`)
    process.once('exit', (code) => {
      process.exitCode = code || exitCodes.failure
    })
  })
  // An error of standard error cannot be reported anywhere.
  process.stderr.on('error', () => undefined)
}
