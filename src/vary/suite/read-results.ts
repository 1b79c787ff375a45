import { testId } from '../evidence/plan.ts'
import { type LineMembers, readLines } from './read-lines.ts'
import {
  type EndEvent,
  type FileEvent,
  type StartEvent,
  type TestEvent,
  type TestResult,
  withIds,
} from './test-result.ts'

export const readTestResults = async (folder: string): Promise<readonly TestResult[] | undefined> => {
  const logs = await readLines<TestEvent>(folder, /^tests-.*\.ndjson$/, members)
  const recorded = logs.filter((log) => log.length > 0).sort((a, b) => beginOf(a) - beginOf(b))
  if (recorded.length === 0) return undefined
  // Adds numbers to equal names, because two commands of one script may run the same test in different processes.
  return withIds(recorded.flatMap(testsIn)).sort((a, b) => a.start - b.start)
}

const ofTest = { at: 'number', file: 'string', name: 'string' } as const
const members: Readonly<Record<TestEvent['type'], LineMembers>> = {
  runner: { at: 'number' },
  'file-start': { at: 'number', file: 'string' },
  'file-end': { at: 'number', file: 'string' },
  start: ofTest,
  end: { ...ofTest, start: 'number', outcome: 'string' },
}

const beginOf = ([first]: readonly TestEvent[]): number => first?.at ?? 0

type Attempts = { readonly starts: (StartEvent | FileEvent)[]; readonly ends: (EndEvent | FileEvent)[] }

const testsIn = (events: readonly TestEvent[]): readonly UnnamedRun[] => {
  const attempts = new Map<string, Attempts>()
  for (const event of events) {
    if (event.type === 'runner') continue
    const id = testId(event.file, 'name' in event ? event.name : '')
    const { starts, ends } = attempts.get(id) ?? { starts: [], ends: [] }
    attempts.set(id, { starts, ends })
    if (event.type === 'start' || event.type === 'file-start') starts.push(event)
    else ends.push(event)
  }
  const end = events.reduce((latest, { at }) => Math.max(latest, at), 0)
  return [...attempts.values()].flatMap(({ starts, ends }) => {
    const [start, last] = [starts.at(-1), ends.at(-1)]
    if (start !== undefined && starts.length > ends.length) return unended(start, end)
    return last?.type === 'end' ? ended(last) : []
  })
}

type UnnamedRun = Omit<TestResult, 'id'>

const ended = ({ at, type: _, ...event }: EndEvent): UnnamedRun => ({ ...event, end: at })

const unended = ({ at: start, type: _, ...event }: StartEvent | FileEvent, end: number): UnnamedRun => ({
  name: event.file,
  ...event,
  outcome: 'unended',
  start,
  end,
})
