import { readlinkSync, type StatsListener, statSync, unwatchFile, watch, watchFile } from 'node:fs'
import { basename, dirname, join, parse, resolve, sep } from 'node:path'
import { messageOf } from '../../util/words.ts'

/** In milliseconds. Editors write a file in several steps. */
const debounceDelay = 60

/** Delays `callback` until 60 ms have passed without another `schedule`. */
export const debounce = (callback: () => void): { schedule(): void; cancel(): void } => {
  let timer: NodeJS.Timeout | undefined
  return {
    schedule() {
      clearTimeout(timer)
      timer = setTimeout(callback, debounceDelay)
    },
    cancel: () => clearTimeout(timer),
  }
}

/** In milliseconds. */
const pollInterval = 300

type FileWatcher = { close(): void }

export type WatchOptions = {
  /** Called after any of the files was written, replaced or restored. */
  readonly onChange: () => void
  /** Receives a message for the user when a folder cannot be watched and its files are polled instead. */
  readonly onNotice: (text: string) => void
}

/**
 * Watches files until it is closed. It watches their folders, because many editors replace a file instead of writing to
 * it, and those of each symbolic link on the way to a file. Where a folder cannot be watched, or is deleted, it polls the
 * files.
 */
export const watchFiles = (files: readonly string[], { onChange, onNotice }: WatchOptions): FileWatcher => {
  const { schedule, cancel } = debounce(() => {
    follow()
    onChange()
  })
  let followed: readonly string[] = []
  let watchers: readonly FileWatcher[] = []
  const closeAll = (): void => {
    for (const watcher of watchers) watcher.close()
  }
  /** Watches other folders when a link has got another target. */
  const follow = (): void => {
    const paths = [...new Set(files.flatMap(pathsTo))]
    if (paths.join('\0') === followed.join('\0')) return
    closeAll()
    followed = paths
    watchers = [...new Set(paths.map((path) => dirname(path)))].map((folder) => {
      const pathsThere = paths.filter((path) => dirname(path) === folder)
      return watchFolder(folder, pathsThere, { onChange: schedule, onNotice })
    })
  }
  follow()
  return {
    close() {
      cancel()
      closeAll()
    },
  }
}

/** The symbolic links on the way to a file, such as that of a ConfigMap which replaces a folder, and the file itself. */
const pathsTo = (file: string): readonly string[] => {
  const links: string[] = []
  const { root } = parse(resolve(file))
  let path = root
  let rest = partsOf(file)
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(path, part)
    const target = links.length < maxLinks ? targetOf(next) : undefined
    if (target === undefined) path = next
    else {
      links.push(next)
      rest = [...partsOf(resolve(path, target)), ...rest]
      path = root
    }
  }
  return [...links, path]
}

/** As Linux bounds it; links may form a circle. */
const maxLinks = 40

const partsOf = (path: string): string[] => {
  const absolute = resolve(path)
  return absolute.slice(parse(absolute).root.length).split(sep).filter(Boolean)
}

/** `undefined` for a path that is no link. */
const targetOf = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

const watchFolder = (folder: string, files: readonly string[], { onChange, onNotice }: WatchOptions): FileWatcher => {
  const names = files.map((file) => basename(file))
  let current: FileWatcher | undefined
  const poll = (): void => {
    current?.close()
    current = pollFiles(files, onChange)
  }
  const fallBack = (error: unknown): void => {
    const reason = messageOf(error)
    onNotice(`The folder ${folder} cannot be watched (${reason}); polling its files every ${pollInterval} ms.`)
    poll()
  }
  try {
    const watched = inodeOf(folder)
    current = watch(folder, (_, name) => {
      if (name === null || names.includes(name)) onChange()
      if (inodeOf(folder) === watched) return
      // A watch is bound to the inode: it does not see a new folder of the same name.
      poll()
      onChange()
    }).on('error', (error) => {
      fallBack(error)
      // A change may have been missed.
      onChange()
    })
  } catch (error) {
    fallBack(error)
  }
  return { close: () => current?.close() }
}

/** `undefined` for a folder that does not exist. */
const inodeOf = (folder: string): bigint | undefined => statSync(folder, { bigint: true, throwIfNoEntry: false })?.ino

/** Costs one stat per file and interval, but no inotify watch, of which the system has a limited number. */
const pollFiles = (files: readonly string[], onChange: () => void): FileWatcher => {
  const compare: StatsListener = (now, before) => {
    // watchFile also reports once, with zero times, that a file does not exist.
    if (now.mtimeMs !== 0 || before.mtimeMs !== 0) onChange()
  }
  for (const file of files) watchFile(file, { interval: pollInterval }, compare)
  return {
    close() {
      for (const file of files) unwatchFile(file, compare)
    },
  }
}
