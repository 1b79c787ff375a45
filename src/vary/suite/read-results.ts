import { isJsonObject } from '../../util/json.ts'
import type { EndEvent, FileEvent, StartEvent, TestEvent } from './events.ts'
import { readLines } from './read-lines.ts'
import { type TestResults, type TestRun, testId } from './test-run.ts'
import { uniqueNames } from './unique-names.ts'

const logName = /^tests-.*\.ndjson$/

/**
 * Reads the events that test runners recorded in a folder. Tests are in the order of their start. A started
 * test without an end failed, with the message `did not end`.
 */
export const readTestResults = async (folder: string): Promise<TestResults> => {
  const { logs, ignored } = await readLines(folder, logName, testEvent)
  const events = logs.flat()
  const programs = [...new Set(events.flatMap((event) => (event.type === 'program' ? [event.program] : [])))]
  const recorded = logs
    .map((log) => log.filter((event) => event.type !== 'program'))
    .filter((log) => log.length > 0)
    .sort((a, b) => beginOf(a) - beginOf(b))
  if (recorded.length === 0) return { runners: [], tests: undefined, programs, ignored }
  const unique = uniqueNames()
  // The same test may run in several processes, such as in two commands of one script.
  const tests = recorded.flatMap((log) =>
    testsIn(log).map((test) => {
      const name = unique(test.file, test.name)
      return { ...test, name, id: testId(test.file, name) }
    }),
  )
  const names = new Set(recorded.flatMap((log) => log.map(({ runner }) => runner)))
  return { runners: [...names], tests: tests.sort((a, b) => a.start - b.start), programs, ignored }
}

type Check = (value: unknown) => boolean
const isText: Check = (value) => typeof value === 'string'
const isTime: Check = Number.isFinite
const isOptional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)

const common = {
  runner: isText,
  pid: isOptional(Number.isInteger),
  at: isTime,
}
const ofFile = { ...common, file: isText }
const ofTest = { ...ofFile, name: isText }

/** The members of each type of event. */
const events: Readonly<Record<TestEvent['type'], Readonly<Record<string, Check>>>> = {
  program: { program: isText },
  runner: common,
  'file-start': ofFile,
  'file-end': ofFile,
  start: ofTest,
  end: {
    ...ofTest,
    start: isTime,
    outcome: (value) => ['passed', 'failed', 'skipped'].includes(value as string),
    wasFlaky: isOptional((value) => value === true),
    line: isOptional(Number.isInteger),
    message: isOptional(isText),
  },
}

const testEvent = (value: unknown): TestEvent | undefined => {
  if (!isJsonObject(value) || !isText(value.type) || !Object.hasOwn(events, value.type as string)) return undefined
  const checks = Object.entries(events[value.type as TestEvent['type']])
  return checks.every(([name, check]) => check(value[name])) ? (value as TestEvent) : undefined
}

type OfRunner = Exclude<TestEvent, { type: 'program' }>

const beginOf = ([first]: readonly OfRunner[]): number => first?.at ?? 0

/** The last event of each test decides. */
const testsIn = (events: readonly OfRunner[]): readonly TestRun[] => {
  const last = new Map<string, StartEvent | EndEvent>()
  const files = new Map<string, FileEvent>()
  for (const event of events) {
    if (event.type === 'start' || event.type === 'end') last.set(testId(event.file, event.name), event)
    else if (event.type !== 'runner') files.set(event.file, event)
  }
  const end = events.reduce((latest, { at }) => Math.max(latest, at), 0)
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
