import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { collectGarbage } from './collect-garbage.ts'

export const closedWithFile: (() => Promise<unknown>)[] = []

/** Bound of the wait for closing resources: long enough for a slow machine. */
const maxClosing = 60_000
const interval = 20
/** Garbage collection takes much longer than most connections take to close. */
const roundsPerCollection = 25

type Handle = {
  readonly constructor: { readonly name: string }
  readonly pid?: number
  readonly address?: () => unknown
  readonly remotePort?: number
  readonly _httpMessage?: { readonly method?: string; readonly path?: string }
}

const handles = (): readonly Handle[] =>
  (process as unknown as { readonly _getActiveHandles: () => readonly Handle[] })._getActiveHandles()

/** Timers are only counted, because Node.js lists active timers without an identity. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

const listeners = (): ReadonlyMap<string | symbol, number> =>
  new Map(process.eventNames().map((name) => [name, process.listenerCount(name)]))

const named = (handle: Handle): string => {
  const { name } = handle.constructor
  if (handle.pid !== undefined) return `${name} ${handle.pid}`
  if (typeof handle.address !== 'function') return name
  const { remotePort, _httpMessage: message } = handle
  const peer = remotePort === undefined ? '' : ` to port ${remotePort}`
  const exchange = message?.path === undefined ? '' : ` (${message.method} ${message.path})`
  return `${name} ${JSON.stringify(handle.address())}${peer}${exchange}`
}

/** @returns A function that removes the file's temporary folder, and names everything that the file left open. */
export const watchFile = (): (() => Promise<readonly string[]>) => {
  const temporary = process.env.TMPDIR
  const folder = mkdtempSync(join(tmpdir(), 'plant-mock-test-'))
  // Tests start programs as other users, who must be able to open the folder.
  chmodSync(folder, 0o755)
  process.env.TMPDIR = folder
  const leaks: string[] = []
  const noteLeak = ({ name, message }: Error): void => {
    if (name === 'MaxListenersExceededWarning') leaks.push(message)
  }
  process.on('warning', noteLeak)
  const before = { handles: new Set(handles()), timers: timers(), listeners: listeners() }

  const leftOpen = (): readonly string[] => [
    ...handles()
      .filter((handle) => !before.handles.has(handle))
      .map(named),
    ...(timers() > before.timers ? [`${timers() - before.timers} timers`] : []),
    ...[...listeners()]
      .filter(([event, count]) => count > (before.listeners.get(event) ?? 0))
      .map(([event]) => `a listener of the process for ${String(event)}`),
    ...readdirSync(folder).map((name) => `${join(folder, name)}`),
  ]

  return async () => {
    for (const close of closedWithFile.splice(0)) await close()
    const end = performance.now() + maxClosing
    let left = leftOpen()
    for (let round = 1; left.length > 0 && performance.now() < end; round++) {
      await delay(interval)
      // fetch closes the connection of an unread response when the response is garbage-collected.
      if (round % roundsPerCollection === 0) await collectGarbage()
      left = leftOpen()
    }
    process.off('warning', noteLeak)
    if (temporary === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = temporary
    rmSync(folder, { recursive: true, force: true })
    return [...left, ...leaks]
  }
}
