import { statSync } from 'node:fs'

/** In milliseconds. */
const pollInterval = 100

/**
 * Polls files, and calls back once a change is complete: editors write a file in several steps. A poll sees a file that was
 * replaced, or whose folder or symbolic link was, on every file system, and needs no inotify watch.
 * @returns A function that ends it.
 */
export const watchFiles = (files: readonly string[], onChange: () => void): (() => void) => {
  let seen = files.map(stateOf).join()
  let hasChanged = false
  const timer = setInterval(() => {
    const now = files.map(stateOf).join()
    const isComplete = now === seen
    seen = now
    if (hasChanged && isComplete) onChange()
    hasChanged = !isComplete
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
