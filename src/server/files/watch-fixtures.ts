import { statSync } from 'node:fs'

/** In milliseconds. */
const pollInterval = 100

/**
 * Polls files, and calls back once a change is complete, because editors write a file in several steps. Polling works
 * on every file system and needs no inotify watch; it also notices a replaced file, folder or symbolic link.
 * @param onChange If it returns a promise, later changes wait for it. The promise must not reject.
 * @returns A function that stops polling.
 */
export const watchFiles = (files: readonly string[], onChange: () => unknown): (() => void) => {
  let seen = files.map(stateOf).join()
  let hasChanged = false
  let isBusy = false
  const timer = setInterval(async () => {
    // Reloads must not overlap: an earlier reload that ends last would restore old content.
    if (isBusy) return
    const now = files.map(stateOf).join()
    const isComplete = now === seen
    seen = now
    const isDue = hasChanged && isComplete
    hasChanged = !isComplete
    isBusy = isDue
    if (isDue) await onChange()
    isBusy = false
  }, pollInterval)
  return () => clearInterval(timer)
}

/** Empty for a file that does not exist. */
const stateOf = (file: string): string => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch {
    return ''
  }
}
