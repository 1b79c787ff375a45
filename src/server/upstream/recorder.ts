import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import packageJson from '../../../package.json' with { type: 'json' }
import { bodyNotUtf8 } from '../../core/http/exchange.ts'
import type { Reply } from '../../core/http/reply.ts'
import type { CallerRegistry } from '../../core/journal/callers.ts'
import { recordIn, toEntry, unusedEntry } from '../../core/journal/entry.ts'
import type { ResolvedRequest } from '../../core/operations/call.ts'
import { harEntry } from '../../core/recording/entries.ts'
import { PlantMockError, unreadable } from '../../util/errors.ts'
import { fieldsOf, jsonOrUndefined } from '../../util/json.ts'
import { maxRecording } from '../files/har-text.ts'
import { writeFileAtomically } from '../files/write-fixtures.ts'

export type Recorder = Awaited<ReturnType<typeof openRecorder>>

/** Writes the whole recording after each exchange, which keeps the file valid JSON at any time. */
export const openRecorder = async (file: string, registry: CallerRegistry, onNotice: (text: string) => void) => {
  if (!file.endsWith('.har')) throw new PlantMockError(`--record writes a .har file, not ${file}.`)
  const earlier = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (existsSync(file)) throw unreadable('recording', file, error)
    return '{"log":{"entries":[]}}'
  })
  const log = fieldsOf(fieldsOf(jsonOrUndefined(earlier)).log)
  if (!Array.isArray(log.entries))
    throw new PlantMockError(`--record would replace ${file}, which is not a HAR file. Name another file.`)
  for (const [, name = ''] of earlier.matchAll(/"Bearer (caller-\d+)"/gi)) registry.pseudonymOf(name)
  const creator = { name: packageJson.name, version: packageJson.version }
  const head = JSON.stringify({ log: { version: '1.2', creator, ...log, entries: [] } }).slice(0, -3)
  const entries = log.entries.map((entry) => JSON.stringify(entry))
  let size = earlier.length
  let written = -1
  const save = async (): Promise<void> => {
    const count = entries.length
    await writeFileAtomically(file, `${head}\n${entries.join(',\n')}\n]}}\n`)
    written = count
  }
  await save().catch((error: Error) => {
    throw new PlantMockError(`--record cannot write ${file}: ${error.message}.`)
  })

  let writing: Promise<void> | undefined
  const write = async (): Promise<void> => {
    try {
      while (written < entries.length) await save()
    } catch (error) {
      onNotice(`the recording ${file} could not be written: ${(error as Error).message}`)
    }
  }

  return {
    observe(call: ResolvedRequest, reply: Reply, target: URL, receivedAt: number, milliseconds: number): void {
      if (size > maxRecording) return
      const recorded = unusedEntry()
      recordIn(recorded, call, reply, registry, { id: 1, receivedAt, milliseconds, values: undefined })
      if (reply.body === undefined && reply.meta.forwarded?.bytes?.length) recorded.responseBody = bodyNotUtf8
      const entry = JSON.stringify(
        harEntry(toEntry(recorded, registry), `${target.origin}${target.pathname.replace(/\/+$/, '')}`),
      )
      size += entry.length
      if (size > maxRecording) onNotice(`the recording ${file} is full; further exchanges are not recorded.`)
      else entries.push(entry)
      writing ??= write().finally(() => {
        writing = undefined
      })
    },
    async close(): Promise<void> {
      await writing
      await write()
    },
  }
}
