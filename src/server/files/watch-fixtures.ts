import { statSync } from 'node:fs'

const pollInterval = 100

/** Polls instead of `fs.watch`, because polling also notices a replaced folder or symbolic link. */
export const watchFiles = (files: readonly string[], onChange: () => unknown): (() => void) => {
  let seen = files.map(stateOf).join()
  let hasChanged = false
  let isBusy = false
  const timer = setInterval(async () => {
    // Runs one reload at a time, because an earlier reload could finish last and restore old content.
    if (isBusy) return
    const now = files.map(stateOf).join()
    const isComplete = now === seen
    seen = now
    const isDue = hasChanged && isComplete
    hasChanged = !isComplete
    if (!isDue) return
    isBusy = true
    try {
      await onChange()
    } finally {
      isBusy = false
    }
  }, pollInterval)
  return () => clearInterval(timer)
}

const stateOf = (file: string): string => {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch {
    return ''
  }
}
