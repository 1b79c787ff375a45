import { isatty } from 'node:tty'
import { paintFor } from '../server/start/paint.ts'
import { codeOfSignal, type StopSignal, type Terminal } from './command.ts'
import { exitCodes } from './exit-codes.ts'

const maxBuffered = 64 * 1024

/** perf: collects lines, because a write for each line costs as much as a request (`npm run bench`, request log). */
export const buffered = (write: (text: string) => void) => {
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

/** Standard output counts as slow while more than this many bytes wait in memory. */
const maxWaiting = 1024 * 1024

export const processTerminal = (): Terminal => {
  const { env, stdout, stderr } = process
  let isStoppable = false
  handleOutputErrors(() => isStoppable)
  const { out, flush } = buffered((text) => stdout.write(text))
  process.on('exit', flush)
  const endWatch = stopWithParent(env)
  let listener: ((signal: StopSignal) => void) | undefined
  const handleSignals = (listen: (signal: StopSignal) => void): void => {
    if (listener === undefined)
      for (const signal of Object.keys(codeOfSignal) as StopSignal[])
        process.on(signal, () => {
          endWatch()
          listener?.(signal)
        })
    listener = listen
  }
  // Handles signals as the first process of a container, because the kernel drops unhandled signals to that process.
  if (process.pid === 1) handleSignals((signal) => process.exit(codeOfSignal[signal]))
  const onSignal: Terminal['onSignal'] = (listen) => {
    isStoppable = true
    handleSignals(listen)
  }
  const isInteractive = stderr.isTTY === true && env.TERM !== 'dumb'
  return {
    out,
    isSlow: () => stdout.writableLength > maxWaiting,
    error(text) {
      flush()
      stderr.write(text)
    },
    environment: env,
    paint: paintFor(stdout.isTTY, env),
    width: stdout.columns,
    interactive: isInteractive,
    whileWaiting: isInteractive
      ? undefined
      : (text) => {
          const timer = setInterval(() => stderr.write(`${text()}\n`), 5_000).unref()
          return () => clearInterval(timer)
        },
    exit: (code) => process.exit(code),
    isFirstProcess: process.pid === 1,
    isAtTerminal: () => [0, 1, 2].some((descriptor) => isatty(descriptor)),
    onSignal,
    onStop(stop) {
      const seen = new Set<StopSignal>()
      // Handles all signals with one listener, because Deno immediately calls a listener that is added during a signal.
      onSignal((signal) => {
        if (seen.has(signal)) process.exit(codeOfSignal[signal])
        seen.add(signal)
        stop()
      })
    },
  }
}

const handleOutputErrors = (isStoppable: () => boolean): void => {
  let isLost = false
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    const hasReaderLeft = error.code === 'EPIPE'
    // Exits with success if the reader closes the pipe early, as in `plant-mock contract | head`.
    if (hasReaderLeft && !isStoppable()) process.exit(exitCodes.success)
    if (isLost) return
    isLost = true
    if (hasReaderLeft) {
      // Keeps a server running if nobody reads its output any more: the parent process may have read only the address.
      process.stderr.write('plant-mock: The reader of standard output has ended; nothing more is printed there.\n')
      return
    }
    // Keeps a server running when, for example, the disk that receives the log is full.
    process.stderr.write(`plant-mock: Standard output cannot be written, and is lost: ${error.message}.\n`)
    process.once('exit', (code) => {
      process.exitCode = code || exitCodes.failure
    })
  })
  process.stderr.on('error', () => undefined)
}

const checkInterval = 500

/** Matches scripts that start a background process, which may outlive the script. */
const detaches = /(?<![&>])&(?![&>])|\b(?:nohup|setsid|disown)\b/

export const belongsToParent = ({ npm_lifecycle_script: script = '' }: Terminal['environment']): boolean =>
  /\bplant-mock\b/.test(script) && !detaches.test(script)

/**
 * Sends SIGTERM to this process after its parent has ended: npm signals only a shell, which does not pass signals on.
 * @returns A function that stops watching. Call the function at the first signal, because a second SIGTERM ends the
 * process at once.
 */
const stopWithParent = (environment: Terminal['environment']): (() => void) => {
  if (process.platform === 'win32' || !belongsToParent(environment) || leadsGroup()) return () => undefined
  const first = ancestors()
  const timer = setInterval(() => {
    if (ancestors() === first) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, checkInterval)
  timer.unref()
  return () => clearInterval(timer)
}

/** True if the process leads its own process group, because a detached process does. */
const leadsGroup = (): boolean => {
  try {
    return process.kill(-process.pid, 0)
  } catch {
    return false
  }
}

/** Includes the grandparent, because npm may start this process through a shell. */
const ancestors = (): string => {
  let parent = ''
  try {
    // perf: avoids an import of node:fs, which would also load its streams (`npm run bench`, start).
    parent = process.getBuiltinModule?.('node:fs').readFileSync(`/proc/${process.ppid}/stat`, 'utf8') ?? ''
  } catch {
    // On macOS, which has no /proc, checks the parent alone: the shell there replaces itself with the program.
  }
  return `${process.ppid} ${/^\d+ \(sh\) \S (\d+)/.exec(parent)?.[1]}`
}
