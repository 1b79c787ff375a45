import type { Terminal } from './command.ts'

/** In milliseconds. */
const checkInterval = 500

/** A program that a script starts in the background may outlive the script. */
const detaches = /(?<![&>])&(?![&>])|\b(?:nohup|setsid|disown)\b/

/** Whether npx or an npm script waits for this program. */
export const belongsToParent = ({ npm_lifecycle_script: script = '' }: Terminal['environment']): boolean =>
  /\bplant-mock\b/.test(script) && !detaches.test(script)

/**
 * Sends SIGTERM to this process when the process that started it has ended: npm passes signals to a shell, which does
 * not pass them on. A program with a process group of its own is detached on purpose.
 * @returns Ends the watch. Call it at the first signal, because a second one would end the process at once.
 */
export const stopWithParent = (environment: Terminal['environment']): (() => void) => {
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

const leadsGroup = (): boolean => {
  try {
    return process.kill(-process.pid, 0)
  } catch {
    return false
  }
}

/** npm may stand behind a shell. */
const ancestors = (): string => {
  let parent = ''
  try {
    // perf: an import of node:fs would also load its streams (`npm run bench`, start).
    parent = process.getBuiltinModule?.('node:fs').readFileSync(`/proc/${process.ppid}/stat`, 'utf8') ?? ''
  } catch {
    // macOS has no /proc, and its shell replaces itself with the program.
  }
  return `${process.ppid} ${/^\d+ \(sh\) \S (\d+)/.exec(parent)?.[1]}`
}
