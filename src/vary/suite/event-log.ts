import { openSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { TestEvent } from './events.ts'

// Captured when the process starts, because tests replace clocks and file systems.
const open = openSync
const write = writeSync
const { now } = Date
const random = Math.random().toString(36).slice(2, 10)

/** Node.js loads this module on demand, which takes as long as the rest of the preload; most processes do not need it. */
export const workerThreads = (): typeof import('node:worker_threads') =>
  createRequire(import.meta.url)('node:worker_threads')

/** Appends events to a file of this thread. */
export type EventLog = (event: TestEvent) => void

/**
 * Opens the log of this thread in the evidence folder. The file appears with the first event. Lines are written
 * synchronously, because runners kill their workers.
 */
export const openEventLog = (folder: string): EventLog => {
  let file: number | undefined
  return (event) => {
    file ??= open(join(folder, `tests-${process.pid}-${workerThreads().threadId}-${random}.ndjson`), 'a')
    write(file, `${JSON.stringify(event)}\n`)
  }
}

/** Milliseconds since 1970, whatever a test has done to `Date`. */
export const currentTime = (): number => now()
