import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isJsonObject, jsonOrUndefined } from '../util/json.ts'
import type { EndEvent, RunnerName, StartEvent, TestEvent } from './events.ts'
import { type TestResults, type TestRun, testId } from './test-run.ts'
import { uniqueNames } from './unique-names.ts'

const logName = /^tests-.*\.ndjson$/

/**
 * Reads the events that test runners recorded in a folder.
 * @returns `undefined` when no runner was recognised. Tests are in the order of their start. A test that was started
 * and did not end failed, with the message `did not end`.
 */
export const readTestResults = async (folder: string): Promise<TestResults | undefined> => {
  const names = (await readdir(folder)).filter((name) => logName.test(name))
  const logs = await Promise.all(names.map(async (name) => eventsIn(await readFile(join(folder, name), 'utf8'))))
  const recorded = logs.filter((events) => events.length > 0).sort((a, b) => beginOf(a) - beginOf(b))
  if (recorded.length === 0) return undefined
  const unique = uniqueNames()
  // The same test may run in several processes, such as in two commands of one script.
  const tests = recorded.flatMap((events) =>
    testsIn(events).map((test) => {
      const name = unique(test.file, test.name)
      return { ...test, name, id: testId(test.file, name) }
    }),
  )
  const runners = new Set<RunnerName>(recorded.flatMap((events) => events.map(({ runner }) => runner)))
  return { runners: [...runners], tests: tests.sort((a, b) => a.start - b.start) }
}

/** The events of a log. The last line may be truncated, because its process was killed. */
const eventsIn = (text: string): readonly TestEvent[] =>
  text.split('\n').flatMap((line) => {
    const event = jsonOrUndefined(line)
    return isJsonObject(event) && typeof event.type === 'string' ? [event as unknown as TestEvent] : []
  })

const beginOf = ([first]: readonly TestEvent[]): number => first?.at ?? 0

/** The last event of each test decides. */
const testsIn = (events: readonly TestEvent[]): readonly TestRun[] => {
  const last = new Map<string, StartEvent | EndEvent>()
  const files = new Map<string, Extract<TestEvent, { type: 'file-start' | 'file-end' }>>()
  for (const event of events) {
    if (event.type === 'start' || event.type === 'end') last.set(testId(event.file, event.name), event)
    else if (event.type !== 'runner') files.set(event.file, event)
  }
  const end = Math.max(...events.map(({ at }) => at))
  const tests = [...last.values()].map((event) => (event.type === 'end' ? ended(event) : unended(event, end)))
  const started = [...files.values()].filter(({ type }) => type === 'file-start')
  const withFailure = new Set(tests.filter(({ outcome }) => outcome === 'failed').map(({ file }) => file))
  const killed = started.filter(({ file }) => !withFailure.has(file)).map((event) => ({ ...event, name: event.file }))
  return [...tests, ...killed.map((event) => unended(event, end))]
}

const ended = ({ file, name, start, at, outcome, line, message, wasFlaky, pid }: EndEvent): TestRun => ({
  id: testId(file, name),
  name,
  file,
  outcome,
  start,
  end: at,
  ...(line !== undefined && { line }),
  ...(message !== undefined && { message }),
  ...(wasFlaky && { wasFlaky }),
  ...(pid !== undefined && { pid }),
})

const unended = ({ file, name, at, pid }: Pick<StartEvent, 'file' | 'name' | 'at' | 'pid'>, end: number): TestRun => ({
  id: testId(file, name),
  name,
  file,
  outcome: 'failed',
  message: 'did not end',
  start: at,
  end,
  ...(pid !== undefined && { pid }),
})
