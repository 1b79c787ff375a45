import nodeFs from 'node:fs'
import { StorageError } from '../util/errors.ts'
import type { LoggedPlant, PlantLog } from './persistent-store.ts'
import type { Held } from './read-plants.ts'
import { writeFailure } from './storage-failure.ts'

/** What is called of node:fs. Tests let it fail. */
export type FileCalls = Pick<
  typeof nodeFs,
  | 'closeSync'
  | 'fchmodSync'
  | 'fstatSync'
  | 'ftruncateSync'
  | 'openSync'
  | 'renameSync'
  | 'rmSync'
  | 'statSync'
  | 'writeSync'
>

export interface PlantFile extends PlantLog {
  /**
   * Goes on behind what was read. A line that was cut off is taken away, and one without an end gets it.
   * @throws StorageError when that cannot be done, or something else writes the file.
   */
  resume(held: Held): void
  /** Whether something else has written the file since. */
  isForeign(): boolean
  /** Writes nothing until it is resumed: what the file holds now is not what we know. */
  suspend(): void
  /** Nothing can be written any more. */
  close(): void
}

/** A file as we left it: which it is, and how many bytes are in it. */
type Left = { readonly ino: number; size: number }

/**
 * Writes plants to a file, one a line. What write(2) has taken outlives this process, however that ends; it does not
 * outlive the machine's losing power, since nothing waits for the disk. Of a write that fails, nothing stays.
 * @param named The file as the user calls it, for messages.
 */
export const plantFile = (path: string, named: string, calls: FileCalls = nodeFs): PlantFile => {
  let fd: number | undefined
  /** `undefined`: there is no file yet. */
  let left: Left | undefined
  /** How many bytes are plants. There are more when a failed write could not be taken back. */
  let whole = 0
  /** When we wrote or read last. */
  let touched = 0
  let isClosed = false

  const letGo = (): void => {
    const old = fd
    fd = undefined
    if (old !== undefined) calls.closeSync(old)
  }

  const stat = () => calls.statSync(path, { throwIfNoEntry: false })

  const check = (): void => {
    if (isClosed) throw new StorageError(`${named} is not written any more: the server has stopped.`)
    const there = stat()
    if (there?.ino !== left?.ino || there?.size !== left?.size)
      throw new StorageError(there === undefined ? gone(named) : changed(named))
  }

  const attempt = (work: () => void): void => {
    try {
      check()
      work()
    } catch (error) {
      throw writeFailure(named, error)
    }
  }

  /** Writes all of it, and counts along: the end of it may fail. */
  const write = (to: number, text: string, counted: Left): void => {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) {
      const written = calls.writeSync(to, bytes, at)
      at += written
      counted.size += written
    }
  }

  const takeBack = (from: number, counted: Left): void => {
    if (counted.size === whole) return
    calls.ftruncateSync(from, whole)
    counted.size = whole
  }

  const add = (text: string): void => {
    fd ??= calls.openSync(path, 'a')
    left ??= { ino: calls.fstatSync(fd).ino, size: 0 }
    takeBack(fd, left)
    try {
      write(fd, text, left)
      whole = left.size
    } catch (error) {
      const [to, counted] = [fd, left]
      // When it cannot be taken back now, that is what the next write begins with.
      quietly(() => takeBack(to, counted))
      throw error
    } finally {
      touched = Date.now()
    }
  }

  /** Beside it first, then in its place: it is never half there. */
  const put = (plants: readonly LoggedPlant[]): void => {
    const beside = `${path}.tmp`
    calls.rmSync(beside, { force: true })
    const next = calls.openSync(beside, 'ax')
    let isOpen = true
    try {
      const counted = { ino: calls.fstatSync(next).ino, size: 0 }
      for (const text of textsOf(plants)) write(next, text, counted)
      const { mode } = stat() ?? {}
      if (mode !== undefined) calls.fchmodSync(next, mode & permissions)
      isOpen = false
      calls.closeSync(next)
      // Windows puts no file in the place of one that is open.
      letGo()
      calls.renameSync(beside, path)
      left = counted
      whole = counted.size
      touched = Date.now()
    } catch (error) {
      if (isOpen) quietly(() => calls.closeSync(next))
      quietly(() => calls.rmSync(beside, { force: true }))
      throw error
    }
  }

  return {
    append: (plant) => attempt(() => add(lineOf(plant))),
    replace: (plants) => attempt(() => put(plants)),
    resume(held) {
      const there = stat()
      letGo()
      left = there && { ino: there.ino, size: held.size }
      whole = held.whole
      touched = Date.now()
      attempt(() => {
        fd = calls.openSync(path, 'a')
        if (left !== undefined) takeBack(fd, left)
        if (held.unended) add('\n')
      })
    },
    isForeign() {
      const there = stat()
      return there?.ino !== left?.ino || there?.size !== left?.size || (there?.mtimeMs ?? 0) >= touched + 1
    },
    suspend() {
      letGo()
      // No file is like that.
      left = { ino: -1, size: -1 }
    },
    close() {
      const [to, counted] = [fd, left]
      if (to !== undefined && counted !== undefined) quietly(() => takeBack(to, counted))
      isClosed = true
      letGo()
    },
  }
}

const permissions = 0o7777

const gone = (named: string): string =>
  `${named} is gone: something has moved or deleted it. Nothing was added or changed. Put it back, or start again to begin anew.`

const changed = (named: string): string =>
  `${named} was changed by something else. Nothing was added or changed. Start again to go on with what it holds now; with --watch it is loaded by itself.`

const quietly = (work: () => void): void => {
  try {
    work()
  } catch {
    // What failed before it is what is told.
  }
}

/** A plant as a line. The order of the keys is what a line that was cut off is known by. */
export const lineOf = ({ id, name, tag, access }: LoggedPlant): string =>
  `${JSON.stringify({ id, name, tag, access })}\n`

/** Few writes, and no text that is as long as the file. */
function* textsOf(plants: readonly LoggedPlant[]): Generator<string> {
  let text = ''
  for (const plant of plants) {
    text += lineOf(plant)
    if (text.length < 256 * 1024) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}
