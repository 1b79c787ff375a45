import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import type { TestEvent } from './events.ts'

// Captured when the process starts, because tests replace clocks and file systems.
const open = openSync
const write = writeSync
const { now } = Date
const random = Math.random().toString(36).slice(2, 10)

/** Appends events to a file of this thread. */
export type EventLog = (event: TestEvent) => void

/**
 * Opens the log of this thread in the evidence folder. The file appears with the first event. Lines are written
 * synchronously, because runners kill their workers.
 */
export const openEventLog = (folder: string): EventLog => {
  let file: number | undefined
  return (event) => {
    file ??= open(join(folder, `tests-${process.pid}-${threadId}-${random}.ndjson`), 'a')
    write(file, `${JSON.stringify(event)}\n`)
  }
}

/** Milliseconds since 1970, whatever a test has done to `Date`. */
export const currentTime = (): number => now()
